//! A match against the bot without a server: the same match machine, in this process.
//!
//! It takes the requests that a server takes, and reports the events that the client library reports, so
//! nothing above it knows the difference. Nothing is stored.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fibfob_client::{ClientEvent, MatchUpdate};
use fibfob_games::{Budget, GameId, Level};
use fibfob_protocol::{
    Accepted, Action, ActionContext, Actor, CHAT_CHARS_MAX, COMMAND_ID_MAX, Code, CommandId,
    CorruptLog, Event, GuestId, Limits, MESSAGE_BYTES_MAX, Match, MatchId, MatchRef, MatchSetup,
    NAME_CHARS_MAX, Opponent, Player, PlayerName, Presence, QueryResult, Record, Refusal,
    RenamedPlayer, RequestBody, SUBPROTOCOL, Seat, ServerDefaults, ServerMessage,
    TAKEBACK_OFFERS_MAX, Terms, TimedEvent, Timestamp, Version, Welcome,
};

use crate::local_time::{CLOCK, now, sleep_until};
use crate::solver::{Search, found_by, search};

/// The time that a match without a server may wait for an opponent, who is there at once.
const EXPIRES_AFTER_MS: u64 = 60_000;

/// The grace period; the bot is never away.
const GRACE_MS: u64 = 120_000;

/// A match in this process, and its bot.
#[derive(Debug)]
pub struct LocalMatch {
    me: GuestId,
    level: Level,
    pause: Duration,
    current: Match,
    /// Its events, for the record.
    log: Vec<Record>,
    next: Option<Match>,
    /// The events that were not taken yet.
    events: VecDeque<ClientEvent>,
    /// The bot, while it looks for its step.
    thinking: Option<Search>,
    /// The match and version that the bot has already considered. A refused step is not tried again, because
    /// the position would lead to the same one.
    considered: Option<(MatchId, Version)>,
    renamed: Option<PlayerName>,
}

impl LocalMatch {
    /// Makes a match between this guest, of this name, and the bot, which pauses before each step. Or returns
    /// the refusal that a server would give; also for any other opponent.
    pub fn create(
        setup: &MatchSetup,
        (me, name): (GuestId, PlayerName),
        pause: Duration,
    ) -> Result<Self, Refusal> {
        let level = match &setup.opponent {
            Opponent::Bot(level) => *level,
            Opponent::Open | Opponent::Friend => return Err(Refusal::Unavailable),
        };
        let rng = &mut rand::rng();
        let now = now();
        let defaults = ServerDefaults {
            expires_at: Timestamp(now.0.saturating_add(EXPIRES_AFTER_MS)),
            grace_ms: GRACE_MS,
        };
        let welcome = Box::new(Welcome {
            protocol: SUBPROTOCOL.to_owned(),
            server: "none".to_owned(),
            guest: me,
            name: name.to_string(),
            token: String::new(),
            now,
            public_url: None,
            push_key: None,
            texts: Vec::new(),
            page: None,
            games: GameId::ALL.iter().map(ToString::to_string).collect(),
            limits: limits(),
        });
        let at = Instant::now();
        let player = Player::Human { guest: me, name };
        let terms = setup.draw(player, Code::draw(rng), defaults, rng)?;
        let id = MatchId::created_by(me, &CommandId::fresh());
        let mut local = Self {
            me,
            level,
            pause,
            current: create_match(id, terms)?,
            log: Vec::new(),
            next: None,
            events: VecDeque::from([ClientEvent::Connected { welcome, at }]),
            thinking: None,
            considered: None,
            renamed: None,
        };
        local.accept(RequestBody::Create(setup.clone()));
        local.enter();
        Ok(local)
    }

    /// Takes a request; the answer is among the next events.
    pub fn request(&mut self, ask: RequestBody) {
        let RequestBody::Act { action, .. } = &ask else {
            return match ask {
                // The match was made before anything could be asked.
                RequestBody::Create(_) => {}
                RequestBody::Review { .. } => self.review(ask),
                RequestBody::Mute { .. } | RequestBody::Leave { .. } => self.accept(ask),
                _ => self.refuse(ask, &Refusal::Unavailable),
            };
        };
        self.apply_due_events();
        match self.act(Actor::Guest(self.me), action) {
            Ok(()) => self.accept(ask),
            Err(refusal) => self.refuse(ask, &refusal),
        }
    }

    fn review(&mut self, ask: RequestBody) {
        match self.current.review(&self.log, &mut Budget::of_question()) {
            Ok(answer) => {
                let review = QueryResult {
                    id: CommandId::fresh(),
                    match_id: self.current.id(),
                    answer,
                };
                let answer = ClientEvent::Answer(ServerMessage::Review(review));
                self.events.push_back(answer);
            }
            Err(refusal) => self.refuse(ask, &refusal),
        }
    }

