//! The client's side of the protocol, without a socket or a clock.
//!
//! After a lost connection, the next one has the same identity, resumes each followed match after the last
//! version seen, and sends unanswered requests again. Events seen before are dropped. A gap in the versions,
//! which the protocol rules out, makes it resume.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fibfob_protocol::{
    Accepted, ClientMessage, CommandId, Goodbye, Hello, LobbyList, MatchId, RefusalReason, Refused,
    Request, RequestBody, ServerMessage, Welcome,
};

use crate::event::{ClientEvent, MatchLost, StopReason};
use crate::incoming::{Incoming, parse};
use crate::outbox::{Outbox, enters};

mod following;

use following::{FollowState, ResumeState};

/// The wait before a `resume` that was refused with `retry` is sent again.
const RESUME_PAUSE: Duration = Duration::from_millis(500);

/// The state of a client across connections.
#[derive(Debug)]
pub(crate) struct ClientState {
    /// The next `hello`.
    pub(crate) hello: Hello,
    connection: ConnectionPhase,
    pub(crate) outbox: Outbox,
    following: BTreeMap<MatchId, FollowState>,
    /// The newest lobby, to which changes apply.
    lobby: LobbyList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    Closed,
    /// `hello` is to be sent.
    Opened,
    /// `welcome` is expected.
    Greeting,
    /// Requests may be sent, at most this many without an answer.
    Open {
        in_flight: usize,
    },
}

/// The result of a message from the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handled {
    /// Set if the message holds no secret and is not a repetition.
    pub(crate) public: bool,
    pub(crate) event: Option<ClientEvent>,
}

impl Handled {
    /// A message whose text programs may read.
    pub(crate) fn public(event: ClientEvent) -> Self {
        Self {
            event: Some(event),
            ..Self::silent()
        }
    }

    /// A message that makes no event.
    fn silent() -> Self {
        Self {
            public: true,
            ..Self::default()
        }
    }
}

impl ClientState {
    pub(crate) fn new(hello: Hello) -> Self {
        Self {
            hello,
            connection: ConnectionPhase::Closed,
            outbox: Outbox::default(),
            following: BTreeMap::new(),
            lobby: LobbyList::default(),
        }
    }

    pub(crate) fn on_connected(&mut self) {
        self.connection = ConnectionPhase::Opened;
    }

    pub(crate) fn on_disconnected(&mut self) {
        self.connection = ConnectionPhase::Closed;
        self.outbox.on_disconnected();
        for following in self.following.values_mut() {
            following.resume = ResumeState::Due(None);
        }
    }

    /// The next text to send.
    pub(crate) fn next(&mut self, now: Instant) -> Option<String> {
        let in_flight = match self.connection {
            ConnectionPhase::Closed | ConnectionPhase::Greeting => return None,
            ConnectionPhase::Opened => {
                self.connection = ConnectionPhase::Greeting;
                return Some(ClientMessage::Hello(self.hello.clone()).write());
            }
            ConnectionPhase::Open { in_flight } => in_flight,
        };
        let resumes = self.following.values();
        let sent = resumes.filter(|it| matches!(it.resume, ResumeState::Sent(_)));
        let room = in_flight.saturating_sub(sent.count());
        let is_full = self.outbox.in_flight() >= room;
        let request = match self.next_resume(now) {
            // It is sent when another request has its answer.
            Some(_) if is_full => return None,
            Some((id, following)) => {
                let command = CommandId::fresh();
                following.resume = ResumeState::Sent(command.clone());
                let since = following.seen;
                Request {
                    id: command,
                    body: RequestBody::Resume { id, since },
                }
            }
            None => self.outbox.next(now, room)?.clone(),
        };
        Some(ClientMessage::Request(request).write())
    }

    /// Returns when [`ClientState::next`] must be called even if nothing was received.
    pub(crate) fn wake(&self) -> Option<Instant> {
        let resumes = self.following.values().filter_map(|it| match it.resume {
            ResumeState::Due(at) => at,
            ResumeState::Done | ResumeState::Sent(_) => None,
        });
        resumes.chain(self.outbox.wake()).min()
    }

