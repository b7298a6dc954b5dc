//! The rules of the Ryūō games written a second time, as plainly as possible, and searched exhaustively on small boxes.

use std::collections::BTreeMap;

use fibfob_games::GameId;

use crate::{
    oracle::{Oracle, Rules},
    rules::{boxed, check_all},
};

fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(",")
}

/// All takes of up to one coin more than each heap has, legal or not.
fn all_takes(heaps: &[u64]) -> Vec<Vec<u64>> {
    let longer = |takes: Vec<Vec<u64>>, &heap: &u64| {
        let next =
            |take: Vec<u64>| (0..=heap + 1).map(move |coins| [take.clone(), vec![coins]].concat());
        takes.into_iter().flat_map(next).collect()
    };
    heaps.iter().fold(vec![vec![]], longer)
}

/// The heaps after a take; `None` if a heap has too few coins.
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

/// Takes to be tried: all from one heap; of those from several heaps, all small ones and some large ones.
fn candidates(heaps: &[u64]) -> Vec<String> {
    let tried = |take: &Vec<u64>| {
        let small = take.iter().all(|coins| *coins <= 2);
        small || taken_from(take) <= 1 || take.iter().sum::<u64>().is_multiple_of(5)
    };
    let takes = all_takes(heaps).into_iter().filter(tried);
    takes.map(|take| format!("take {}", list(&take))).collect()
}

/// The rule: fewer than q coins from one heap, or fewer than p together from several.
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
        let Self { p, q, .. } = *self;
        let takes = takes(&self.heaps, |take| allowed(take, p, q));
        takes
            .into_iter()
            .map(|(text, heaps)| (text, Self { heaps, p, q }))
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
            .map(|(text, heaps)| (text, Self(heaps)))
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
        let Self { p, pass, .. } = *self;
        let takes = takes(&self.heaps, |take| allowed(take, p, None)).into_iter();
        let mut options: BTreeMap<String, Self> = takes
            .map(|(text, heaps)| (text, Self { heaps, p, pass }))
            .collect();
        if pass && self.heaps.iter().any(|coins| *coins > 0) {
            options.insert(
                "pass".into(),
                Self {
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

#[test]
fn past_the_three_dimensional_table_nothing_is_claimed() {
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
