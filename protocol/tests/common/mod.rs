//! Sentences about matches: given events, when a command, then an event or a refusal.

#![allow(dead_code, reason = "each test file uses its part")]

use fibfob_games::{GameId, Level};
use fibfob_protocol::{
    Action, ActionContext, Actor, Code, CommandId, Event, FirstMove, GuestId, Match, MatchId,
    MatchRef, Player, PlayerName, Record, RefusalReason, Seat, Terms, TimeControl, Timestamp,
    Version, Visibility,
};
use uuid::Uuid;

pub const WORKED_EXAMPLE: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";
pub const EXPIRES: Timestamp = Timestamp(1_000_000);
pub const GRACE: u64 = 60_000;

pub const ADA: Actor = Actor::Guest(GuestId(Uuid::from_u128(1)));
pub const BO: Actor = Actor::Guest(GuestId(Uuid::from_u128(2)));
pub const EVE: Actor = Actor::Guest(GuestId(Uuid::from_u128(3)));

pub fn player(actor: Actor) -> Player {
    match actor {
        Actor::Guest(guest) => Player::Human {
            guest,
            name: PlayerName::default(),
        },
        Actor::Bot => Player::Bot {
            level: Level::Perfect,
        },
    }
}

pub fn code() -> Code {
    "K7M2QX".parse().unwrap()
}

pub fn match_id() -> MatchId {
    MatchId(Uuid::from_u128(77))
}

pub fn terms(game: &str, start: &str) -> Terms {
    Terms {
        code: code(),
        game: game.parse::<GameId>().unwrap(),
        start: start.to_owned(),
        creator: player(ADA),
        joiner: None,
        first: FirstMove::Creator,
        time: TimeControl::None,
        grace_ms: GRACE,
        visibility: Visibility::Public,
        seat_listed: true,
        learning: false,
        programs: false,
        expires_at: EXPIRES,
        rematch_of: None,
    }
}

pub fn created(terms: Terms) -> Event {
    Event::Created {
        terms: Box::new(terms),
    }
}

pub fn joined() -> Event {
    Event::Joined { player: player(BO) }
}

pub fn moved(seat: Seat, text: &str) -> Event {
    Event::Moved {
        seat,
        text: text.to_owned(),
        charged_until: None,
    }
}

pub fn next() -> MatchRef {
    MatchRef {
        id: match_id().rematch(),
        code: "T4W9BD".parse().unwrap(),
    }
}

pub fn command_id(text: &str) -> CommandId {
    CommandId::try_from(text.to_owned()).unwrap()
}

/// `events` as a log, each answering the command `c{version}`.
pub fn log(events: &[Event]) -> Vec<Record> {
    let record = |(index, event): (usize, &Event)| Record {
        version: Version(index as u64 + 1),
        at: Timestamp(index as u64),
        command: Some(command_id(&format!("c{}", index + 1))),
        event: event.clone(),
    };
    events.iter().enumerate().map(record).collect()
}

/// `events` as a log, each at the instant that stands before it.
pub fn timed(events: &[(u64, Event)]) -> Vec<Record> {
    let (instants, events): (Vec<u64>, Vec<Event>) = events.iter().cloned().unzip();
    let mut records = log(&events);
    for (record, at) in records.iter_mut().zip(instants) {
        record.at = Timestamp(at);
    }
    records
}

pub fn given_at(events: &[(u64, Event)]) -> Match {
    Match::replay(match_id(), &timed(events)).expect("a log that can have been written")
}

pub fn given(events: &[Event]) -> Match {
    Match::replay(match_id(), &log(events)).expect("a log that can have been written")
}

pub fn play(expecting: u64, text: &str) -> Action {
    Action::Play {
        expecting: Version(expecting),
        text: text.to_owned(),
    }
}

/// A moment in which the opponent is connected and a next match exists.
pub fn context() -> ActionContext {
    ActionContext {
        next: Some(next()),
        ..ActionContext::default()
    }
}

#[track_caller]
pub fn decides(live: &Match, actor: Actor, action: &Action, expected: Event) {
    assert_eq!(live.decide(actor, action, &context()), Ok(expected));
}

#[track_caller]
pub fn refuses(live: &Match, actor: Actor, action: &Action, expected: RefusalReason) {
    let refusal = live
        .decide(actor, action, &context())
        .expect_err("a refusal");
    assert_eq!(refusal.reason(), expected, "{refusal}");
}