    /// Returns true if the server has greeted the client on this connection.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.connection, ConnectionPhase::Open { .. })
    }

    /// Returns true if a request that was sent on this connection has no answer.
    pub(crate) fn is_waiting(&self) -> bool {
        let is_sent = |it: &FollowState| matches!(it.resume, ResumeState::Sent(_));
        self.outbox.in_flight() > 0 || self.following.values().any(is_sent)
    }

    /// Returns true if a followed match in play has clocks.
    pub(crate) fn has_running_clock(&self) -> bool {
        self.following.values().any(|it| it.is_timed)
    }

    pub(crate) fn on_text(&mut self, text: &str, now: Instant) -> Handled {
        let message = match parse(text) {
            Ok(Incoming::Message(message)) => message,
            Ok(Incoming::Events(batch)) => return self.events(*batch),
            // A program may know this kind of message of a newer server.
            Ok(Incoming::Unknown(kind)) => return Handled::public(ClientEvent::Unknown(kind)),
            Err(error) => {
                let reason = StopReason::Unreadable(error.to_string());
                return Handled::public(ClientEvent::Stopped(reason));
            }
        };
        match message {
            ServerMessage::Welcome(welcome) => self.on_welcome(welcome, now),
            ServerMessage::Accepted(answer) => self.on_accepted(answer),
            ServerMessage::Refused(answer) => self.on_refused(answer, now),
            ServerMessage::Presence(presence) => Handled::public(ClientEvent::Presence(presence)),
            ServerMessage::Chat(talk) if self.following.contains_key(&talk.match_id) => {
                Handled::public(ClientEvent::Chat(talk))
            }
            ServerMessage::Chat(_) => Handled::default(),
            ServerMessage::Lobby(lobby) => {
                self.lobby = lobby.clone();
                Handled::public(ClientEvent::Lobby(lobby))
            }
            ServerMessage::LobbyChange(change) => {
                self.lobby.apply(&change);
                Handled::public(ClientEvent::Lobby(self.lobby.clone()))
            }
            ServerMessage::MatchesChange(change) => {
                Handled::public(ClientEvent::MatchesChange(change))
            }
            ServerMessage::Notice(notice) => Handled::public(ClientEvent::Notice(notice)),
            ServerMessage::Goodbye(goodbye) => Handled::public(goodbye_event(goodbye)),
            // `parse` returns these as events.
            ServerMessage::Frame(_) | ServerMessage::Snapshot(_) => Handled::silent(),
            answer => self.on_answer(answer),
        }
    }

    fn on_welcome(&mut self, welcome: Box<Welcome>, now: Instant) -> Handled {
        self.hello.token = Some(welcome.token.clone());
        let in_flight = welcome.limits.in_flight.max(1);
        self.connection = ConnectionPhase::Open { in_flight };
        Handled {
            event: Some(ClientEvent::Connected { welcome, at: now }),
            ..Handled::default()
        }
    }

    fn on_accepted(&mut self, answer: Accepted) -> Handled {
        if let Some((match_id, following)) = self.resumed_by(&answer.id) {
            following.resume = ResumeState::Done;
            let seen = following.seen;
            let version = answer.version.unwrap_or(seen);
            return Handled::public(match version < seen {
                true => {
                    let now = version;
                    let cause = MatchLost::EventsMissing { seen, now };
                    self.lose_match(match_id, cause)
                }
                false => ClientEvent::Resumed { match_id, version },
            });
        }
        let Some(request) = self.outbox.take_answered(&answer.id) else {
            return Handled::default();
        };
        match (&request, answer.match_id) {
            (RequestBody::Leave { id }, _) => {
                self.following.remove(id);
            }
            (request, Some(id)) if enters(request) => self.on_entered(id),
            _ => {}
        }
        Handled::public(ClientEvent::Accepted { request, answer })
    }

    fn on_answer(&mut self, answer: ServerMessage) -> Handled {
        let id = answer.answers();
        if id.and_then(|id| self.outbox.take_answered(id)).is_none() {
            return Handled::default();
        }
        // Programs may not read a secret as it was received.
        let is_secret = matches!(
            answer,
            ServerMessage::DeviceCode(_) | ServerMessage::Identity(_)
        );
        Handled {
            public: !is_secret,
            event: Some(ClientEvent::Answer(answer)),
        }
    }

    fn on_refused(&mut self, answer: Refused, now: Instant) -> Handled {
        if !self.is_open() {
            if answer.retry {
                // `welcome` does not come in time, and the next connection says `hello` again.
                return Handled::silent();
            }
            let reason = match answer.reason {
                RefusalReason::BadToken | RefusalReason::Forgotten => {
                    StopReason::UnknownIdentity(answer.message)
                }
                RefusalReason::SignedOut => StopReason::SignedOut(answer.message),
                _ => StopReason::HelloRefused(answer.message),
            };
            return Handled::public(ClientEvent::Stopped(reason));
        }
        let Some(id) = answer.id.clone() else {
            return Handled::public(ClientEvent::Refused {
                request: None,
                answer,
            });
        };
        if let Some((match_id, following)) = self.resumed_by(&id) {
            if answer.retry {
                following.resume = ResumeState::Due(Some(now + RESUME_PAUSE));
                return Handled::silent();
            }
            if answer.reason == RefusalReason::LeftMeanwhile {
                self.following.remove(&match_id);
                return Handled::silent();
            }
            return Handled::public(self.lose_match(match_id, MatchLost::Refused(answer)));
        }
        let pause = Duration::from_millis(answer.retry_after_ms.unwrap_or_default());
        if answer.retry
            && let Some(request) = self.outbox.postpone(&id, pause, now)
        {
            let request = request.clone();
            return Handled::public(ClientEvent::Postponed { request, answer });
        }
        match self.outbox.take_answered(&id) {
            Some(request) => Handled::public(ClientEvent::Refused {
                request: Some(request),
                answer,
            }),
            None => Handled::default(),
        }
    }
}

fn goodbye_event(goodbye: Goodbye) -> ClientEvent {
    let message = goodbye.message;
    match goodbye.retry_after_ms {
        Some(millis) => ClientEvent::Goodbye {
            message,
            retry_after: Duration::from_millis(millis),
        },
        None => ClientEvent::Stopped(StopReason::Dismissed(message)),
    }
}

#[cfg(test)]
mod tests;
