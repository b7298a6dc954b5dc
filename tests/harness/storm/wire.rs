//! One connection of a guest: sends no more at once than the server allows, and writes down
//! what was sent and what came.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use fibfob_protocol::{ClientMessage, CommandId, Request, ServerMessage, Welcome};

use super::check::makes_event;
use super::history::{Entry, What};
use super::tally::Tally;
use crate::line::{Ended, Line};

/// What a guest has lived through, on all its connections.
#[derive(Clone)]
pub(super) struct Diary {
    pub tally: Arc<Tally>,
    pub entries: Arc<Mutex<Vec<Entry>>>,
}

impl Diary {
    pub(super) fn note(&self, line: u32, what: What) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        // Drawn under the lock: a diary is in the order of its moments.
        let moment = self.tally.moment();
        entries.push(Entry { moment, line, what });
    }
}

/// A connection.
pub(super) struct Wire {
    line: Line,
    number: u32,
    diary: Diary,
    /// How many requests may be unanswered, as `welcome` tells it.
    room: usize,
    unanswered: HashSet<CommandId>,
    /// Of those, the ones that are commands.
    commands: HashSet<CommandId>,
    waiting: VecDeque<Request>,
}

impl Wire {
    pub(super) fn new(line: Line, number: u32, welcome: &Welcome, diary: Diary) -> Self {
        Self {
            line,
            number,
            diary,
            room: welcome.limits.in_flight,
            unanswered: HashSet::new(),
            commands: HashSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Sends it when there is room.
    pub(super) fn queue(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Sends what there is room for.
    pub(super) async fn pump(&mut self) -> Result<(), Ended> {
        while self.unanswered.len() < self.room
            && let Some(request) = self.waiting.pop_front()
        {
            let id = request.id.clone();
            self.diary.note(self.number, What::Sent(request.clone()));
            if makes_event(&request.body) && self.commands.insert(id.clone()) {
                self.diary.tally.sent.fetch_add(1, Ordering::Relaxed);
                self.diary.tally.takes_off();
            }
            self.unanswered.insert(id);
            self.line.say(&ClientMessage::Request(request)).await?;
        }
        Ok(())
    }

    /// The next message, written down.
    pub(super) async fn hear(&mut self) -> Result<ServerMessage, Ended> {
        let text = self.line.hear().await?;
        let message = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("the server sent no message: {error} in {text}"));
        match &message {
            ServerMessage::Accepted(accepted) => {
                self.land(&accepted.id);
                self.diary
                    .note(self.number, What::Accepted(accepted.clone()));
            }
            ServerMessage::Refused(refused) => {
                if let Some(id) = &refused.id {
                    self.land(id);
                }
                self.diary.note(self.number, What::Refused(refused.clone()));
            }
            ServerMessage::Frame(_) | ServerMessage::Snapshot(_) => {
                let kept = self.diary.tally.shown.keep(&text);
                self.diary.note(self.number, What::Shown(kept));
            }
            _ => {}
        }
        Ok(message)
    }

    fn land(&mut self, id: &CommandId) {
        self.unanswered.remove(id);
        if self.commands.remove(id) {
            self.diary.tally.lands(1);
            self.diary.tally.is_answered();
        }
    }
}

impl Drop for Wire {
    /// A broken line answers nothing any more.
    fn drop(&mut self) {
        self.diary.tally.lands(self.commands.len());
    }
}
