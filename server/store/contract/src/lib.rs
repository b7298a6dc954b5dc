//! The contract of store engines: values for their tests, and faults for any engine. The suite that runs
//! against every engine is in `tests/contract`.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test ends at the first failure"
)]

pub mod faulty;
mod filling;

use fibfob_protocol::{
    Code, CommandId, Event, FirstMove, GuestId, Match, MatchId, Player, PlayerName, Record, Seat,
    Terms, TimeControl, Timestamp, Version, Visibility,
};
use fibfob_store::IndexRow;
use uuid::Uuid;

pub use filling::{STAMPS, fill, stamp};

/// A new open match and its first record.
pub fn new_match(number: u64) -> (MatchId, Record, Match) {
    new_match_of(GuestId::fresh(), number)
}

/// A new open match of this creator and its first record.
pub fn new_match_of(creator: GuestId, number: u64) -> (MatchId, Record, Match) {
    let id = MatchId(Uuid::new_v4());
    let terms = Terms {
        code: Code::draw(&mut rand::rng()),
        game: "nim".parse().unwrap(),
        start: "90,4,5".to_owned(),
        creator: Player::Human {
            guest: creator,
            name: PlayerName::default(),
        },
        joiner: None,
        first: FirstMove::Creator,
        time: TimeControl::None,
        grace_ms: 60_000,
        visibility: Visibility::Public,
        seat_listed: true,
        learning: false,
        programs: false,
        expires_at: Timestamp(number + 1_000),
        rematch_of: None,
    };
    let record = Record {
        version: Version(1),
        at: Timestamp(number),
        command: Some(CommandId::fresh()),
        event: Event::Created {
            terms: Box::new(terms),
        },
    };
    let state = Match::begin(id, &record).unwrap();
    (id, record, state)
}

/// Evolves a match by its next event and returns the record.
pub fn next(state: &mut Match, at: u64, event: Event) -> Record {
    let record = Record {
        version: state.version().next(),
        at: Timestamp(at),
        command: None,
        event,
    };
    state.evolve(&record).unwrap();
    record
}

/// The second record of an open match.
pub fn joined(state: &mut Match, at: u64) -> Record {
    joined_by(GuestId::fresh(), state, at)
}

/// The second record of an open match, which this guest joins.
pub fn joined_by(guest: GuestId, state: &mut Match, at: u64) -> Record {
    let player = Player::Human {
        guest,
        name: PlayerName::default(),
    };
    next(state, at, Event::Joined { player })
}

/// The record with which the joiner gives up.
pub fn resigned(state: &mut Match, at: u64) -> Record {
    next(state, at, Event::Resigned { seat: Seat::Joiner })
}

/// Returns the record of a move by the player to move. It changes nothing in the index.
pub fn moved(state: &mut Match, at: u64) -> Record {
    let seat = match state.version().0 % 2 {
        0 => Seat::Creator,
        _ => Seat::Joiner,
    };
    let text = "take 1 from 1".to_owned();
    next(
        state,
        at,
        Event::Moved {
            seat,
            text,
            charged_until: None,
        },
    )
}

/// The index row of a match that was created at this instant.
pub fn index_row(state: &Match, at: u64) -> IndexRow {
    IndexRow::of(state, Timestamp(at))
}
