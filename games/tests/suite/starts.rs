//! Random and given starting positions: within the bounds, spread over the ranges, never finished.

use std::collections::BTreeSet;

use fibfob_games::{GameId, PLIES_MAX, Ranges, StartError, random_move};

use crate::seeded;

#[test]
fn random_starts_are_unfinished_and_within_the_bounds() {
    let mut rng = seeded(1);
    for &game in GameId::ALL {
        for _ in 0..500 {
            let start = game.random_start(&Ranges::default(), &mut rng).unwrap();
            assert_eq!(start.check_start(), Ok(()), "{game} {start}");
        }
    }
}

#[test]
fn the_widest_ranges_are_within_the_bounds() {
    let mut rng = seeded(2);
    for &game in GameId::ALL {
        let widest = game
            .start_ranges()
            .iter()
            .fold(Ranges::default(), |ranges, range| {
                ranges.with(range.name, range.least, range.most).unwrap()
            });
        for _ in 0..200 {
            let start = game.random_start(&widest, &mut rng).unwrap();
            assert_eq!(start.check_start(), Ok(()), "{game} {start}");
            assert!(start.longest_play() <= PLIES_MAX, "{game} {start}");
        }
    }
}

#[test]
fn ranges_override_the_defaults_and_are_drawn_uniformly() {
    let mut rng = seeded(3);
    let ranges: Ranges = "file=7 rank=6 board=3 time=40..43 nuggets=5 fib=12 fob=9"
        .parse()
        .unwrap();
    let mut drawn = BTreeSet::new();
    for _ in 0..200 {
        drawn.insert(
            GameId::FibFob
                .random_start(&ranges, &mut rng)
                .unwrap()
                .to_string(),
        );
    }
    let expected = [40, 41, 42, 43].map(|time| format!("g6@3 time={time} nuggets=5 fib=12 fob=9"));
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_finished_position_is_drawn_again_or_refused() {
    let mut rng = seeded(4);
    let ranges: Ranges = "heaps=1 coins=0..1".parse().unwrap();
    for _ in 0..100 {
        assert_eq!(
            GameId::Nim
                .random_start(&ranges, &mut rng)
                .unwrap()
                .to_string(),
            "1"
        );
    }
    let ranges: Ranges = "coins=0..0".parse().unwrap();
    assert_eq!(
        GameId::Nim.random_start(&ranges, &mut rng),
        Err(StartError::Finished)
    );
}

#[test]
fn an_unknown_range_is_repeated_on_one_short_line() {
    let name = format!("{}\u{202E}\n", "x".repeat(30));
    let ranges = Ranges::default().with(&name, 1, 2).unwrap();
    let refused = GameId::FibFob.random_start(&ranges, &mut seeded(5));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains(r#"x\u{202e}\n""#), "{message}");
    let long = Ranges::default().with("x".repeat(3000), 1, 2).unwrap();
    let refused = GameId::FibFob.random_start(&long, &mut seeded(5));
    assert!(refused.unwrap_err().to_string().len() < 150);
}

#[test]
fn wrong_ranges_are_refused_by_name() {
    let mut rng = seeded(5);
    let mut refused = |text: &str| {
        let ranges: Ranges = text.parse().unwrap();
        GameId::FibFob.random_start(&ranges, &mut rng).unwrap_err()
    };
    let unknown = refused("coins=1..2");
    assert_eq!(
        unknown.to_string(),
        "there is no range \"coins\"; there are: file, rank, board, time, nuggets, fib, fob"
    );
    let bad = |from, to| StartError::BadRange {
        name: "time",
        from,
        to,
        least: 0,
        most: 99,
    };
    assert_eq!(refused("time=3..2"), bad(3, 2));
    assert_eq!(refused("time=0..100"), bad(0, 100));
    assert!(matches!(
        refused("file=0..8"),
        StartError::BadRange { name: "file", .. }
    ));
    for text in [
        "time",
        "time=",
        "time=1..",
        "time=-1..2",
        "time=1...2",
        "time=99999999999999999999",
    ] {
        assert!(text.parse::<Ranges>().is_err(), "{text}");
    }
}

#[test]
fn ranges_are_written_as_they_are_read() {
    let text = "nuggets=0..7 time=3..31";
    assert_eq!(text.parse::<Ranges>().unwrap().to_string(), text);
}

#[test]
fn a_start_past_a_bound_is_refused_with_the_bound() {
    let refused = |game: GameId, text: &str| game.read(text).unwrap().check_start().unwrap_err();
    assert_eq!(
        refused(GameId::PokerNim, "time=100"),
        StartError::OutOfBounds {
            what: "time",
            value: 100,
            least: 0,
            most: 99
        }
    );
    assert!(matches!(
        refused(GameId::FibFob, "a1@1 nuggets=32"),
        StartError::OutOfBounds {
            what: "nuggets",
            value: 32,
            ..
        }
    ));
    assert!(matches!(
        refused(GameId::FibFob, "a1@1 fob=256"),
        StartError::OutOfBounds {
            what: "fob",
            value: 256,
            ..
        }
    ));
    let heaps = ["1"; 17].join(",");
    assert!(matches!(
        refused(GameId::Nim, &heaps),
        StartError::OutOfBounds {
            what: "heaps",
            value: 17,
            ..
        }
    ));
    assert_eq!(refused(GameId::Rooks, "a1@1"), StartError::Finished);
}

/// The games whose bounds are chosen so that a match is short.
const SHORT: [GameId; 9] = [
    GameId::MisereNim,
    GameId::TakeFibonacci,
    GameId::FibonacciNim,
    GameId::MisereFibonacciNim,
    GameId::Nim,
    GameId::TurningTurtles,
    GameId::StaircaseNim,
    GameId::WythoffNim,
    GameId::Kayles,
];

#[test]
fn the_largest_starts_end_within_400_moves_and_take_little_space() {
    const BYTES_MAX: usize = 6000;
    let mut rng = seeded(6);
    for game in SHORT {
        let ranges = game.start_ranges().iter();
        let largest = ranges.fold(Ranges::default(), |ranges, range| {
            ranges.with(range.name, range.most, range.most).unwrap()
        });
        let start = game.random_start(&largest, &mut rng).unwrap();
        assert!(start.longest_play() <= PLIES_MAX, "{game} {start}");
        assert!(start.longest_play() > PLIES_MAX - 30, "{game} {start}");
        let bytes = start.to_string().len() + start.legal_moves().to_string().len();
        assert!(bytes < BYTES_MAX, "{game} {start}: {bytes} bytes");
    }
    let largest = "h8@8 time=99 nuggets=31 fib=99 fob=99";
    let largest = GameId::FibFob.read(largest).unwrap();
    assert_eq!(largest.check_start(), Ok(()));
    assert!(largest.longest_play() <= PLIES_MAX);
    // Many small groups take more space than few large ones.
    let row = GameId::Kayles.read(&"xx.".repeat(133)).unwrap();
    assert_eq!(row.check_start(), Ok(()));
    let bytes = row.to_string().len() + row.legal_moves().to_string().len();
    assert!(bytes < BYTES_MAX, "{bytes} bytes");
}

#[test]
fn no_play_from_an_allowed_start_reaches_an_unknown_outcome() {
    let mut rng = seeded(7);
    for game in SHORT {
        let ranges = game.start_ranges().iter();
        let widest = ranges.fold(Ranges::default(), |ranges, range| {
            ranges.with(range.name, range.least, range.most).unwrap()
        });
        for _ in 0..40 {
            let mut position = game.random_start(&widest, &mut rng).unwrap();
            while let Some(mv) = random_move(&position, &mut rng) {
                let solution = position.solve();
                assert!(
                    solution.complete && solution.outcome.is_some(),
                    "{game} {position}"
                );
                position = position.play(&mv).unwrap();
            }
        }
    }
}

#[test]
fn each_bound_refuses_what_passes_it() {
    let refused = |game: GameId, text: &str| match game.read(text).unwrap().check_start() {
        Err(StartError::OutOfBounds { what, value, .. }) => (what, value),
        other => panic!("{game} {text}: {other:?}"),
    };
    let nine = ["1"; 9].join(",");
    assert_eq!(refused(GameId::MisereNim, &nine), ("heaps", 9));
    assert_eq!(refused(GameId::MisereNim, "51"), ("coins", 51));
    assert_eq!(refused(GameId::TakeFibonacci, &nine), ("heaps", 9));
    assert_eq!(refused(GameId::TakeFibonacci, "51"), ("coins", 51));
    assert_eq!(refused(GameId::FibonacciNim, "coins=401"), ("coins", 401));
    assert_eq!(refused(GameId::FibonacciNim, "coins=1"), ("coins", 1));
    assert_eq!(
        refused(GameId::MisereFibonacciNim, "coins=401"),
        ("coins", 401)
    );
    assert_eq!(
        refused(GameId::TurningTurtles, &"H".repeat(28)),
        ("places", 28)
    );
    assert_eq!(refused(GameId::StaircaseNim, &nine), ("steps", 9));
    assert_eq!(refused(GameId::StaircaseNim, "0,15"), ("coins", 15));
    assert_eq!(refused(GameId::WythoffNim, "201,0"), ("coins", 201));
    assert_eq!(refused(GameId::Kayles, &"x".repeat(401)), ("places", 401));
    assert_eq!(
        GameId::Kayles.read("...").unwrap().check_start(),
        Err(StartError::Finished)
    );
}
