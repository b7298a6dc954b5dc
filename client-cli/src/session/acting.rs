//! What follows without anybody's doing: what the solver thinks, what the user is told to do,
//! the end.

use fibfob_protocol::{PhaseView, RequestBody, Version};

use super::words::{self, Tone};
use super::{Effect, Riddle, Role, Session, Thought, say};
use crate::args::Autoplay;
use crate::exit::Exit;

impl Session {
    /// The solver has found out what it was asked at this version.
    pub fn thought(&mut self, version: Version, thought: Thought) -> Vec<Effect> {
        let Some(table) = &self.table else {
            return Vec::new();
        };
        if table.version != version || self.thinking != Some(version) {
            return Vec::new();
        }
        let id = table.id;
        match thought {
            Thought::Move(text) => self.send_move(version, text),
            Thought::Begin(begin) => vec![self.ask(RequestBody::Choose { id, begin })],
            Thought::Nothing => vec![say(Tone::Trouble, "the solver found nothing")],
        }
    }

    pub(super) fn act(&mut self) -> Vec<Effect> {
        let Some(table) = self.table.as_ref().filter(|_| self.is_present()) else {
            return Vec::new();
        };
        let version = table.version;
        if table.is_over() && self.unanswered == 0 && !self.settled {
            self.settled = true;
            return vec![Effect::Settled(self.exit())];
        }
        if let Role::Player(Some(auto)) = self.role
            && let Some(effects) = self.act_for_user(auto)
        {
            return effects;
        }
        if self.prompted == Some(version) {
            return Vec::new();
        }
        self.prompted = Some(version);
        let table = self.table.as_ref();
        let prompt = table.and_then(|table| words::prompt(table, &self.server));
        let prompt = prompt.map(|text| say(Tone::Prompt, text));
        prompt.into_iter().collect()
    }

    /// What the solver does now; none if it has nothing to do.
    fn act_for_user(&mut self, auto: Autoplay) -> Option<Vec<Effect>> {
        let table = self.table.as_ref()?;
        let (id, version, seat) = (table.id, table.version, table.seat?);
        let riddle = match table.view.phase {
            PhaseView::Choosing { chooser, .. } if chooser == seat => Riddle::Begin,
            PhaseView::Playing {
                takeback: Some(by), ..
            } if by != seat => {
                if self.answered == Some(version) {
                    return Some(Vec::new());
                }
                self.answered = Some(version);
                // Where nobody learns, a move given back could give a won position away.
                let agree = table.view.learning;
                return Some(vec![self.ask(RequestBody::AnswerTakeback { id, agree })]);
            }
            PhaseView::Playing { turn, .. } if turn == seat => Riddle::Move,
            _ => return None,
        };
        if self.in_flight.is_some() || self.thinking == Some(version) {
            return Some(Vec::new());
        }
        let Some(position) = table.position().map(Box::new) else {
            let text = "this client does not know the rules of this game";
            return Some(vec![say(Tone::Trouble, text), Effect::Stop(Exit::No)]);
        };
        self.thinking = Some(version);
        Some(vec![Effect::Think {
            version,
            position,
            riddle,
            auto,
        }])
    }
}
