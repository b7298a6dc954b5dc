//! Test fixture: a match on the real match machine, as the client library would report it.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fibfob_client::MatchUpdate;
use fibfob_games::{Budget, GameId};
use fibfob_protocol::{
    Accepted, Away, Chat, ChatChannel, ChatContent, ChatLine, Event, Limits, Match, MatchId,
    MatchRef, Player, PlayerName, Presence, Record, Refusal, RenamedPlayer, Review, Seat, Terms,
    TimeControl, TimedEvent, Timestamp, Visibility, Welcome,
};
use serde_json::json;

use super::*;

/// A match between Ada, who created it and moves first, and Bo.
pub struct ScriptedMatch {
    live: Match,
    log: Vec<Record>,
    clock: u64,
}

/// The start of the run on the server's clock.
pub const BEGUN_MS: u64 = 1_000_000;

/// The start of the run on the local clock.
pub fn begun() -> Instant {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    *BEGUN.get_or_init(Instant::now)
}

/// The local time this many milliseconds after the start.
pub fn later(millis: u64) -> Instant {
    begun() + Duration::from_millis(millis)
}

/// The address of a server that is never contacted.
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

impl ScriptedMatch {
    /// A match with a free seat.
    pub fn open(game: &str, start: &str) -> Self {
        Self::open_on(game, start, |_| {})
    }

    /// A match with a free seat, on changed terms.
    pub fn open_on(game: &str, start: &str, changed: impl FnOnce(&mut Terms)) -> Self {
        let game: GameId = game.parse().unwrap();
        let MatchRef { id, code } = match_ref(0);
        let mut terms = Terms {
            code,
            game,
            start: game.read(start).unwrap().to_string(),
            creator: player("Ada"),
            joiner: None,
            first: Seat::Creator.into(),
            time: TimeControl::None,
            grace_ms: 120_000,
            visibility: Visibility::Public,
            seat_listed: true,
            learning: false,
            programs: false,
            expires_at: Timestamp(1),
            rematch_of: None,
        };
        changed(&mut terms);
        let terms = Box::new(terms);
        let first = record(Version(1), 0, Event::Created { terms });
        let live = Match::begin(id, &first).unwrap();
        Self {
            live,
            log: vec![first],
            clock: 0,
        }
    }

    /// Sets the time of the next events, in milliseconds after the start.
    pub fn at(&mut self, millis: u64) -> &mut Self {
        self.clock = millis;
        self
    }

    /// The state of the program of a player, or of Cy, who watches, and the effects of the first events.
    pub fn app(&self, name: &str, auto: Option<Autoplay>) -> (AppState, Vec<Effect>) {
        let role = if name == "Cy" {
            UserRole::Watcher
        } else {
            UserRole::Player(auto)
        };
        let mut app = AppState::new(server(), role);
        app.on_event(welcome(name));
        let mut effects = app.on_event(self.first());
        let entered = ClientEvent::Resumed {
            match_id: self.live.id(),
            version: self.live.version(),
        };
        effects.extend(app.on_event(entered));
        (app, effects)
    }

    /// The creation of the match.
    pub fn first(&self) -> ClientEvent {
        let terms = Box::new(self.live.terms().clone());
        self.update(&record(Version(1), 0, Event::Created { terms }))
    }

    /// The updates of a match as one, for somebody who comes back to it.
    pub fn at_once(updates: Vec<ClientEvent>) -> ClientEvent {
        let updates = updates.into_iter().filter_map(|event| match event {
            ClientEvent::Update(update) => Some(update),
            _ => None,
        });
        let joined = updates.reduce(|mut before, update| {
            before.events.extend(update.events);
            Box::new(MatchUpdate {
                events: before.events,
                ..*update
            })
        });
        ClientEvent::Update(joined.unwrap())
    }

    /// Bo joins.
    pub fn joins(&mut self) -> ClientEvent {
        self.happens(Event::Joined {
            player: player("Bo"),
        })
    }

    pub fn is_timed(&self) -> bool {
        !self.live.terms().time.is_none()
    }

    /// Lets both clocks run at once, as in a match that a server before 0.3.0 has begun.
    pub fn runs_clocks(&mut self) -> ClientEvent {
        self.happens(Event::ClocksStarted)
    }

    /// The player to move plays this move.
    pub fn moves(&mut self, text: &str) -> ClientEvent {
        let seat = self.live.turn().unwrap();
        let text = text.to_owned();
        self.happens(Event::Moved {
            seat,
            text,
            charged_until: None,
        })
    }

