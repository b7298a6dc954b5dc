//! The requests of all clients, and the guests as which they sent them.

use std::collections::{HashMap, hash_map};
use std::sync::Arc;

use fibfob_protocol::{CommandId, GuestId, RequestBody, ServerMessage};

use crate::history::{History, Observation};
use crate::violation::Violation;

/// The requests of a run, by client and command id.
pub(crate) struct SentRequests<'a> {
    /// The client of each guest, as its place among the histories.
    clients: HashMap<GuestId, usize>,
    /// The requests of each client, in the order of the histories.
    requests: Vec<HashMap<&'a CommandId, SentRequest<'a>>>,
}

/// One request of a client.
pub(crate) struct SentRequest<'a> {
    pub body: &'a RequestBody,
    /// The order of the first sending.
    pub first: u64,
    /// The order of the first acceptance.
    pub accepted: Option<u64>,
}

impl<'a> SentRequests<'a> {
    pub(crate) fn of(histories: &'a [History], violations: &mut Vec<Violation>) -> Self {
        let mut all = Self {
            clients: HashMap::new(),
            requests: histories.iter().map(|_| HashMap::new()).collect(),
        };
        for (client, history) in histories.iter().enumerate() {
            for entry in &history.entries {
                match &entry.observation {
                    Observation::Sent(request) => {
                        let sent = all.requests[client].entry(&request.id);
                        sent.or_insert(SentRequest {
                            body: &request.body,
                            first: entry.order,
                            accepted: None,
                        });
                    }
                    Observation::Received(message) => match &**message {
                        ServerMessage::Welcome(welcome) => {
                            let other = all.welcomed(welcome.guest, client);
                            violations.extend(other.map(|other| Violation::SharedGuest {
                                guest: welcome.guest,
                                first: histories[other].name.clone(),
                                second: history.name.clone(),
                            }));
                        }
                        ServerMessage::Accepted(accepted) => {
                            if let Some(sent) = all.requests[client].get_mut(&accepted.id) {
                                sent.accepted.get_or_insert(entry.order);
                            }
                        }
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
        all
    }

    /// Notes the client of a guest; another one if the guest is that one's.
    fn welcomed(&mut self, guest: GuestId, client: usize) -> Option<usize> {
        match self.clients.entry(guest) {
            hash_map::Entry::Occupied(known) => Some(*known.get()).filter(|known| *known != client),
            hash_map::Entry::Vacant(new) => {
                new.insert(client);
                None
            }
        }
    }

    pub(crate) fn client(&self, guest: GuestId) -> Option<usize> {
        self.clients.get(&guest).copied()
    }

    /// The request that `guest` sent under this id.
    pub(crate) fn get(&self, guest: GuestId, id: &CommandId) -> Option<&SentRequest<'a>> {
        self.requests[self.client(guest)?].get(id)
    }
}

/// Identifies a message that several viewers share.
pub(crate) fn address(message: &Arc<ServerMessage>) -> *const ServerMessage {
    Arc::as_ptr(message)
}
