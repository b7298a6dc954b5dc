//! Wythoff's Nim: two heaps; take any number from one, or as many from both.
//!
//! Solved by Wythoff (1907): the lost positions are the cold pairs of the golden ratio. For other nimbers no formula is
//! known: they come from a table.

mod cold;
mod nimbers;

use std::fmt;

pub use cold::{cold_pair, cold_partner, floor_phi};
pub use nimbers::TABLE_MAX;

use super::heaps::TAKE;
use crate::explain::concluded;
use crate::explanation::{Explanation, ExplanationStep};
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::{IllegalReason, less_coins};
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

/// The coins in each heap; a play stays within [`PLIES_MAX`](crate::PLIES_MAX).
const COINS: StartRange = StartRange::new("coins", 0..=200, 1..=30);

/// Two heaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WythoffNim {
    heaps: [u64; 2],
}

/// Take so many coins from each heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move([u64; 2]);

impl WythoffNim {
    /// Returns `true` if the player to move loses.
    fn is_cold(self) -> bool {
        let [a, b] = self.heaps;
        cold_partner(a) == Some(b)
    }

    fn smaller(self) -> u64 {
        self.heaps[0].min(self.heaps[1])
    }

    /// Returns the moves that keep one heap, the other heap, or their difference.
    fn lines(self) -> [(Move, u64); 3] {
        let [a, b] = self.heaps;
        [
            (Move([0, 1]), b),
            (Move([1, 0]), a),
            (Move([1, 1]), self.smaller()),
        ]
    }

    /// Yields the moves to cold pairs, at most one along each line: a number has one partner, a difference one pair.
    fn winning(self) -> impl Iterator<Item = Move> {
        let [a, b] = self.heaps;
        let below = |heap: u64, target: Option<u64>| heap.checked_sub(target?);
        let taken = [
            below(b, cold_partner(a)),
            below(a, cold_partner(b)),
            below(self.smaller(), floor_phi(a.abs_diff(b))),
        ];
        let lines = self.lines().into_iter().zip(taken);
        lines.filter_map(|((line, _), taken)| Some(line.times(taken.filter(|&taken| taken > 0)?)))
    }

    /// Lists the moves to this nimber if one heap is empty: then the other is a Nim heap.
    fn moves_alone(self, value: u64) -> MoveSet {
        let mut lines = self.lines().into_iter();
        let lower = lines.find_map(|(line, most)| {
            let taken = most.checked_sub(value).filter(|&taken| taken > 0)?;
            Some(line.times(taken).to_string())
        });
        lower.into_iter().collect()
    }

    /// The cold pair of the heaps' difference.
    fn pair(self, mv: Option<String>) -> Option<ExplanationStep> {
        let k = self.heaps[0].abs_diff(self.heaps[1]);
        let (small, large) = cold_pair(k)?;
        Some(ExplanationStep::ColdPair {
            k,
            small,
            large,
            mv,
        })
    }
}

impl Move {
    fn times(self, count: u64) -> Self {
        Self(self.0.map(|coins| coins * count))
    }
}

impl fmt::Display for WythoffNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.heaps)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("take ")?;
        notation::write_list(f, &self.0)
    }
}

impl Game for WythoffNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "wythoff-nim",
        title: "Wythoff's Nim",
        rules: "Two heaps: take any number of coins from one heap, or the same number from both. Whoever cannot move loses.",
        example: "3,6",
        example_move: "take 1,1",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The coins of the two heaps.",
        how: how! {
            "5,4", "take 3,0" => TAKE;
            "5,4", "take 3,3" => "Or take the same number from both heaps.";
        },
        theory: &[
            "Lost are the cold pairs ⌊kφ⌋, ⌊kφ⌋ + k of the golden ratio φ, in either order (Wythoff 1907); at most \
             three moves reach one.",
            "For other nimbers no formula is known: they come from a table.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable::heaps()]);
    const START_RANGES: &'static [StartRange] = &[COINS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let heaps = fields.list()?;
            let two = |kind: NotationErrorKind| {
                kind.error(&format!("{} heaps", heaps.len()), "two heaps")
            };
            match *heaps {
                [_] => Err(two(NotationErrorKind::Missing)),
                [a, b] => Ok(Self { heaps: [a, b] }),
                _ => Err(two(NotationErrorKind::Unexpected)),
            }
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            heaps: [sampler.amount(&COINS), sampler.amount(&COINS)],
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        self.heaps.iter().try_for_each(|&coins| COINS.check(coins))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let taken = notation::verb_list(text, "take", 2..=2)?;
        Ok(Move([taken[0], taken[1]]))
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        match mv.0 {
            [0, 0] => return Err(IllegalReason::Nothing),
            [a, b] if a != b && a > 0 && b > 0 => return Err(IllegalReason::UnequalTakes),
            _ => {}
        }
        let mut heaps = self.heaps;
        for (heap, taken) in heaps.iter_mut().zip(mv.0) {
            *heap = less_coins(*heap, taken)?;
        }
        Ok(Self { heaps })
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        for (Move(line), most) in self.lines() {
            let [a, b] = line.map(|coins| if coins == 0 { "0" } else { "{a}" });
            moves.push_range(format!("take {a},{b}"), 1, most);
        }
        moves
    }

    fn nimber(&self) -> Nimber {
        match self.is_cold() {
            true => Nimber::Known(0),
            false => nimbers::nimber(self.heaps).into(),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(Outcome::lost(self.is_cold()))
    }

    fn winning_moves(&self) -> Result<MoveSet, UnknownReason> {
        Ok(self.winning().map(|mv| mv.to_string()).collect())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        if value == 0 {
            return self.winning_moves();
        }
        nimbers::nimber(self.heaps)?;
        if self.smaller() == 0 {
            return Ok(self.moves_alone(value));
        }
        // A line has each nimber at most once, for each of its positions is an option of the larger ones.
        let hit = |(line, most): (Move, u64)| {
            let mut moves = (1..=most).map(|count| line.times(count));
            moves.find(|&mv| {
                let after = self.after(&mv).map(|after| nimbers::nimber(after.heaps));
                after == Ok(Ok(value))
            })
        };
        let hits = self.lines().into_iter().filter_map(hit);
        Ok(hits.map(|mv| mv.to_string()).collect())
    }

    /// A nimber other than 0 is looked for take by take.
    fn solve_steps(&self) -> u64 {
        let takes = self.lines().map(|(_, most)| most.min(TABLE_MAX));
        self.play_steps() + takes.iter().sum::<u64>() / PASSED_PER_STEP
    }

    fn longest_play(&self) -> u128 {
        // Coins are taken singly.
        self.heaps.iter().map(|&coins| u128::from(coins)).sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Heaps(self.heaps.to_vec())]
    }

    fn explain(&self) -> Explanation {
        let steps = if self.is_cold() {
            self.pair(None).into_iter().collect()
        } else {
            Vec::new()
        };
        let reaches = |mv: &Move| self.after(mv).ok()?.pair(Some(mv.to_string()));
        concluded(self, steps, reaches)
    }
}
