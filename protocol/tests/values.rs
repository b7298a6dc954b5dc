//! The values of `fibfob-games` on the wire: every explanation and every set of moves is read as it
//! was written, and data that describes no family of moves is rejected.

use std::fmt::Debug;

use fibfob_games::{GameId, MoveFamily, MoveSet, Position, Ranges, random_move};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The random starts tried of each game.
const STARTS: usize = 8;
/// The most random moves made from each of them.
const PLIES: usize = 64;

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
            let mut position = start.expect("the default ranges have a start");
            check_position(&position);
            for _ in 0..PLIES {
                let Some(mv) = random_move(&position, &mut rng) else {
                    break;
                };
                position = position.play(&mv).expect("a legal move");
                check_round_trip(&position.legal_moves());
                check_round_trip(&position.solve().winning);
            }
        }
    }
}

#[test]
fn a_family_with_slots_and_a_total_is_read() {
    let family = json!({"pattern": "take {0..7},{0..7}", "total": [1, 3, 2]});
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
fn a_family_is_its_pattern_with_the_numbers_in_it() {
    for (text, moves) in [
        ("spend fib", vec!["spend fib"]),
        (
            "take {1..3} from 2",
            vec!["take 1 from 2", "take 2 from 2", "take 3 from 2"],
        ),
        (
            "take {1,4..8/2}",
            vec!["take 1", "take 4", "take 6", "take 8"],
        ),
        ("knock {a:2..3},{a+1}", vec!["knock 2,3", "knock 3,4"]),
        (
            "move {b:1..2} of {a:5..6}",
            vec!["move 1 of 5", "move 2 of 5", "move 1 of 6", "move 2 of 6"],
        ),
        (
            "ship {b..d}6@3",
            vec!["ship b6@3", "ship c6@3", "ship d6@3"],
        ),
        ("ship {c..c}{1..2}", vec!["ship c1", "ship c2"]),
        ("ship {a:x..y}{a+1}", vec!["ship xy", "ship yz"]),
        (
            "ship {a..c/2,y..z}",
            vec!["ship a", "ship c", "ship y", "ship z"],
        ),
    ] {
        let read: MoveFamily = serde_json::from_value(json!(text)).expect(text);
        assert_eq!(read.iter().collect::<Vec<_>>(), moves);
        assert_eq!(
            serde_json::to_value(&read).expect("values are written"),
            text
        );
    }
}

/// The families drawn of letters and numbers.
const FAMILIES: usize = 2_000;

#[test]
fn any_family_of_letters_and_numbers_is_what_its_holes_say() {
    let mut rng = StdRng::seed_from_u64(42);
    for _ in 0..FAMILIES {
        // In each hole some letters or numbers, as one run or as each alone.
        let holes: Vec<(String, Vec<String>)> = (0..rng.random_range(1..=3))
            .map(|_| hole(&mut rng))
            .collect();
        let text: Vec<&str> = holes.iter().map(|(text, _)| text.as_str()).collect();
        let text = format!("go {}!", text.join("-"));
        let mut moves = vec![String::new()];
        for (_, values) in &holes {
            let longer = |begun: &String| {
                let begun = begun.clone();
                values.iter().map(move |value| format!("{begun}-{value}"))
            };
            moves = moves.iter().flat_map(longer).collect();
        }
        let moves: Vec<String> = moves.iter().map(|it| format!("go {}!", &it[1..])).collect();

        let family: MoveFamily = serde_json::from_value(json!(text)).expect(&text);
        assert_eq!(family.iter().collect::<Vec<_>>(), moves, "{text}");
        assert_eq!(family.count(), Some(moves.len() as u128), "{text}");
        assert!(moves.iter().all(|text| family.contains(text)), "{text}");
        assert!(moves.contains(&family.pick(&mut rng)), "{text}");
        for stranger in [hole(&mut rng).1.remove(0), "`".to_owned(), "{".to_owned()] {
            let strange = moves[0].replace(&holes[0].1[0], &stranger);
            assert_eq!(
                family.contains(&strange),
                moves.contains(&strange),
                "{text}"
            );
        }
        check_round_trip(&family);
    }
}

/// A hole's text and what may stand in it.
fn hole(rng: &mut StdRng) -> (String, Vec<String>) {
    let from = rng.random_range(0..20_u8);
    let count = rng.random_range(1..=6_u8);
    let step = rng.random_range(1..=3_u8).min(1 + (25 - from) / count);
    let letters = rng.random();
    let written = |value: u8| match letters {
        true => char::from(b'a' + value).to_string(),
        false => value.to_string(),
    };
    let values = (0..count).map(|index| (from + index * step).min(25));
    let mut values: Vec<u8> = values.collect();
    values.dedup();
    let (first, last) = (values[0], values[values.len() - 1]);
    let whole = values.len() < 2 || last - first == step * (values.len() as u8 - 1);
    let text = match whole && rng.random() {
        true => format!("{{{}..{}/{step}}}", written(first), written(last)),
        false => {
            let runs = values.iter().map(|&it| format!("{0}..{0}", written(it)));
            format!("{{{}}}", runs.collect::<Vec<_>>().join(","))
        }
    };
    (text, values.into_iter().map(written).collect())
}

#[test]
fn text_that_describes_no_family_is_rejected() {
    let many = "{1..2}".repeat(27);
    let summed = |total: Value| json!({"pattern": "take {0..7}", "total": total});
    for (wrong, named) in [
        (json!({"total": [0, 1, 0]}), "a pattern, or an object"),
        (json!("take {a}"), "no numbers in its first hole"),
        (json!("take {a:1..2} {a:1..2}"), "or others later"),
        (json!("take {b:1..2}"), "a slot has no hole"),
        (json!("take {1..2} {a:1..2}"), "some have none"),
        (json!("take {"), "a hole cannot be read"),
        (json!("take {a-1:1..2}"), "a hole cannot be read"),
        (json!(many), "too many slots"),
        (json!("take {}"), "no ascending"),
        (json!("take {2..1}"), "no ascending"),
        (json!("take {+1..2}"), "no ascending"),
        (json!("take {01..2}"), "no ascending"),
        (json!("take {1..2/0}"), "no ascending"),
        (json!("take {5..6,1..2}"), "no ascending"),
        (json!("take {1..4,4..6}"), "no ascending"),
        (json!("ship {a..3}"), "no ascending"),
        (json!("ship {a..c,4}"), "no ascending"),
        (json!("ship {c..a}"), "no ascending"),
        (json!("ship {a..ab}"), "no ascending"),
        (json!("ship {A..C}"), "no ascending"),
        (json!("ship {a:a..b}{a+25}"), "or a letter z"),
        (
            json!(format!("take {{a+1:1..{}}}", u64::MAX)),
            "exceeds 64 bits",
        ),
        (summed(json!([8, 9, 0])), "no move obeys its total"),
        (summed(json!([0, 7, 2])), "no move obeys its total"),
        (
            json!({"pattern": "ship {a..c}", "total": [0, 9, 0]}),
            "no move obeys its total",
        ),
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

/// Nothing that a match counts or sums can exceed what every reader of JSON holds exactly: the bounds of
/// its start are far below, and no move leads beyond the sum of the start's amounts.
#[test]
fn no_match_has_a_number_above_2_to_the_53() {
    const PARTS_MAX: u64 = 1 << 10;
    let mut rng = StdRng::seed_from_u64(3);
    for game in GameId::ALL {
        for range in game.start_ranges() {
            let (name, most) = (range.name, range.most);
            assert!(
                most.checked_mul(PARTS_MAX).is_some_and(|sum| sum < 1 << 53),
                "{game} {name}"
            );
            let beyond = Ranges::default().with(name, most, most + 1).unwrap();
            assert!(
                game.random_start(&beyond, &mut rng).is_err(),
                "{game} {name}"
            );
        }
    }
}