    pub fn follow(&mut self, id: MatchId) {
        if let Some(next) = self.next.take_if(|next| next.id() == id) {
            self.current = next;
            self.log.clear();
            self.thinking = None;
            self.enter();
        }
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> ClientEvent {
        loop {
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            if self.thinking.is_none() && self.considered != self.newest() {
                self.considered = self.newest();
                let (current, level) = (self.current.clone(), self.level);
                self.thinking = Some(search(self.pause, move || {
                    current.bot_action(level, &mut Budget::of_move(), &mut rand::rng())
                }));
            }
            let deadline = self.current.deadline();
            tokio::select! {
                found = found_by(&mut self.thinking) => {
                    self.apply_due_events();
                    // The user may have done something meanwhile; then the bot thinks again.
                    if let Some(action) = found && self.considered == self.newest() {
                        let _ = self.act(Actor::Bot, &action);
                    }
                }
                () = sleep_until(deadline.and_then(|it| CLOCK.instant(it))) => self.apply_due_events(),
            }
        }
    }

    fn newest(&self) -> Option<(MatchId, Version)> {
        Some((self.current.id(), self.current.version()))
    }

    fn act(&mut self, actor: Actor, action: &Action) -> Result<(), Refusal> {
        let mut context = ActionContext::default();
        if *action == Action::AcceptRematch {
            self.current.may_accept_rematch(actor)?;
            let (id, code) = (self.current.id().rematch(), Code::draw(&mut rand::rng()));
            self.next = Some(create_match(id, self.current.rematch_terms(code)?)?);
            context.next = Some(MatchRef { id, code });
        }
        let event = self.current.decide(actor, action, &context)?;
        self.apply(event).map_err(|_| Refusal::Unavailable)
    }

    fn apply_due_events(&mut self) {
        while let Some(event) = self.current.due(now()) {
            if self.apply(event).is_err() {
                return;
            }
        }
    }

    fn apply(&mut self, event: Event) -> Result<(), CorruptLog> {
        let record = record(self.current.version().next(), event);
        self.current.evolve(&record)?;
        self.report(&record);
        self.log.push(record);
        Ok(())
    }

    fn enter(&mut self) {
        let (match_id, version) = (self.current.id(), self.current.version());
        self.events
            .push_back(ClientEvent::Resumed { match_id, version });
        let terms = Box::new(self.current.terms().clone());
        let created = record(version, Event::Created { terms });
        self.report(&created);
        self.log.push(created);
        self.report_presence();
        self.apply_due_events();
    }

    /// Takes another name, which the rematch has, too.
    pub fn rename(&mut self, name: PlayerName) {
        self.renamed = Some(name);
        self.report_presence();
    }

    fn report_presence(&mut self) {
        let renamed = self.seat().zip(self.renamed.clone());
        let renamed = renamed.map(|(seat, name)| RenamedPlayer { seat, name });
        self.events.push_back(ClientEvent::Presence(Presence {
            match_id: self.current.id(),
            connected: Seat::BOTH.to_vec(),
            away: Vec::new(),
            renamed: renamed.into_iter().collect(),
            spectators: 0,
        }));
    }

    fn seat(&self) -> Option<Seat> {
        self.current.seat_of(Actor::Guest(self.me))
    }

    fn report(&mut self, newest: &Record) {
        let update = MatchUpdate {
            match_id: self.current.id(),
            code: self.current.terms().code,
            events: vec![TimedEvent::from(newest)],
            unknown: Vec::new(),
            version: newest.version,
            state: self.current.view_for(self.seat(), 0),
        };
        self.events.push_back(ClientEvent::Update(Box::new(update)));
    }

    fn accept(&mut self, request: RequestBody) {
        let answer = Accepted {
            match_id: Some(self.current.id()),
            code: Some(self.current.terms().code),
            version: Some(self.current.version()),
            seat: self.seat(),
            ..Accepted::of(CommandId::fresh())
        };
        self.events
            .push_back(ClientEvent::Accepted { request, answer });
    }

    fn refuse(&mut self, request: RequestBody, refusal: &Refusal) {
        let answer = refusal.answer(None);
        let request = Some(request);
        self.events
            .push_back(ClientEvent::Refused { request, answer });
    }
}

/// The bounds of a match in this process: those of the protocol. Lines here have no rate, and no connection
/// falls silent.
fn limits() -> Limits {
    let unbounded = u32::MAX;
    Limits {
        message_bytes: MESSAGE_BYTES_MAX,
        name_chars: NAME_CHARS_MAX,
        command_id_chars: COMMAND_ID_MAX,
        chat_chars: CHAT_CHARS_MAX,
        following: 1,
        following_over: 1,
        behind: 1,
        in_flight: 1,
        per_second: unbounded,
        burst: unbounded,
        read_per_second: unbounded,
        read_burst: unbounded,
        chat_per_second: unbounded,
        chat_burst: unbounded,
        silent_ms: unbounded,
        matches: 1,
        seats: 1,
        takebacks: TAKEBACK_OFFERS_MAX,
    }
}

fn create_match(id: MatchId, terms: Terms) -> Result<Match, Refusal> {
    let terms = Box::new(terms);
    let first = record(Version(1), Event::Created { terms });
    Match::begin(id, &first).map_err(|_| Refusal::Unavailable)
}

fn record(version: Version, event: Event) -> Record {
    Record {
        version,
        at: now(),
        command: None,
        event,
    }
}

#[cfg(test)]
mod tests;
