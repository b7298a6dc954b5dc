//! What this client says to a server and makes of the answers, without a socket or a clock.
//!
//! After a line breaks, the next one begins with the same identity, goes on after the last
//! version seen, and repeats what was not answered. What was seen before is passed over in
//! silence; a hole in the versions, which the protocol rules out, is asked for again.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fibfob_protocol::{
    Accepted, ClientMessage, CommandId, Hello, MatchId, RefusalReason, Refused, Request,
    RequestBody, SUBPROTOCOL, ServerMessage, Version, Welcome,
};

use super::news::{Fault, Heard, News, Update, sent_away};
use super::outbox::{Full, Outbox};
use super::reading::{Read, Told, read};

/// The wait before a `resume` that was refused for now is sent again.
const RESUME_PAUSE: Duration = Duration::from_millis(500);

/// One side of the protocol.
#[derive(Debug)]
pub struct Conversation {
    name: Option<String>,
    token: Option<String>,
    line: LineState,
    outbox: Outbox,
    following: Option<Following>,
    /// What goes before any command: at most a `hello` or a `resume`.
    first: VecDeque<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    Down,
    /// `hello` is said, `welcome` not heard.
    Greeting,
    Open {
        in_flight: usize,
    },
}

#[derive(Clone, Debug)]
struct Following {
    id: MatchId,
    seen: Version,
    resume: Resume,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Resume {
    /// The server sends us this match.
    Done,
    /// Asked for under this id.
    Asked(CommandId),
    /// To be asked for again then.
    Later(Instant),
}

impl Conversation {
    /// A conversation of a guest (anew, or the one of this token) about a match, if one is
    /// known already.
    pub fn new(name: Option<String>, token: Option<String>, following: Option<MatchId>) -> Self {
        Self {
            name,
            token,
            line: LineState::Down,
            outbox: Outbox::default(),
            following: following.map(Following::from_the_first),
            first: VecDeque::new(),
        }
    }

    /// A line stands: greet.
    pub fn opened(&mut self) {
        self.line = LineState::Greeting;
        let hello = ClientMessage::Hello(Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: self.name.clone(),
            token: self.token.clone(),
        });
        self.first = VecDeque::from([hello.write()]);
    }

    /// The line broke.
    pub fn broke(&mut self) {
        self.line = LineState::Down;
        self.first.clear();
        self.outbox.line_broke();
    }

    /// Takes a command.
    ///
    /// # Errors
    /// [`Full`]; it is then not taken.
    pub fn ask(&mut self, ask: RequestBody) -> Result<(), Full> {
        self.outbox.push(ask)
    }

    /// Follows another match instead, from its first event.
    pub fn follow(&mut self, id: MatchId) {
        self.following = Some(Following::from_the_first(id));
        if let LineState::Open { .. } = self.line {
            self.resume();
        }
    }

    /// The next text to send, if any.
    pub fn next(&mut self, now: Instant) -> Option<String> {
        if let Some(text) = self.first.pop_front() {
            return Some(text);
        }
        let LineState::Open { in_flight } = self.line else {
            return None;
        };
        if matches!(&self.following, Some(Following { resume: Resume::Later(at), .. }) if *at <= now)
        {
            self.resume();
            return self.first.pop_front();
        }
        let request = self.outbox.next(now, in_flight)?;
        Some(ClientMessage::Request(request.clone()).write())
    }

    /// When [`Conversation::next`] is to be asked again though nothing was heard.
    pub fn wake(&self) -> Option<Instant> {
        let resume = match &self.following {
            Some(Following {
                resume: Resume::Later(at),
                ..
            }) => Some(*at),
            _ => None,
        };
        resume.into_iter().chain(self.outbox.wake()).min()
    }

