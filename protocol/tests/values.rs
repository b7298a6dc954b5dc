//! The values of `fibfob-games` on the wire: every explanation and every set of moves is read as it
//! was written, and data that describes no family of moves is rejected.

use std::fmt::Debug;

use fibfob_games::{GameId, MoveFamily, MoveSet, Position, Ranges};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The random starts tried of each game.
const STARTS: usize = 8;

#[track_caller]
fn check_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("values are written");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(&read, value, "{text}");
}

fn check_position(position: &Position) {
    check_round_trip(&position.explain());
    check_round_trip(&position.legal_moves());
    let solution = position.solve();
    check_round_trip(&solution.winning);
    check_round_trip(&solution.outcome);
}

#[test]
fn explanations_and_moves_of_every_game_are_read_as_they_were_written() {
    let mut rng = StdRng::seed_from_u64(41);
    for &game in GameId::ALL {
        let example = game
            .read(game.info().example)
            .expect("the example of a game");
        check_position(&example);
        for _ in 0..STARTS {
            let start = game.random_start(&Ranges::default(), &mut rng);
            check_position(&start.expect("the default ranges have a start"));
        }
    }
}

#[test]
fn a_family_with_slots_and_a_total_is_read() {
    let family = json!({
        "pattern": "take {a},{b}",
        "slots": [{"name": "a", "runs": [[0, 7, 1]]}, {"name": "b", "runs": [[0, 7, 1]]}],
        "total": [1, 3, 2],
    });
    let read: MoveFamily = serde_json::from_value(family.clone()).expect("a family");
    assert_eq!(
        read.iter().collect::<Vec<_>>(),
        ["take 1,1", "take 1,2", "take 2,1"]
    );
    assert_eq!(
        serde_json::to_value(&read).expect("values are written"),
        family
    );
}

#[test]
fn what_describes_no_family_is_rejected() {
    let slot = |name: &str, runs: Value| json!({"name": name, "runs": runs});
    let family = |pattern: &str, slots: Value| json!({"pattern": pattern, "slots": slots});
    let one = |runs: Value| family("take {a}", json!([slot("a", runs)]));
    let summed = |total: Value| {
        let mut family = one(json!([[0, 7, 1]]));
        family["total"] = total;
        family
    };
    let many: Vec<Value> = (0..27).map(|_| slot("a", json!([[1, 2, 1]]))).collect();
    for (wrong, named) in [
        (json!({"slots": []}), "pattern"),
        (family("take {a}", json!([])), "a hole has no slot"),
        (
            family("take 1", json!([slot("a", json!([[1, 2, 1]]))])),
            "a slot has no hole",
        ),
        (
            family("take {b}", json!([slot("b", json!([[1, 2, 1]]))])),
            "a slot has no ascending",
        ),
        (family("take {a}", json!(many)), "too many slots"),
        (one(json!([])), "a slot has no ascending"),
        (one(json!([[2, 1, 1]])), "a slot has no ascending"),
        (one(json!([[1, 2, 0]])), "a slot has no ascending"),
        (
            one(json!([[5, 6, 1], [1, 2, 1]])),
            "a slot has no ascending",
        ),
        (
            one(json!([[1, 4, 1], [4, 6, 1]])),
            "a slot has no ascending",
        ),
        (
            family("take {a+1}", json!([slot("a", json!([[1, u64::MAX, 1]]))])),
            "a hole has no slot",
        ),
        (summed(json!([8, 9, 0])), "no move obeys its total"),
        (summed(json!([0, 7, 2])), "no move obeys its total"),
        (
            json!({"pattern": "take 1", "total": [0, 1, 0]}),
            "no move obeys its total",
        ),
    ] {
        let text = json!([wrong]).to_string();
        let error = serde_json::from_str::<MoveSet>(&text).expect_err(&text);
        assert!(error.to_string().contains(named), "{error}: {text}");
    }
}
