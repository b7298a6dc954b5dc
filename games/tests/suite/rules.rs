//! The rules of the games written a second time, as plainly as possible, and searched exhaustively on small boxes.

use std::collections::BTreeMap;

use fibfob_games::GameId;

use crate::oracle::{Oracle, Rules};

/// File, rank, board, time, nuggets, fib, fob; the first three from 0.
pub type Counters = [u64; 7];

const SHIP: [usize; 3] = [0, 1, 2];
const TIME: usize = 3;
const NUGGETS: usize = 4;
const TANKS: [(usize, &str); 2] = [(5, "fib"), (6, "fob")];

fn square([file, rank, board, ..]: Counters) -> String {
    format!(
        "{}{}@{}",
        char::from(b'a' + file as u8),
        rank + 1,
        board + 1
    )
}

fn with(mut counters: Counters, index: usize, value: u64) -> Counters {
    counters[index] = value;
    counters
}

fn ship_moves(from: Counters) -> Vec<(String, Counters)> {
    let lower = |axis| (0..from[axis]).map(move |to| with(from, axis, to));
    SHIP.into_iter()
        .flat_map(lower)
        .map(|to| (format!("ship {}", square(to)), to))
        .collect()
}

fn clock_moves(from: Counters) -> Vec<(String, Counters)> {
    let lower =
        (1..=from[TIME]).map(|by| (format!("time -{by}"), with(from, TIME, from[TIME] - by)));
    let raise = (1..=from[NUGGETS]).map(|by| {
        let after = with(
            with(from, TIME, from[TIME] + by),
            NUGGETS,
            from[NUGGETS] - by,
        );
        (format!("time +{by}"), after)
    });
    lower.chain(raise).collect()
}

fn tank_moves(from: Counters) -> Vec<(String, Counters)> {
    let full = TANKS.into_iter().filter(|&(tank, _)| from[tank] > 0);
    let moves = full.flat_map(|(tank, name)| {
        [
            (format!("spend {name}"), with(from, tank, from[tank] - 1)),
            (format!("eject {name}"), with(from, tank, 0)),
        ]
    });
    moves.collect()
}

fn all_ship_moves() -> Vec<String> {
    let squares = (0..8)
        .flat_map(|file| (0..8).flat_map(move |rank| (0..8).map(move |board| [file, rank, board])));
    squares
        .map(|[file, rank, board]| format!("ship {}", square([file, rank, board, 0, 0, 0, 0])))
        .collect()
}

fn all_clock_moves() -> Vec<String> {
    (0..12)
        .flat_map(|by| [format!("time -{by}"), format!("time +{by}")])
        .collect()
}

fn all_tank_moves() -> Vec<String> {
    ["spend fib", "spend fob", "eject fib", "eject fob"]
        .map(String::from)
        .to_vec()
}

/// Makes a type of the counters, so that each of the four games has rules of its own.
macro_rules! rules_of_counters {
    ($name:ident, $write:expr, [$($moves:expr),+], [$($candidates:expr),+]) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub Counters);

        impl Rules for $name {
            const GAME: GameId = GameId::$name;

            fn write(&self) -> String {
                $write(self.0)
            }

            fn options(&self) -> BTreeMap<String, Self> {
                let mut options = BTreeMap::new();
                $(options.extend($moves(self.0).into_iter().map(|(text, after)| (text, $name(after))));)+
                options
            }

            fn candidates(&self) -> Vec<String> {
                [$($candidates()),+].concat()
            }
        }
    };
}

fn clock([_, _, _, time, nuggets, ..]: Counters) -> String {
    format!("time={time} nuggets={nuggets}")
}

fn tanks([.., fib, fob]: Counters) -> String {
    format!("fib={fib} fob={fob}")
}

fn everything(counters: Counters) -> String {
    format!(
        "{} {} {}",
        square(counters),
        clock(counters),
        tanks(counters)
    )
}

rules_of_counters!(Rooks, square, [ship_moves], [all_ship_moves]);
rules_of_counters!(PokerNim, clock, [clock_moves], [all_clock_moves]);
rules_of_counters!(NimMuskateers, tanks, [tank_moves], [all_tank_moves]);
rules_of_counters!(
    FibFob,
    everything,
    [ship_moves, clock_moves, tank_moves],
    [all_clock_moves, all_tank_moves]
);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nim(pub Vec<u64>);

impl Rules for Nim {
    const GAME: GameId = GameId::Nim;

    fn write(&self) -> String {
        self.0
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(",")
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let takes = |heap: usize| {
            (1..=self.0[heap]).map(move |coins| {
                let mut after = self.clone();
                after.0[heap] -= coins;
                (format!("take {coins} from {}", heap + 1), after)
            })
        };
        (0..self.0.len()).flat_map(takes).collect()
    }

    fn candidates(&self) -> Vec<String> {
        let from = |heap| (0..8).map(move |coins| format!("take {coins} from {heap}"));
        (0..=self.0.len() + 1).flat_map(from).collect()
    }
}

/// All lists of numbers up to these.
pub fn boxed<const N: usize>(most: [u64; N]) -> Vec<[u64; N]> {
    let mut all = vec![[0; N]];
    for (index, most) in most.into_iter().enumerate() {
        let longer = all.iter().flat_map(|list| {
            (0..=most).map(move |value| {
                let mut list = *list;
                list[index] = value;
                list
            })
        });
        all = longer.collect();
    }
    all
}

pub fn check_all<R: Rules>(positions: impl IntoIterator<Item = R>) {
    let mut oracle = Oracle::new();
    positions
        .into_iter()
        .for_each(|position| oracle.check(&position));
}

#[test]
fn fib_fob_is_solved_on_a_box_of_all_seven_counters() {
    check_all(boxed([2, 1, 2, 3, 2, 4, 3]).into_iter().map(FibFob));
}

#[test]
fn fib_fob_is_solved_on_the_whole_board_with_little_else() {
    check_all(boxed([7, 7, 7, 1, 0, 2, 0]).into_iter().map(FibFob));
}

#[test]
fn fib_fob_is_solved_with_much_time_and_fuel() {
    check_all(boxed([1, 0, 1, 9, 4, 6, 6]).into_iter().map(FibFob));
}

#[test]
fn rooks_is_solved_on_the_whole_board() {
    check_all(boxed([7, 7, 7, 0, 0, 0, 0]).into_iter().map(Rooks));
}

#[test]
fn poker_nim_is_solved_on_a_box() {
    check_all(boxed([0, 0, 0, 40, 20, 0, 0]).into_iter().map(PokerNim));
}

#[test]
fn nim_muskateers_is_solved_on_a_box() {
    check_all(
        boxed([0, 0, 0, 0, 0, 40, 40])
            .into_iter()
            .map(NimMuskateers),
    );
}

#[test]
fn nim_is_solved_on_boxes_of_one_to_four_heaps() {
    check_all(boxed([30]).into_iter().map(|heaps| Nim(heaps.to_vec())));
    check_all(boxed([17, 17]).into_iter().map(|heaps| Nim(heaps.to_vec())));
    check_all(
        boxed([8, 9, 8])
            .into_iter()
            .map(|heaps| Nim(heaps.to_vec())),
    );
    check_all(
        boxed([5, 4, 5, 4])
            .into_iter()
            .map(|heaps| Nim(heaps.to_vec())),
    );
}
