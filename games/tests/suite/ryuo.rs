//! The rules of the Ryūō games written a second time, as plainly as possible, and searched exhaustively on small boxes.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use fibfob_games::{GameId, Nimber, NotationErrorKind, Outcome};

use crate::{
    oracle::{Oracle, Rules},
    rules::{boxed, check_all},
    seeded,
};

fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(",")
}

/// All takes with each number up to those in the list and one more, legal or not.
fn all_takes(heaps: &[u64]) -> Vec<Vec<u64>> {
    let longer = |takes: Vec<Vec<u64>>, &heap: &u64| {
        let next =
            |take: Vec<u64>| (0..=heap + 1).map(move |coins| [take.clone(), vec![coins]].concat());
        takes.into_iter().flat_map(next).collect()
    };
    heaps.iter().fold(vec![vec![]], longer)
}

/// The heaps left by a take, if there are as many coins.
fn left(heaps: &[u64], take: &[u64]) -> Option<Vec<u64>> {
    heaps
        .iter()
        .zip(take)
        .map(|(heap, coins)| heap.checked_sub(*coins))
        .collect()
}

fn taken_from(take: &[u64]) -> usize {
    take.iter().filter(|coins| **coins > 0).count()
}

fn takes(heaps: &[u64], legal: impl Fn(&[u64]) -> bool) -> Vec<(String, Vec<u64>)> {
    let takes = all_takes(heaps).into_iter().filter(|take| legal(take));
    takes
        .filter_map(|take| Some((format!("take {}", list(&take)), left(heaps, &take)?)))
        .collect()
}

/// Takes to be tried: of the many from several heaps, all small and some large ones.
fn candidates(heaps: &[u64]) -> Vec<String> {
    let tried = |take: &Vec<u64>| {
        let small = take.iter().all(|coins| *coins <= 2);
        small || taken_from(take) <= 1 || take.iter().sum::<u64>().is_multiple_of(5)
    };
    let takes = all_takes(heaps).into_iter().filter(tried);
    takes.map(|take| format!("take {}", list(&take))).collect()
}