    /// Whether every command was answered.
    pub fn is_settled(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Whether the server has welcomed us on this line.
    pub fn is_open(&self) -> bool {
        matches!(self.line, LineState::Open { .. })
    }

    /// Takes a text from the server.
    pub fn heard(&mut self, text: &str, now: Instant) -> Heard {
        let message = match read(text) {
            Ok(Read::Message(message)) => message,
            Ok(Read::Told(told)) => return self.told(*told),
            // A kind of message of a newer server: a program may know it.
            Ok(Read::Unknown(kind)) => return Heard::public(News::Unknown(kind)),
            Err(fault) => return Heard::public(News::Fault(fault)),
        };
        match message {
            ServerMessage::Welcome(welcome) => self.welcomed(*welcome, now),
            ServerMessage::Accepted(answer) => self.accepted(answer),
            ServerMessage::Refused(answer) => self.refused(answer, now),
            ServerMessage::Presence(presence) => Heard::public(News::Presence(presence)),
            ServerMessage::Chat(talk) => match &self.following {
                Some(following) if following.id == talk.match_id => Heard::public(News::Chat(talk)),
                _ => Heard::default(),
            },
            ServerMessage::Lobby(lobby) => Heard::public(News::Lobby(lobby)),
            ServerMessage::Goodbye(goodbye) => Heard::public(sent_away(goodbye)),
            // This client never asks: it has the solver itself.
            ServerMessage::Preview(_) | ServerMessage::Analysis(_) | ServerMessage::Review(_)
            // These were read as what they tell.
            | ServerMessage::Frame(_) | ServerMessage::Snapshot(_) => Heard {
                public: true,
                news: None,
            },
        }
    }

    fn welcomed(&mut self, welcome: Welcome, now: Instant) -> Heard {
        self.token = Some(welcome.token.clone());
        // One place is kept for `resume`.
        let in_flight = welcome.limits.in_flight.saturating_sub(1).max(1);
        self.line = LineState::Open { in_flight };
        self.resume();
        Heard {
            public: false,
            news: Some(News::Welcome {
                welcome: Box::new(welcome),
                at: now,
            }),
        }
    }

    fn resume(&mut self) {
        if let Some(following) = &mut self.following {
            let id = CommandId::fresh();
            following.resume = Resume::Asked(id.clone());
            let ask = RequestBody::Resume {
                id: following.id,
                since: following.seen,
            };
            let request = ClientMessage::Request(Request { id, body: ask });
            self.first.push_back(request.write());
        }
    }

    fn accepted(&mut self, answer: Accepted) -> Heard {
        if let Some(following) = self.following_asked(Some(&answer.id)) {
            following.resume = Resume::Done;
            let (seen, now) = (following.seen, answer.version.unwrap_or(following.seen));
            return Heard::public(match now < seen {
                true => News::Fault(Fault::HistoryLost { seen, now }),
                false => News::Resumed(now),
            });
        }
        let Some(ask) = self.outbox.answered(&answer.id) else {
            return Heard::default();
        };
        let enters = matches!(
            ask,
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. }
        );
        if let (true, Some(id)) = (enters, answer.match_id) {
            self.entered(id);
        }
        Heard::public(News::Accepted { ask, answer })
    }

    fn refused(&mut self, answer: Refused, now: Instant) -> Heard {
        if !self.is_open() {
            if answer.retry {
                // `welcome` does not come in time, and the next line says `hello` again.
                return Heard {
                    public: true,
                    news: None,
                };
            }
            let fault = match answer.reason {
                RefusalReason::BadToken => Fault::UnknownIdentity(answer.message),
                _ => Fault::NotWelcome(answer.message),
            };
            return Heard::public(News::Fault(fault));
        }
        if let Some(following) = self.following_asked(answer.id.as_ref()) {
            if answer.retry {
                following.resume = Resume::Later(now + RESUME_PAUSE);
                return Heard {
                    public: true,
                    news: None,
                };
            }
            return Heard::public(News::Fault(Fault::MatchLost(answer.message)));
        }
        let Some(id) = answer.id.clone() else {
            return Heard::public(News::Refused { ask: None, answer });
        };
        if let (true, Some(ask)) = (answer.retry, self.outbox.refused_for_now(&id, now)) {
            let ask = ask.clone();
            return Heard::public(News::Postponed { ask, answer });
        }
        match self.outbox.answered(&id) {
            Some(ask) => Heard::public(News::Refused {
                ask: Some(ask),
                answer,
            }),
            None => Heard::default(),
        }
    }

    fn told(&mut self, told: Told) -> Heard {
        if self.following.is_none() {
            self.entered(told.id);
        }
        let Some(following) = self.following.as_mut().filter(|it| it.id == told.id) else {
            return Heard::default();
        };
        let Told {
            id,
            code,
            version,
            mut versions,
            mut events,
            unknown,
            state,
        } = told;
        let seen = following.seen;
        if version < seen || (version == seen && !versions.is_empty()) {
            return Heard::default();
        }
        versions.retain(|version| *version > seen);
        events.retain(|event| event.version > seen);
        let gapless = (seen.0 + 1..=version.0).eq(versions.iter().map(|version| version.0));
        if !gapless {
            if following.resume == Resume::Done {
                self.resume();
            }
            return Heard::default();
        }
        following.seen = version;
        match state {
            Ok(state) => Heard::public(News::Update(Box::new(Update {
                id,
                code,
                events,
                unknown,
                version,
                state,
            }))),
            Err(name) => Heard::public(News::Unknown(name)),
        }
    }

    /// We follow this match now, if not already.
    fn entered(&mut self, id: MatchId) {
        if self.following.as_ref().is_none_or(|it| it.id != id) {
            self.following = Some(Following {
                resume: Resume::Done,
                ..Following::from_the_first(id)
            });
        }
    }

    /// The followed match, if its `resume` has this id.
    fn following_asked(&mut self, id: Option<&CommandId>) -> Option<&mut Following> {
        let asked = |it: &Following| matches!((&it.resume, id), (Resume::Asked(asked), Some(id)) if asked == id);
        self.following.as_mut().filter(|it| asked(it))
    }
}

impl Following {
    fn from_the_first(id: MatchId) -> Self {
        Self {
            id,
            seen: Version(0),
            resume: Resume::Done,
        }
    }
}

#[cfg(test)]
mod tests;