    /// Applies an event.
    pub fn happens(&mut self, event: Event) -> ClientEvent {
        let record = record(self.live.version().next(), self.clock, event);
        self.live.evolve(&record).unwrap();
        self.log.push(record.clone());
        self.update(&record)
    }

    /// Reviews the match, as a server does.
    pub fn review(&self) -> Review {
        let mut budget = Budget::of_question();
        self.live.review(&self.log, &mut budget).unwrap()
    }

    /// Reports the connected players and the number of spectators.
    pub fn presence(&self, connected: &[Seat], spectators: usize) -> ClientEvent {
        self.absence(connected, &[], spectators)
    }

    /// Reports the connected players, and the absent ones with the time since when, in milliseconds after the start.
    pub fn absence(
        &self,
        connected: &[Seat],
        away: &[(Seat, u64)],
        spectators: usize,
    ) -> ClientEvent {
        let away = away.iter().map(|(seat, millis)| Away {
            seat: *seat,
            since: Timestamp(BEGUN_MS + millis),
        });
        ClientEvent::Presence(Presence {
            match_id: self.live.id(),
            connected: connected.to_vec(),
            away: away.collect(),
            renamed: Vec::new(),
            spectators,
        })
    }

    /// Reports that a player of two connected ones has another name.
    pub fn renamed(&self, seat: Seat, name: &str) -> ClientEvent {
        ClientEvent::Presence(Presence {
            match_id: self.live.id(),
            connected: Seat::BOTH.to_vec(),
            away: Vec::new(),
            renamed: vec![RenamedPlayer {
                seat,
                name: PlayerName::try_from(name.to_owned()).unwrap(),
            }],
            spectators: 0,
        })
    }

    /// Reports a chat line with its number and channel.
    pub fn says(
        &self,
        name: &str,
        number: u64,
        channel: ChatChannel,
        content: ChatContent,
    ) -> ClientEvent {
        let said = ChatLine {
            number,
            at: Timestamp(BEGUN_MS),
            guest: guest(name),
            name: PlayerName::try_from(name.to_owned()).unwrap(),
            content,
        };
        ClientEvent::Chat(Chat {
            match_id: self.live.id(),
            channel,
            lines: vec![said],
        })
    }

    fn update(&self, newest: &Record) -> ClientEvent {
        let state = if newest.version == self.live.version() {
            self.live.view(0)
        } else {
            Match::begin(self.live.id(), newest).unwrap().view(0)
        };
        ClientEvent::Update(Box::new(MatchUpdate {
            match_id: self.live.id(),
            code: self.live.terms().code,
            events: vec![TimedEvent::from(newest)],
            unknown: Vec::new(),
            version: newest.version,
            state,
        }))
    }
}

fn record(version: Version, millis: u64, event: Event) -> Record {
    Record {
        version,
        at: Timestamp(BEGUN_MS + millis),
        command: None,
        event,
    }
}

/// The server greets.
pub fn welcome(name: &str) -> ClientEvent {
    ClientEvent::Connected {
        welcome: Box::new(Welcome {
            protocol: "fibfob.v1".to_owned(),
            server: "test".to_owned(),
            guest: guest(name),
            name: name.to_owned(),
            token: format!("secret of {name}"),
            now: Timestamp(BEGUN_MS),
            public_url: None,
            push_key: None,
            texts: Vec::new(),
            page: None,
            games: Vec::new(),
            limits: Limits {
                message_bytes: 8192,
                name_chars: 24,
                command_id_chars: 64,
                following: 8,
                in_flight: 8,
                ..Limits::default()
            },
        }),
        at: begun(),
    }
}

/// The server's acceptance of a request.
pub fn accepted(ask: RequestBody, version: u64, next: Option<MatchRef>) -> ClientEvent {
    let MatchRef { id, code } = match_ref(0);
    let answer = Accepted {
        match_id: Some(id),
        code: Some(code),
        version: Some(Version(version)),
        next,
        ..Accepted::of(fibfob_protocol::CommandId::fresh())
    };
    ClientEvent::Accepted {
        request: ask,
        answer,
    }
}

/// The server's refusal of a request.
pub fn refused(ask: RequestBody, refusal: &Refusal) -> ClientEvent {
    let answer = refusal.answer(None);
    ClientEvent::Refused {
        request: Some(ask),
        answer,
    }
}

/// The loss of the connection.
pub fn down() -> ClientEvent {
    ClientEvent::Disconnected {
        cause: "it fell silent".to_owned(),
        retry_in: Duration::from_millis(1500),
        failures: 1,
        unanswered: Vec::new(),
    }
}

/// The match's id.
pub fn id() -> MatchId {
    match_ref(0).id
}
