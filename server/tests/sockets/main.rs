//! The server over real sockets: its parts together, and the end of each kind of bad connection.
//! The promises between whole programs are tested elsewhere.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

mod addresses;
mod calls;
mod chat;
mod devices;
mod disk;
mod failures;
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
#[path = "../fixture/mod.rs"]
mod fixture;
mod floods;
mod forgery;
mod half_open;
mod jobs;
mod learning;
mod limits;
mod malformed;
mod matches;
mod panics;
mod programs;
mod raw;
mod routes;
mod sizes;
mod slow;
mod upgrade;
mod viewers;

use fibfob_server::{Config, Rate};

use fibfob_protocol::{Code, FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};

fn nim(start: &str, opponent: Opponent) -> MatchSetup {
    MatchSetup {
        start: Start::Position(start.to_owned()),
        opponent,
        first: FirstMoveRule::Me,
        ..MatchSetup::new("nim")
    }
}

fn join(code: Code) -> RequestBody {
    let code = code.to_string();
    RequestBody::Join { code }
}

/// A configuration without an effective rate limit.
fn unhurried() -> Config {
    let rate = Rate {
        per_second: 1_000_000,
        burst: 1_000_000,
    };
    Config {
        rate,
        address_rate: rate,
        matches_per_address: 1_000_000,
        ..Config::default()
    }
}