/// Takes of k < q from one heap, or from several heaps of less than p together.
fn allowed(take: &[u64], p: u64, q: Option<u64>) -> bool {
    let total: u64 = take.iter().sum();
    match taken_from(take) {
        0 => false,
        1 => q.is_none_or(|q| total < q),
        _ => total < p,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ryuo {
    pub heaps: Vec<u64>,
    pub p: u64,
    pub q: Option<u64>,
}

impl Rules for Ryuo {
    const GAME: GameId = GameId::RyuoNim;

    fn write(&self) -> String {
        let q = self.q.map_or(String::new(), |q| format!(" q={q}"));
        format!("{} p={}{q}", list(&self.heaps), self.p)
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let Ryuo { p, q, .. } = *self;
        let takes = takes(&self.heaps, |take| allowed(take, p, q));
        takes
            .into_iter()
            .map(|(text, heaps)| (text, Ryuo { heaps, p, q }))
            .collect()
    }

    fn candidates(&self) -> Vec<String> {
        let wrong = ["take 1".into(), format!("take {},0", list(&self.heaps))];
        [candidates(&self.heaps), wrong.to_vec()].concat()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ryuo3d(pub Vec<u64>);

impl Rules for Ryuo3d {
    const GAME: GameId = GameId::RyuoNim3d;

    fn write(&self) -> String {
        list(&self.0)
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let legal = |take: &[u64]| {
            taken_from(take) == 1 || (taken_from(take) > 1 && take.iter().all(|coins| *coins <= 1))
        };
        takes(&self.0, legal)
            .into_iter()
            .map(|(text, heaps)| (text, Ryuo3d(heaps)))
            .collect()
    }

    fn candidates(&self) -> Vec<String> {
        candidates(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RyuoPass {
    pub heaps: Vec<u64>,
    pub p: u64,
    pub pass: bool,
}

impl Rules for RyuoPass {
    const GAME: GameId = GameId::RyuoNimPass;

    fn write(&self) -> String {
        format!(
            "{} p={} pass={}",
            list(&self.heaps),
            self.p,
            if self.pass { "yes" } else { "no" }
        )
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let RyuoPass { p, pass, .. } = *self;
        let takes = takes(&self.heaps, |take| allowed(take, p, None)).into_iter();
        let mut options: BTreeMap<String, Self> = takes
            .map(|(text, heaps)| (text, RyuoPass { heaps, p, pass }))
            .collect();
        if pass && self.heaps.iter().any(|coins| *coins > 0) {
            options.insert(
                "pass".into(),
                RyuoPass {
                    pass: false,
                    ..self.clone()
                },
            );
        }
        options
    }

    fn candidates(&self) -> Vec<String> {
        [candidates(&self.heaps), vec!["pass".into()]].concat()
    }
}

fn check_ryuo<const N: usize>(most: [u64; N], p: u64, q: Option<u64>) {
    check_all(boxed(most).into_iter().map(|heaps| Ryuo {
        heaps: heaps.to_vec(),
        p,
        q,
    }));
}

#[test]
fn two_heaps_are_solved_for_every_p() {
    for p in 1..=12 {
        check_ryuo([15, 15], p, None);
    }
    check_ryuo([26, 26], 3, None);
    check_ryuo([24, 25], 5, None);
}

#[test]
fn two_heaps_are_solved_for_every_p_and_q() {
    for p in 1..=12 {
        for q in 1..=12 {
            check_ryuo([9, 10], p, Some(q));
        }
    }
    for (p, q) in [(3, 6), (4, 6), (4, 8), (5, 10), (2, 5), (6, 2), (3, 1)] {
        check_ryuo([21, 22], p, Some(q));
    }
}

#[test]
fn three_and_four_heaps_are_solved() {
    for p in 1..=6 {
        for q in [None, Some(1), Some(2), Some(3), Some(4), Some(6)] {
            check_ryuo([6, 5, 6], p, q);
        }
    }
    check_ryuo([8, 9, 8], 4, None);
    check_ryuo([4, 3, 4, 3], 3, None);
    check_ryuo([3, 4, 3, 4], 5, None);
    check_ryuo([4, 3, 4, 3], 3, Some(3));
    check_ryuo([4, 3, 4, 3], 4, Some(3));
}

#[test]
fn the_three_dimensional_game_is_solved_on_a_cube() {
    check_all(
        boxed([11, 11, 11])
            .into_iter()
            .map(|heaps| Ryuo3d(heaps.to_vec())),
    );
    check_all(
        boxed([25, 25, 2])
            .into_iter()
            .map(|heaps| Ryuo3d(heaps.to_vec())),
    );
}

#[test]
fn the_game_with_a_pass_is_solved_on_a_box() {
    for p in 1..=12 {
        let positions = boxed([14, 15]).into_iter().flat_map(|heaps| {
            [true, false].map(|pass| RyuoPass {
                heaps: heaps.to_vec(),
                p,
                pass,
            })
        });
        check_all(positions);
    }
    check_all(boxed([27, 27]).into_iter().map(|heaps| RyuoPass {
        heaps: heaps.to_vec(),
        p: 4,
        pass: true,
    }));
}

/// Random moves win iff they are listed as winning, and those listed do.
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
    // Less than q coins in every heap, or one heap alone: as without q, or as a subtraction game.
    let known = |text: &str| GameId::RyuoNim.read(text).unwrap().nimber();
    assert_eq!(known("900,1000 p=4 q=1001"), known("900,1000 p=4"));
    assert_eq!(known("0,1000 p=4 q=7"), Nimber::Known(1000 % 7));
    // No nimber is larger than the longest play.
    let large = GameId::RyuoNim3d.read("100,200,300").unwrap();
    assert!(large.moves_to(599).is_err());
    assert!(large.moves_to(600).unwrap().is_empty());
    let large = GameId::RyuoNim.read("64,3 p=4 q=6").unwrap();
    assert!(large.moves_to(66).is_err());
    assert!(large.moves_to(67).unwrap().is_empty());
}

#[test]
fn the_three_dimensional_table_ends_honestly() {
    let mut oracle = Oracle::new();
    for heaps in boxed([3, 2, 2]) {
        oracle.check_honest(&Ryuo3d(vec![heaps[0] + 62, heaps[1], heaps[2]]));
    }
    let mut oracle = Oracle::new();
    for heaps in boxed([3, 2]) {
        let heaps = vec![heaps[1], heaps[0] + 62];
        oracle.check_honest(&RyuoPass {
            heaps,
            p: 3,
            pass: true,
        });
    }
    let mut oracle = Oracle::new();
    for heaps in boxed([3, 2]) {
        let heaps = vec![heaps[1], heaps[0] + 62];
        oracle.check_honest(&Ryuo {
            heaps,
            p: 3,
            q: Some(4),
        });
    }
}

#[test]
fn wrong_heaps_and_takes_are_refused_with_their_fault() {
    let kind = |game: GameId, text: &str| {
        let error = game.read(text).unwrap_err();
        assert!(error.to_string().contains(game.info().example), "{error}");
        error.kind()
    };
    let ryuo = |text: &str| kind(GameId::RyuoNim, text);
    assert_eq!(ryuo("5 p=3"), NotationErrorKind::Missing);
    assert_eq!(ryuo("5,7"), NotationErrorKind::Missing);
    assert_eq!(ryuo("5,7 p=0"), NotationErrorKind::AmountTooSmall);
    assert_eq!(ryuo("5,7 p=3 q=0"), NotationErrorKind::AmountTooSmall);
    assert_eq!(ryuo("1,1,1,1,1,1,1,1,1 p=3"), NotationErrorKind::TooMany);
    assert_eq!(ryuo("5,7 p=3 pass=yes"), NotationErrorKind::UnknownField);
    assert_eq!(kind(GameId::RyuoNim3d, "5,7"), NotationErrorKind::Missing);
    assert_eq!(
        kind(GameId::RyuoNim3d, "5,7,1,1"),
        NotationErrorKind::TooMany
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7,1 p=3"),
        NotationErrorKind::TooMany
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7 pass=yes"),
        NotationErrorKind::Missing
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7 p=3 pass=maybe"),
        NotationErrorKind::Unexpected
    );
    let written = |game: GameId, text: &str| game.read(text).unwrap().to_string();
    assert_eq!(written(GameId::RyuoNim, "q=6 p=03 5, 7"), "5,7 p=3 q=6");
    assert_eq!(written(GameId::RyuoNimPass, "5,7 p=3"), "5,7 p=3 pass=no");
    let refused = |game: GameId, text: &str, mv: &str| {
        let position = game.read(text).unwrap();
        let mv = position.read_move(mv).unwrap();
        position.play(&mv).unwrap_err().to_string()
    };
    for (game, text, mv, told) in [
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 1,1,1",
            "takes from 3 heaps, and there are 2",
        ),
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 2,1",
            "takes 3 coins from several heaps together, and the most is 2",
        ),
        (
            GameId::RyuoNim,
            "5,7 p=3 q=3",
            "take 3,0",
            "takes 3 coins from one heap, and the most is 2",
        ),
        (GameId::RyuoNim, "5,7 p=3", "take 0,0", "at least one"),
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 6,0",
            "takes 6 coins, and there are 5",
        ),
        (
            GameId::RyuoNim3d,
            "5,7,2",
            "take 2,1,0",
            "takes 2 coins from each of several heaps, and the most is 1",
        ),
        (
            GameId::RyuoNimPass,
            "5,7 p=3 pass=no",
            "pass",
            "the pass is used up",
        ),
        (
            GameId::RyuoNimPass,
            "0,0 p=3 pass=yes",
            "pass",
            "the game is over",
        ),
    ] {
        let error = refused(game, text, mv);
        assert!(error.contains(told), "{error}");
    }
}
