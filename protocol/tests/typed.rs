//! Codes and moves as phones and word processors write them: `typed.jsonl` has cases that the page reads, too.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use fibfob_games::{GameId, normalise_typed};
use fibfob_protocol::Code;
use serde_json::Value;

#[test]
fn typed_codes_and_moves_are_read() {
    let position = GameId::FibFob.read(GameId::FibFob.info().example).unwrap();
    let mut moves = 0;
    for case in include_str!("typed.jsonl").lines() {
        let case: Value = serde_json::from_str(case).unwrap();
        let typed = case["typed"].as_str().unwrap();
        if let Some(expected) = case["code"].as_str() {
            let read: Code = typed
                .parse()
                .unwrap_or_else(|error| panic!("{typed:?}: {error}"));
            assert_eq!(read.as_str(), expected, "{typed:?}");
        } else {
            let read = position.read_move(typed);
            let read = read.unwrap_or_else(|error| panic!("{typed:?}: {error}"));
            assert_eq!(read.to_string(), case["move"], "{typed:?}");
            moves += 1;
        }
        let once = normalise_typed(typed).into_owned();
        assert_eq!(normalise_typed(&once), once, "{typed:?}");
    }
    assert!(moves > 5, "{moves}");
}
