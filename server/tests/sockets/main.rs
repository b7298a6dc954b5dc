//! The server through real sockets: that the parts are joined rightly, and how each kind of
//! bad connection ends. The promises between whole programs are tested elsewhere.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by a panic"
)]

mod addresses;
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
#[path = "../bench/mod.rs"]
mod bench;
mod door;
mod floods;
mod forgery;
mod half_open;
mod limits;
mod matches;
mod panics;
mod raw;
mod slow;
mod trouble;
mod words;

use fibfob_server::{Config, Rate};

use fibfob_protocol::{Code, FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};

fn nim(start: &str, opponent: Opponent) -> MatchSetup {
    MatchSetup {
        start: Start::Position(start.to_owned()),
        opponent,
        first: FirstMoveRule::Me,
        ..MatchSetup::of("nim")
    }
}

fn join(code: Code) -> RequestBody {
    let code = code.to_string();
    RequestBody::Join { code }
}

/// A server on which nobody is ever too fast.
fn unhurried() -> Config {
    let rate = Rate {
        per_second: 1_000_000,
        burst: 1_000_000,
    };
    Config {
        rate,
        address_rate: rate,
        ..Config::default()
    }
}
