//! The Ryūō games with heaps too large to be searched, within the closed form and past the tables.

use std::time::{Duration, Instant};

use fibfob_games::{GameId, Nimber, Outcome};

use crate::seeded;

/// Checks that random moves win iff they are listed as winning, and that the listed ones win.
fn check_by_samples(game: GameId, text: &str, rng: &mut impl rand::Rng) {
    let position = game.read(text).unwrap();
    let start = Instant::now();
    let solution = position.solve();
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_millis(1500), "{text}: {elapsed:?}");
    assert!(solution.complete, "{text}");
    assert_eq!(
        solution.outcome == Some(Outcome::N),
        !solution.winning.is_empty(),
        "{text}"
    );
    let legal = position.legal_moves();
    for set in [&solution.winning, &legal] {
        for mv in (0..100).filter_map(|_| set.pick(rng)) {
            let after = position.play(&position.read_move(&mv).unwrap()).unwrap();
            let wins = after.solve().outcome == Some(Outcome::P);
            assert_eq!(wins, solution.winning.contains(&mv), "{text}, {mv}");
        }
    }
}

#[test]
fn huge_heaps_are_answered_at_once() {
    let mut rng = seeded(71);
    let game = GameId::RyuoNim;
    let solution = game
        .read("9007199254740990,123456789 p=1000003")
        .unwrap()
        .solve();
    let (a, b, p) = (9_007_199_254_740_990_u64, 123_456_789, 1_000_003);
    assert_eq!(
        solution.nimber,
        Nimber::Known((a + b) % p + p * ((a / p) ^ (b / p)))
    );
    let pairs = u128::from((p - 1) * (p - 2) / 2);
    assert_eq!(solution.legal_moves, Some(u128::from(a + b) + pairs));
    for text in [
        "9007199254740990,123456789 p=1000003",
        "9007199254740991,9007199254740991 p=9007199254740991",
        "9007199254740991,9007199254740990 p=4503599627370496",
        "9007199254740991,9007199254740990,9007199254740989 p=1000 q=123000",
        "9007199254740991,9007199254740991 p=1",
        "9007199254740991,9007199254740990 p=2 q=9007199254740991",
        "9007199254740991,9007199254740990 p=1 q=12345",
        "9007199254740000,9007199254740001,1000,1001 p=1000 q=2000",
        "11,13,15,17,19,21,23,25 p=2",
        "1001,3003,5005,7007,9009,11011,13013,15016 p=1001",
        "8999999999999999,7000000000000001,5000000000000003,3000000000000005,1,2,3,4 p=100003",
    ] {
        check_by_samples(game, text, &mut rng);
    }
    for text in [
        "9007199254740991,9007199254740991,9007199254740991",
        "9007199254740991,4503599627370495,1",
        "9007199254740990,9007199254740991,9007199254740989",
        "300000000000001,600000000000004,7",
    ] {
        check_by_samples(GameId::RyuoNim3d, text, &mut rng);
    }
    for text in [
        "9007199254740991,9007199254740990 p=3 pass=yes",
        "9007199254740991,9007199254740000 p=123456789 pass=yes",
        "9007199254740991,9007199254740991 p=9007199254740991 pass=yes",
        "500,400 p=1000 pass=yes",
        "1000,1500 p=1001 pass=yes",
        "9007199254740991,9007199254740991 p=2 pass=yes",
        "9007199254740991,9007199254740991 p=1 pass=no",
    ] {
        check_by_samples(GameId::RyuoNimPass, text, &mut rng);
    }
}

#[test]
fn past_the_tables_nothing_is_claimed() {
    let unknown = |text: &str| {
        let position = GameId::RyuoNim.read(text).unwrap();
        let solution = position.solve();
        assert_eq!(solution.outcome, None);
        assert!(!solution.complete && solution.winning.is_empty());
        assert!(position.moves_to(1).is_err());
        match solution.nimber {
            Nimber::Unknown(why) => why.to_string(),
            known => panic!("{text} is {known}"),
        }
    };
    assert_eq!(
        unknown("64,3 p=4 q=6"),
        "no formula is known, and a table of coins in a heap up to 64 passes the bound of 63"
    );
    assert!(unknown("3,16,1 p=3 q=4").contains("bound of 15"));
    // With fewer than q coins in every heap, q has no effect; one heap alone is a subtraction game.
    let known = |text: &str| GameId::RyuoNim.read(text).unwrap().nimber();
    assert_eq!(known("900,1000 p=4 q=1001"), known("900,1000 p=4"));
    assert_eq!(known("0,1000 p=4 q=7"), Nimber::Known(1000 % 7));
    // No nimber exceeds the longest play.
    let large = GameId::RyuoNim3d.read("100,200,300").unwrap();
    assert!(large.moves_to(599).is_err());
    assert!(large.moves_to(600).unwrap().is_empty());
    let large = GameId::RyuoNim.read("64,3 p=4 q=6").unwrap();
    assert!(large.moves_to(66).is_err());
    assert!(large.moves_to(67).unwrap().is_empty());
}
