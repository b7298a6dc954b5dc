//! For tests: a match on the real match machine, told as the line's keeper would tell it.

use fibfob_games::GameId;
use fibfob_protocol::{
    Accepted, Event, Frame, Limits, Match, MatchId, MatchRef, Player, PlayerName, Presence, Record,
    Refusal, Seat, Terms, TimeControl, Timestamp, Visibility, Welcome,
};
use serde_json::json;

use super::*;
use crate::wire::{News, Update};

/// A match between Ada, who made it and begins, and Bo.
pub struct Fake {
    live: Match,
}

/// Where nobody is asked.
pub fn server() -> ServerUrl {
    ServerUrl::default()
}

fn guest(name: &str) -> GuestId {
    let digit = name[..1].to_lowercase();
    serde_json::from_value(json!(digit.repeat(8) + "-0000-4000-8000-000000000000")).unwrap()
}

fn player(name: &str) -> Player {
    let guest = guest(name);
    let name = PlayerName::try_from(name.to_owned()).unwrap();
    Player::Human { guest, name }
}

/// The match after this many rematches.
pub fn match_ref(number: u8) -> MatchRef {
    let id = format!("{number:08}-1111-4111-8111-111111111111");
    MatchRef {
        id: serde_json::from_value(json!(id)).unwrap(),
        code: ["K7M2QX", "T4W9BD"][usize::from(number)].parse().unwrap(),
    }
}

impl Fake {
    /// A match that nobody has joined.
    pub fn open(game: &str, start: &str) -> Self {
        let game: GameId = game.parse().unwrap();
        let MatchRef { id, code } = match_ref(0);
        let terms = Terms {
            code,
            game,
            start: game.read(start).unwrap().to_string(),
            creator: player("Ada"),
            joiner: None,
            begins: Seat::Creator.into(),
            time: TimeControl::None,
            grace_ms: 120_000,
            visibility: Visibility::Public,
            seat_listed: true,
            learning: false,
            expires_at: Timestamp(1),
            rematch_of: None,
        };
        let terms = Box::new(terms);
        let first = record(Version(1), Event::Created { terms });
        let live = Match::begin(id, &first).unwrap();
        Self { live }
    }

    /// The session of one of the players, or of Cy, who watches; and what it was told first.
    pub fn session(&self, name: &str, auto: Option<Auto>) -> (Session, Vec<Effect>) {
        let role = if name == "Cy" {
            Role::Watcher
        } else {
            Role::Player(auto)
        };
        let mut session = Session::new(server(), role);
        session.reported(Report::Line(LineState::Up));
        session.reported(welcome(name));
        let first = self.told(&record(
            Version(1),
            Event::Created {
                terms: Box::new(self.live.terms().clone()),
            },
        ));
        let mut effects = session.reported(first);
        let entered = news(News::Resumed(self.live.version()));
        effects.extend(session.reported(entered));
        (session, effects)
    }

    /// Bo takes the other seat.
    pub fn joins(&mut self) -> Report {
        self.happens(Event::Joined {
            player: player("Bo"),
        })
    }

    /// Whose turn it is moves.
    pub fn moves(&mut self, text: &str) -> Report {
        let seat = self.live.turn().unwrap();
        let text = text.to_owned();
        self.happens(Event::Moved { seat, text })
    }

    /// Something happens.
    pub fn happens(&mut self, event: Event) -> Report {
        let record = record(self.live.version().next(), event);
        self.live.evolve(&record).unwrap();
        self.told(&record)
    }

    /// Who is connected.
    pub fn presence(&self, connected: &[Seat], spectators: usize) -> Report {
        news(News::Presence(Presence {
            match_id: self.live.id(),
            connected: connected.to_vec(),
            away: Vec::new(),
            spectators,
        }))
    }

    fn told(&self, newest: &Record) -> Report {
        let Frame {
            match_id,
            code,
            happening,
            state,
        } = if newest.version == self.live.version() {
            self.live.frame(newest, 0)
        } else {
            Match::begin(self.live.id(), newest)
                .unwrap()
                .frame(newest, 0)
        };
        let version = happening.version;
        news(News::Update(Box::new(Update {
            id: match_id,
            code,
            events: vec![happening],
            version,
            state,
        })))
    }
}

fn record(version: Version, event: Event) -> Record {
    Record {
        version,
        at: Timestamp(0),
        command: None,
        event,
    }
}

fn news(news: News) -> Report {
    Report::Message {
        raw: None,
        news: Some(news),
    }
}

fn welcome(name: &str) -> Report {
    news(News::Welcome(Box::new(Welcome {
        protocol: "fibfob.v1".to_owned(),
        server: "test".to_owned(),
        guest: guest(name),
        name: name.to_owned(),
        token: format!("secret of {name}"),
        now: Timestamp(0),
        games: Vec::new(),
        limits: Limits {
            message_bytes: 8192,
            name_chars: 24,
            command_id_chars: 64,
            following: 8,
            in_flight: 8,
        },
    })))
}

/// The server did what was asked.
pub fn accepted(ask: Ask, version: u64, next: Option<MatchRef>) -> Report {
    let MatchRef { id, code } = match_ref(0);
    let answer = Accepted {
        id: fibfob_protocol::CommandId::fresh(),
        match_id: Some(id),
        code: Some(code),
        version: Some(Version(version)),
        seat: None,
        next,
    };
    news(News::Accepted { ask, answer })
}

/// The server did not do what was asked.
pub fn refused(ask: Ask, refusal: &Refusal) -> Report {
    let answer = refusal.answer(None);
    news(News::Refused {
        ask: Some(ask),
        answer,
    })
}

/// The line breaks.
pub fn down() -> Report {
    Report::Line(LineState::Down {
        why: "it fell silent".to_owned(),
        again_in: std::time::Duration::from_millis(1500),
        failures: 1,
    })
}

/// The match's id.
pub fn id() -> MatchId {
    match_ref(0).id
}
