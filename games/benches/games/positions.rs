//! The positions that are asked about: in every game one that can be searched, and one as large as has an answer.

use fibfob_games::{AMOUNT_MAX, GameId, Position};

fn read(game: GameId, text: &str) -> Position {
    let position = game.read(text);
    position.unwrap_or_else(|error| panic!("{game}: {error}"))
}

/// A position of some thousand others: a search ends, and has something to do.
pub fn small(game: GameId) -> Position {
    let text = match game {
        GameId::FibFob => "e4@3 time=4 nuggets=1 fib=3 fob=2",
        GameId::Rooks => "h8@8",
        GameId::PokerNim => "time=24 nuggets=6",
        GameId::NimMuskateers => "fib=24 fob=21",
        GameId::Nim | GameId::MisereNim => "9,11,14",
        GameId::TakeFibonacci => "12,14,15",
        GameId::FibonacciNim | GameId::MisereFibonacciNim => "coins=60",
        GameId::TurningTurtles => "HTHHTHHHTH",
        GameId::StaircaseNim => "4,5,3,6",
        GameId::WythoffNim => "35,50",
        GameId::Kayles => "xxxxxx.xxxxx.xxx",
        GameId::GreenHackenbush => "0-1,0-2,1-2,1-3,2-2,2-4,3-4,3-5,4-6,5-6,6-6",
        GameId::RyuoNim => "9,11,8 p=3",
        GameId::RyuoNim3d => "9,11,8",
        GameId::RyuoNimPass => "24,31 p=7 pass=yes",
        GameId::Sum => "nim 3,4 + kayles xxxx.xx + green-hackenbush 0-1,1-1,1-2,0-2",
    };
    read(game, text)
}

/// A position far beyond any search, with nimber and winning moves known.
pub fn huge(game: GameId) -> Position {
    let text = match game {
        GameId::FibFob => {
            format!("h8@8 time={AMOUNT_MAX} nuggets={AMOUNT_MAX} fib={AMOUNT_MAX} fob={AMOUNT_MAX}")
        }
        GameId::Rooks => "h8@8".to_owned(),
        GameId::PokerNim => format!("time={AMOUNT_MAX} nuggets={AMOUNT_MAX}"),
        GameId::NimMuskateers => format!("fib={AMOUNT_MAX} fob={AMOUNT_MAX}"),
        GameId::Nim | GameId::MisereNim => heaps(),
        GameId::TakeFibonacci => "2097151,2000000,1999999".to_owned(),
        GameId::FibonacciNim => "coins=65535 last=700".to_owned(),
        GameId::MisereFibonacciNim => format!("coins={AMOUNT_MAX}"),
        GameId::TurningTurtles => "HT".repeat(1000),
        GameId::StaircaseNim => heaps(),
        GameId::WythoffNim => "2047,1900".to_owned(),
        GameId::Kayles => "xx.xxxxx.xxx.".repeat(300),
        GameId::GreenHackenbush => graph(),
        GameId::RyuoNim => "9007199254740990,123456789 p=1000003".to_owned(),
        GameId::RyuoNim3d => "14,15,13".to_owned(),
        GameId::RyuoNimPass => "127,120 p=40 pass=yes".to_owned(),
        GameId::Sum => format!(
            "nim {} + kayles xxx.xx + green-hackenbush {}",
            heaps(),
            graph()
        ),
    };
    read(game, &text)
}

/// A hundred heaps of all sizes, together no more than a staircase may hold.
fn heaps() -> String {
    const HEAPS: u64 = 100;
    let heap = |index: u64| (AMOUNT_MAX >> (7 + index % 46)).to_string();
    (0..HEAPS).map(heap).collect::<Vec<_>>().join(",")
}

/// A tree of a thousand edges, and a hundred more for circuits.
fn graph() -> String {
    const VERTICES: u64 = 1000;
    let tree = (1..=VERTICES).map(|vertex| format!("{}-{vertex}", vertex / 3));
    let circuits = (1..=VERTICES / 10).map(|part| format!("{}-{}", part * 10, part * 7));
    tree.chain(circuits).collect::<Vec<_>>().join(",")
}
