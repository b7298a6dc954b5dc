//! Staircase Nim: coins on the steps of a stair; move any number from one step to the next lower.
//!
//! The nimber is the xor of the odd steps. Coins that come to an odd step from above can be moved on at once,
//! to an even step (Sprague 1937 called such moves reversible).

use std::fmt;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::{IllegalReason, less_coins};
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, AMOUNT_MAX, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

/// The number of steps, the floor included; with [`COINS`] a play has at most 14·(1 + 2 + … + 7) = 392 moves.
const STEPS: StartRange = StartRange::new("steps", 2..=8, 4..=6);
const COINS: StartRange = StartRange::new("coins", 0..=14, 0..=7);

/// The coins on the steps, from step 0 upwards: at least one step, and at most [`AMOUNT_MAX`] coins together,
/// so that no step ever has more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StaircaseNim {
    steps: Vec<u64>,
}

/// Move coins from a step to the next lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    coins: u64,
    /// Counted from 0.
    step: u64,
}

impl StaircaseNim {
    pub fn value(&self) -> u64 {
        self.odd().fold(0, |sum, (_, coins)| sum ^ coins)
    }

    /// The steps with their numbers from 0.
    fn numbered(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..).zip(self.steps.iter().copied())
    }

    fn odd(&self) -> impl Iterator<Item = (u64, u64)> {
        self.numbered().filter(|(step, _)| step % 2 == 1)
    }
}

impl fmt::Display for StaircaseNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.steps)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {} from {}", self.coins, self.step)
    }
}

impl Game for StaircaseNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "staircase-nim",
        title: "Staircase Nim",
        rules: "Move any number of coins from one step to the next lower; step 0 is the floor. Whoever cannot move loses.",
        example: "4,2,3",
        example_move: "move 3 from 2",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The coins on step 0 (the floor), 1, 2 and so on.",
        how: &[(
            "2,3,4",
            "move 2 from 2",
            "Move as many coins as you like from one step to the next lower. Coins on the floor stay there.",
        )],
        theory: &[
            "Only the odd steps count: the nimber is their xor. The answer to a move from an even step \
             moves the same coins on.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable::plane(
        ["step 1", "step 2"],
        |odd, even, _| format!("0,{odd},{even}"),
    )]);
    const START_RANGES: &'static [StartRange] = &[STEPS, COINS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let steps = fields.list()?;
            let coins: u128 = steps.iter().map(|&coins| u128::from(coins)).sum();
            if coins > AMOUNT_MAX.into() {
                let expected = format!("at most {AMOUNT_MAX} coins on all steps together");
                let found = coins.to_string();
                return Err(NotationErrorKind::AmountTooLarge.error(&found, expected));
            }
            Ok(Self { steps })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            steps: (0..sampler.amount(&STEPS))
                .map(|_| sampler.amount(&COINS))
                .collect(),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        STEPS.check(self.steps.len() as u64)?;
        self.steps.iter().try_for_each(|&coins| COINS.check(coins))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let [coins, step] = notation::amounts(text, ["move", "from"])?;
        Ok(Move { coins, step })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let Move { coins, step } = *mv;
        let mut after = self.clone();
        let index = usize::try_from(step)
            .ok()
            .filter(|&index| index < self.steps.len())
            .ok_or(IllegalReason::NoSuch {
                what: "step",
                number: step,
                last: self.steps.len() as u64 - 1,
            })?;
        let lower = index.checked_sub(1).ok_or(IllegalReason::Floor)?;
        if coins == 0 {
            return Err(IllegalReason::Nothing);
        }
        after.steps[index] = less_coins(self.steps[index], coins)?;
        after.steps[lower] += coins;
        Ok(after)
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        for (step, coins) in self.numbered().skip(1) {
            moves.push_range(format!("move {{a}} from {step}"), 1, coins);
        }
        moves
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let change = value ^ self.value();
        let mut moves = MoveSet::new();
        // Every move changes just one odd step: it takes coins away from it, or adds coins from the step above.
        for (step, coins) in self.odd() {
            let wanted = coins ^ change;
            // No truncation: there is a step of this number.
            let above = self.steps.get(step as usize + 1).copied().unwrap_or(0);
            if wanted < coins {
                let coins = coins - wanted;
                moves.push(Move { coins, step }.to_string());
            } else if wanted > coins && wanted - coins <= above {
                let coins = wanted - coins;
                let step = step + 1;
                moves.push(Move { coins, step }.to_string());
            }
        }
        Ok(moves)
    }

    fn longest_play(&self) -> u128 {
        // Every coin is moved singly down to the floor.
        self.numbered()
            .map(|(step, coins)| u128::from(step) * u128::from(coins))
            .sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Steps(self.steps.clone())]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        self.odd()
            .map(|(step, coins)| PartValue::new(Part::Step { number: step }, coins, coins))
            .collect()
    }
}
