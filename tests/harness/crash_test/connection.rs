//! One connection of a client: sends no more at once than the server allows, and records every
//! message.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use fibfob_client::{Connection, ConnectionError};
use fibfob_history::{ConnectionRecorder, makes_event};
use fibfob_protocol::{ClientMessage, CommandId, Request, ServerMessage, Welcome};

use super::counters::Counters;

/// A connection whose messages are recorded.
pub(super) struct RecordedConnection {
    connection: Connection,
    recorder: ConnectionRecorder,
    counters: Arc<Counters>,
    /// The bound on unanswered requests, from `welcome`.
    in_flight_max: usize,
    unanswered: HashSet<CommandId>,
    /// The unanswered requests that are commands.
    commands: HashSet<CommandId>,
    waiting: VecDeque<Request>,
}

impl RecordedConnection {
    pub(super) fn new(
        connection: Connection,
        welcome: &Welcome,
        recorder: ConnectionRecorder,
        counters: Arc<Counters>,
    ) -> Self {
        Self {
            connection,
            recorder,
            counters,
            in_flight_max: welcome.limits.in_flight,
            unanswered: HashSet::new(),
            commands: HashSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Queues a request until the server takes it.
    pub(super) fn queue(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Sends as many queued requests as the server takes.
    pub(super) async fn send_queued(&mut self) -> Result<(), ConnectionError> {
        while self.unanswered.len() < self.in_flight_max
            && let Some(request) = self.waiting.pop_front()
        {
            let id = request.id.clone();
            self.recorder.sent(request.clone());
            if makes_event(&request.body) && self.commands.insert(id.clone()) {
                self.counters.sent();
            }
            self.unanswered.insert(id);
            self.connection
                .send(&ClientMessage::Request(request))
                .await?;
        }
        Ok(())
    }

    /// Receives and records the next message.
    pub(super) async fn receive(&mut self) -> Result<Arc<ServerMessage>, ConnectionError> {
        loop {
            let text = self.connection.receive_text().await?;
            fibfob_wire_properties::record("server", &text);
            // The history checker reports a text that is no message.
            let Some(message) = self.recorder.received(&text) else {
                continue;
            };
            match &*message {
                ServerMessage::Accepted(accepted) => self.answered(&accepted.id),
                ServerMessage::Refused(refused) => {
                    if let Some(id) = &refused.id {
                        self.answered(id);
                    }
                }
                _ => {}
            }
            return Ok(message);
        }
    }

    fn answered(&mut self, id: &CommandId) {
        self.unanswered.remove(id);
        if self.commands.remove(id) {
            self.counters.landed(1);
            self.counters.answered();
        }
    }
}

impl Drop for RecordedConnection {
    /// No answer comes on a broken connection.
    fn drop(&mut self) {
        self.counters.landed(self.commands.len());
    }
}
