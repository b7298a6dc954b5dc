//! The tables of each game; a new game needs an entry here.

use fibfob_games::{GameId, ROW_MAX};

use super::shape::{Axis, Plane, Sequence, TableOption, Tables};

/// The maximum length of a sequence, where the notation allows it.
pub const TO_MAX: u64 = 1_000_000;

/// The maximum amount in a plane: a million positions.
pub const SIZE_MAX: u64 = 999;

/// The maximum number of pins or turtles in a row, set by the notation.
const PLACES_MAX: u64 = ROW_MAX as u64;

/// The maximum number of edges of a circuit: the text of a position grows with it.
const CIRCUIT_MAX: u64 = 1000;

/// Returns the tables of a game.
pub fn tables(game: GameId) -> Tables {
    match game {
        GameId::FibFob => Tables::None(
            "it has seven amounts; its parts have tables: rooks, poker-nim and nim-muskateers",
        ),
        GameId::Sum => Tables::None("the nimber of a sum is the xor of its components' nimbers"),
        GameId::Rooks => plane(Plane {
            rows: Axis::new("rank", 1, 8),
            columns: Axis {
                label: file,
                ..Axis::new("file", 1, 8)
            },
            options: &[],
            cell: |rank, at, _| format!("{}{rank}@1", file(at)),
        }),
        GameId::PokerNim => plane(Plane {
            cell: |time, nuggets, _| format!("time={time} nuggets={nuggets}"),
            ..heaps("time", "nuggets")
        }),
        GameId::NimMuskateers => both(
            Sequence {
                axis: Axis::new("gallons in one tank", 0, TO_MAX),
                cell: |fib| format!("fib={fib} fob=0"),
            },
            Plane {
                cell: |fib, fob, _| format!("fib={fib} fob={fob}"),
                ..heaps("fib", "fob")
            },
        ),
        GameId::Nim | GameId::TakeFibonacci => both(heap(), heaps("heap 1", "heap 2")),
        GameId::MisereNim => both(heap(), heaps("heap 1", "heap 2")),
        GameId::WythoffNim => plane(heaps("heap 1", "heap 2")),
        GameId::FibonacciNim => both(start(0), taken(0)),
        // A single coin is no start: who must not take it cannot take anything else.
        GameId::MisereFibonacciNim => both(start(2), taken(1)),
        GameId::TurningTurtles => sequence(Sequence {
            axis: Axis::new("place of a single head", 1, PLACES_MAX),
            cell: |place| format!("{}H", "T".repeat(length(place - 1))),
        }),
        GameId::StaircaseNim => plane(Plane {
            cell: |odd, even, _| format!("0,{odd},{even}"),
            ..heaps("step 1", "step 2")
        }),
        GameId::Kayles => both(
            Sequence {
                axis: Axis::new("pins", 0, PLACES_MAX),
                cell: |pins| pins_or_gap(pins),
            },
            Plane {
                cell: |left, right, _| format!("{}.{}", pins_or_gap(left), pins_or_gap(right)),
                ..heaps("group 1", "group 2")
            },
        ),
        GameId::GreenHackenbush => both(
            Sequence {
                axis: Axis::new("edges of a circuit", 0, CIRCUIT_MAX),
                cell: |edges| stalk_and_circuit(0, edges),
            },
            Plane {
                rows: Axis::new("edges of a stalk", 0, STALK_MAX),
                columns: Axis::new("edges of a circuit on top", 0, STALK_MAX),
                options: &[],
                cell: |stalk, edges, _| stalk_and_circuit(stalk, edges),
            },
        ),
        GameId::RyuoNim => plane(Plane {
            options: &[TableOption::P, TableOption::Q],
            cell: |a, b, options| {
                let q = options.q.map_or(String::new(), |q| format!(" q={q}"));
                format!("{a},{b} p={}{q}", options.p())
            },
            ..heaps("heap 1", "heap 2")
        }),
        GameId::RyuoNim3d => plane(Plane {
            options: &[TableOption::Third],
            cell: |a, b, options| format!("{a},{b},{}", options.third.unwrap_or(0)),
            ..heaps("heap 1", "heap 2")
        }),
        GameId::RyuoNimPass => plane(Plane {
            options: &[TableOption::P],
            cell: |a, b, options| format!("{a},{b} p={} pass=yes", options.p()),
            ..heaps("heap 1", "heap 2")
        }),
    }
}

/// The maximum number of edges of a stalk and of the circuit on it.
const STALK_MAX: u64 = 199;

const fn sequence(sequence: Sequence) -> Tables {
    Tables::Of {
        sequence: Some(sequence),
        plane: None,
    }
}

const fn plane(plane: Plane) -> Tables {
    Tables::Of {
        sequence: None,
        plane: Some(plane),
    }
}

const fn both(sequence: Sequence, plane: Plane) -> Tables {
    Tables::Of {
        sequence: Some(sequence),
        plane: Some(plane),
    }
}

/// The sequence of one heap.
fn heap() -> Sequence {
    Sequence {
        axis: Axis::new("coins", 0, TO_MAX),
        cell: |coins| coins.to_string(),
    }
}

/// The plane of two heaps.
fn heaps(rows: &'static str, columns: &'static str) -> Plane {
    Plane {
        rows: Axis::new(rows, 0, SIZE_MAX),
        columns: Axis::new(columns, 0, SIZE_MAX),
        options: &[],
        cell: |a, b, _| format!("{a},{b}"),
    }
}

/// The sequence of starts of Fibonacci Nim.
fn start(least: u64) -> Sequence {
    Sequence {
        axis: Axis::new("coins at the start", least, TO_MAX),
        cell: |coins| format!("coins={coins}"),
    }
}

/// The plane of coins and of the previous move in Fibonacci Nim.
fn taken(least: u64) -> Plane {
    Plane {
        rows: Axis::new("coins", least, SIZE_MAX),
        columns: Axis::new("taken last", 1, SIZE_MAX),
        options: &[],
        cell: |coins, last, _| format!("coins={coins} last={last}"),
    }
}

/// Returns the letter of a file.
fn file(number: u64) -> String {
    (b'a'..=b'h')
        .nth(length(number.saturating_sub(1)))
        .map_or(String::new(), |letter| char::from(letter).to_string())
}

/// Returns a group of pins, or a gap for none: a row has at least one place.
fn pins_or_gap(pins: u64) -> String {
    match pins {
        0 => ".".to_owned(),
        _ => "x".repeat(length(pins)),
    }
}

/// Returns a path from the ground with a circuit at its end.
fn stalk_and_circuit(stalk: u64, circuit: u64) -> String {
    let path = (0..stalk).map(|vertex| format!("{vertex}-{}", vertex + 1));
    let ring = (0..circuit).map(|index| {
        // The circuit begins and ends where the stalk does.
        let [from, to] = [index, (index + 1) % circuit].map(|place| stalk + place);
        format!("{from}-{to}")
    });
    let edges: Vec<String> = path.chain(ring).collect();
    if edges.is_empty() {
        "-".to_owned()
    } else {
        edges.join(",")
    }
}

/// Converts a length. No truncation: all bounds here are far below 2^32.
fn length(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
