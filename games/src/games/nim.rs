//! Nim: heaps of coins; take any number from one of them.
//!
//! Solved by Bouton (1901): the nimber is the xor of the heaps.

use std::fmt;

use crate::{
    About, Convention, Draw, Explanation, Fields, Game, IllegalMove, MoveSet, Nimber,
    NotationError, Reason, StartError, StartRange, Unknown,
    explain::{Part, Parts, by_parts},
    notation,
};

const ABOUT: About = About {
    id: "nim",
    title: "Nim",
    rules: "Take any number of coins from one heap. Who cannot move loses.",
    example: "3,4,5",
    example_move: "take 2 from 1",
    convention: Convention::Normal,
};

/// How many heaps there are.
const HEAPS: StartRange = StartRange {
    name: "heaps",
    least: 1,
    most: 16,
    default_from: 3,
    default_to: 5,
};
/// How many coins each heap has.
const COINS: StartRange = StartRange {
    name: "coins",
    least: 0,
    most: 255,
    default_from: 1,
    default_to: 15,
};

/// The heaps of a Nim position: at least one, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nim {
    heaps: Vec<u64>,
}

/// Take coins from a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    coins: u64,
    /// Counted from 1.
    heap: u64,
}

impl Nim {
    /// The nimber: the xor of the heaps.
    pub fn value(&self) -> u64 {
        self.heaps.iter().fold(0, |sum, heap| sum ^ heap)
    }

    /// The heaps with their numbers from 1.
    fn numbered(&self) -> impl Iterator<Item = (u64, u64)> {
        (1..).zip(self.heaps.iter().copied())
    }

    fn refused(&self, mv: &Move, there: Option<u64>) -> Reason {
        match there {
            None => Reason::NoSuch {
                what: "heap",
                number: mv.heap,
                last: self.heaps.len() as u64,
            },
            Some(_) if mv.coins == 0 => Reason::Nothing,
            Some(there) => Reason::TooMany {
                what: "coins",
                asked: mv.coins,
                there,
            },
        }
    }

    /// Takes the pieces of a position that belong to this game.
    fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        Ok(Nim {
            heaps: fields.list()?,
        })
    }
}

impl fmt::Display for Nim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.heaps)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {} from {}", self.coins, self.heap)
    }
}

impl Game for Nim {
    type Move = Move;

    const ABOUT: About = ABOUT;
    const START_RANGES: &'static [StartRange] = &[HEAPS, COINS];

    fn read(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, &ABOUT, Self::from_fields)
    }

    fn draw(draw: &mut Draw<'_>) -> Self {
        Nim {
            heaps: (0..draw.amount(&HEAPS))
                .map(|_| draw.amount(&COINS))
                .collect(),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        HEAPS.check(self.heaps.len() as u64)?;
        self.heaps.iter().try_for_each(|&coins| COINS.check(coins))
    }

    fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        let [coins, heap] = notation::amounts(text, ["take", "from"], ABOUT.example_move)?;
        Ok(Move { coins, heap })
    }

    fn play(&self, mv: &Move) -> Result<Self, IllegalMove> {
        let there = self
            .numbered()
            .find(|&(number, _)| number == mv.heap)
            .map(|(_, coins)| coins);
        let left = there
            .filter(|_| mv.coins > 0)
            .and_then(|coins| coins.checked_sub(mv.coins));
        let Some(left) = left else {
            return Err(IllegalMove::new(
                mv,
                self.refused(mv, there),
                self.legal_moves(),
            ));
        };
        let heaps = self
            .numbered()
            .map(|(number, coins)| if number == mv.heap { left } else { coins })
            .collect();
        Ok(Nim { heaps })
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        for (heap, coins) in self.numbered() {
            moves.push_range(format!("take {{a}} from {heap}"), 1, coins);
        }
        moves
    }

    fn legal_count(&self) -> Option<u128> {
        // Every smaller heap is one move away, and the longest play takes coins singly.
        Some(self.longest_play())
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, Unknown> {
        let change = value ^ self.value();
        let lower = self.numbered().filter(|(_, coins)| coins ^ change < *coins);
        Ok(lower
            .map(|(heap, coins)| {
                Move {
                    coins: coins - (coins ^ change),
                    heap,
                }
                .to_string()
            })
            .collect())
    }

    fn longest_play(&self) -> u128 {
        self.heaps.iter().map(|&coins| u128::from(coins)).sum()
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }
}

impl Parts for Nim {
    fn parts(&self) -> Vec<Part> {
        self.numbered()
            .map(|(heap, coins)| Part::new(format!("heap {heap}"), coins, coins))
            .collect()
    }
}
