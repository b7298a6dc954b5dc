//! The rules of the games of heaps written a second time, and searched exhaustively on small boxes.

use std::collections::BTreeMap;

use fibfob_games::{GameId, Nimber, mex};

use crate::{
    oracle::Rules,
    rules::{boxed, check_all},
};

fn joined(heaps: &[u64]) -> String {
    let heaps: Vec<String> = heaps.iter().map(u64::to_string).collect();
    heaps.join(",")
}

/// All takes from one heap of which this holds, with the heaps after them.
fn takes(heaps: &[u64], allowed: impl Fn(u64) -> bool) -> Vec<(String, Vec<u64>)> {
    let mut takes = Vec::new();
    for heap in 0..heaps.len() {
        for coins in (1..=heaps[heap]).filter(|&coins| allowed(coins)) {
            let mut after = heaps.to_vec();
            after[heap] -= coins;
            takes.push((format!("take {coins} from {}", heap + 1), after));
        }
    }
    takes
}

fn tried(verb: &str, heaps: usize) -> Vec<String> {
    let from = |heap| (0..12).map(move |coins| format!("{verb} {coins} from {heap}"));
    (0..=heaps + 1).flat_map(from).collect()
}

/// Makes a type of heaps, so that each game has rules of its own.
macro_rules! rules_of_heaps {
    ($name:ident, $verb:literal, $options:expr) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        struct $name(Vec<u64>);

        impl Rules for $name {
            const GAME: GameId = GameId::$name;

            fn write(&self) -> String {
                joined(&self.0)
            }

            fn options(&self) -> BTreeMap<String, Self> {
                let options = $options(&self.0).into_iter();
                options.map(|(text, after)| (text, $name(after))).collect()
            }

            fn candidates(&self) -> Vec<String> {
                tried($verb, self.0.len())
            }
        }
    };
}

/// Makes the positions of a box.
macro_rules! all_of {
    ($name:ident, $most:expr) => {
        check_all(boxed($most).into_iter().map(|heaps| $name(heaps.to_vec())))
    };
}

/// By counting up, not by a table.
fn is_fibonacci(number: u64) -> bool {
    let (mut a, mut b) = (1, 2);
    while a < number {
        (a, b) = (b, a + b);
    }
    a == number
}

/// All moves to the next lower step.
fn descents(steps: &[u64]) -> Vec<(String, Vec<u64>)> {
    let mut moves = Vec::new();
    for step in 1..steps.len() {
        for coins in 1..=steps[step] {
            let mut after = steps.to_vec();
            after[step] -= coins;
            after[step - 1] += coins;
            moves.push((format!("move {coins} from {step}"), after));
        }
    }
    moves
}

rules_of_heaps!(MisereNim, "take", |heaps: &[u64]| takes(heaps, |_| true));
rules_of_heaps!(TakeFibonacci, "take", |heaps: &[u64]| takes(
    heaps,
    is_fibonacci
));
rules_of_heaps!(StaircaseNim, "move", descents);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WythoffNim(pub [u64; 2]);

impl Rules for WythoffNim {
    const GAME: GameId = GameId::WythoffNim;

    fn write(&self) -> String {
        joined(&self.0)
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let [a, b] = self.0;
        let mut options = BTreeMap::new();
        for x in 0..=a {
            for y in 0..=b {
                if (x, y) != (0, 0) && (x == 0 || y == 0 || x == y) {
                    options.insert(format!("take {x},{y}"), Self([a - x, b - y]));
                }
            }
        }
        options
    }

    fn candidates(&self) -> Vec<String> {
        let taken = boxed([4, 4]).into_iter();
        taken.map(|[x, y]| format!("take {x},{y}")).collect()
    }
}

#[test]
fn misere_nim_is_solved_on_boxes_of_one_to_five_heaps() {
    all_of!(MisereNim, [30]);
    all_of!(MisereNim, [17, 17]);
    all_of!(MisereNim, [8, 9, 8]);
    all_of!(MisereNim, [5, 4, 5, 4]);
    all_of!(MisereNim, [2, 3, 2, 3, 2]);
}

#[test]
fn take_fibonacci_is_solved_on_boxes_of_one_to_three_heaps() {
    all_of!(TakeFibonacci, [300]);
    all_of!(TakeFibonacci, [40, 40]);
    all_of!(TakeFibonacci, [10, 11, 12]);
}

#[test]
fn staircase_nim_is_solved_on_boxes_of_one_to_six_steps() {
    all_of!(StaircaseNim, [9]);
    all_of!(StaircaseNim, [9, 12]);
    all_of!(StaircaseNim, [3, 9, 9]);
    all_of!(StaircaseNim, [1, 5, 6, 5]);
    all_of!(StaircaseNim, [1, 4, 3, 4, 3]);
    all_of!(StaircaseNim, [1, 2, 2, 2, 2, 2]);
}

#[test]
fn wythoff_nim_is_solved_on_a_box() {
    check_all(boxed([40, 40]).into_iter().map(WythoffNim));
}

#[test]
fn take_fibonacci_has_the_nimbers_of_the_recursion() {
    // Past the end of the smaller table.
    const MOST: usize = 6000;
    let mut nimbers: Vec<u64> = Vec::new();
    for coins in 0..=MOST {
        let taken = (1..=coins).filter(|&taken| is_fibonacci(taken as u64));
        nimbers.push(mex(taken.map(|taken| nimbers[coins - taken])));
        let position = GameId::TakeFibonacci.read(&coins.to_string()).unwrap();
        assert_eq!(position.nimber(), Nimber::Known(nimbers[coins]), "{coins}");
    }
    assert_eq!(
        nimbers[..16],
        [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1]
    );
}
