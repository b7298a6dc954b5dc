//! Three-dimensional Ryūō Nim: take any number from one of three heaps, or one coin each from two or from all three.
//!
//! Who wins is known in closed form, found by exhaustive search: with K the xor of the ⌊x/3⌋, the player to move loses iff
//! all heaps are 1 modulo 3 and K = 1, or the sum is 0 modulo 3, not all heaps are 1 modulo 3, and K = 0. No formula is
//! known for the nimbers; with an empty heap the game is that of two heaps and p = 3.

use std::{fmt, sync::OnceLock};

use super::heaps::TAKE;
use super::ryuo::blocks::Blocks;
use super::ryuo::nimber_table::{RyuoTable, TableKey};
use super::ryuo::rule::{self, RyuoMove, TakeRule};
use super::ryuo::{Condition, conditioned};
use crate::explain::verdict;
use crate::explanation::{Explanation, LossCondition};
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{self, AMOUNT_MAX, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

const RULE: TakeRule = TakeRule {
    alone: AMOUNT_MAX,
    each: 1,
    together: 3,
};

/// The closed form with an empty heap, which also counts the blocks and the rests of all three.
const FORM: Blocks = Blocks {
    modulus: 3,
    period: None,
};

/// The most coins of a heap whose nimber is searched: 64³ positions.
const TABLE_BOUND: u64 = 63;

/// The only table of this game. It is kept, because building it takes longer than a bot may think.
static NIMBERS: OnceLock<RyuoTable> = OnceLock::new();

/// The coins in each heap: all nimbers are known.
const COINS: StartRange = rule::coins(TABLE_BOUND, 12);

/// Three heaps, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RyuoNim3d {
    heaps: Vec<u64>,
}

impl RyuoNim3d {
    /// The xor of the ⌊x/3⌋.
    fn blocks(&self) -> u64 {
        self.heaps.iter().fold(0, |sum, coins| sum ^ (coins / 3))
    }

    fn all_one(&self) -> bool {
        self.heaps.iter().all(|coins| coins % 3 == 1)
    }

    /// The sum modulo 3 and K, each with what it must be for the player to move to lose.
    fn conditions(&self) -> [Condition; 2] {
        [
            (
                LossCondition::SumMod3,
                self.heaps.iter().sum::<u64>() % 3,
                0,
            ),
            (
                LossCondition::XorOfBlocks,
                self.blocks(),
                self.all_one().into(),
            ),
        ]
    }

    fn lost(&self) -> bool {
        self.conditions()
            .iter()
            .all(|(_, value, wanted)| value == wanted)
    }

    /// Returns the only number of coins that a winning take from this heap alone can leave in it.
    fn left(&self, heap: usize) -> u64 {
        let others = |index: &usize| *index != heap;
        let others: Vec<u64> = (0..3)
            .filter(others)
            .map(|index| self.heaps[index])
            .collect();
        let rest = (6 - others[0] % 3 - others[1] % 3) % 3;
        // If the other two are 1 modulo 3, the third must be too, and another xor is needed.
        let both = others.iter().all(|coins| coins % 3 == 1);
        ((others[0] / 3) ^ (others[1] / 3) ^ u64::from(both)) * 3 + rest
    }

    /// Lists all winning moves: of seven candidates, those that leave a lost position.
    fn winning(&self) -> MoveSet {
        let alone = (0..3).filter_map(|heap| {
            let mut take = [0; 3];
            take[heap] = self.heaps[heap]
                .checked_sub(self.left(heap))
                .filter(|&coins| coins > 0)?;
            Some(take)
        });
        let several = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]];
        let mut moves = MoveSet::new();
        for take in alone.chain(several) {
            let take = RyuoMove::new(&take);
            if self.after(&take).is_ok_and(|after| after.lost()) {
                moves.push(take.to_string());
            }
        }
        moves
    }

    fn table(&self) -> Result<&'static RyuoTable, UnknownReason> {
        let key = TableKey::of(&self.heaps, RULE, TABLE_BOUND, false)?;
        Ok(NIMBERS.get_or_init(|| RyuoTable::build(key)))
    }

    fn has_empty_heap(&self) -> bool {
        self.heaps.contains(&0)
    }
}

impl fmt::Display for RyuoNim3d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.heaps)
    }
}

impl Game for RyuoNim3d {
    type Move = RyuoMove;

    const INFO: GameInfo = GameInfo {
        id: "ryuo-nim-3d",
        title: "Three-dimensional Ryūō Nim",
        rules: "Take any number of coins from one of three heaps, or one coin each from two or all three. Whoever cannot move \
                loses.",
        example: "5,7,2",
        example_move: "take 1,1,0",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The coins of the three heaps.",
        how: how! {
            "4,3,2", "take 3,0,0" => TAKE;
            "4,3,2", "take 1,1,1" => "Or take one coin each from two or all three heaps.";
        },
        theory: &[
            "With K the xor of the blocks of three coins, lost iff all heaps are 1 mod 3 and K = 1, or the sum is \
             0 mod 3, not all heaps are 1 mod 3, and K = 0.",
            "For other nimbers no formula is known: they come from a table, up to a bound.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable {
        options: &["third"],
        cell: |a, b, options| format!("{a},{b},{}", options.third.unwrap_or(0)),
        ..PositionTable::heaps()
    }]);
    const START_RANGES: &'static [StartRange] = &[COINS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let heaps = fields.list()?;
            let kind = match heaps.len() {
                ..3 => NotationErrorKind::Missing,
                3 => return Ok(Self { heaps }),
                4.. => NotationErrorKind::TooMany,
            };
            Err(kind.error(&format!("{} heaps", heaps.len()), "three heaps"))
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            heaps: (0..3).map(|_| sampler.amount(&COINS)).collect(),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        self.heaps.iter().try_for_each(|&coins| COINS.check(coins))
    }

    fn parse_move(&self, text: &str) -> Result<RyuoMove, NotationError> {
        RyuoMove::read(text, 3..=3)
    }

    fn after(&self, mv: &RyuoMove) -> Result<Self, IllegalReason> {
        RULE.after(&self.heaps, mv).map(|heaps| Self { heaps })
    }

    fn legal_moves(&self) -> MoveSet {
        RULE.legal_moves(&self.heaps)
    }

    fn nimber(&self) -> Nimber {
        if self.lost() {
            return Nimber::Known(0);
        }
        if self.has_empty_heap() {
            return Nimber::Known(FORM.nimber(&self.heaps));
        }
        self.table().map(|table| table.nimber(&self.heaps)).into()
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(Outcome::lost(self.lost()))
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        // No nimber is larger than the number of moves that can still be made.
        if u128::from(value) >= self.longest_play() {
            return Ok(MoveSet::new());
        }
        match value {
            0 => Ok(self.winning()),
            _ if self.has_empty_heap() => Ok(FORM.moves_to(&self.heaps, value)),
            _ => Ok(self.table()?.takes_to(&self.heaps, value)),
        }
    }

    /// A nimber other than 0 is looked for take by take.
    fn solve_steps(&self) -> u64 {
        self.play_steps() + RULE.takes(&self.heaps, TABLE_BOUND) / PASSED_PER_STEP
    }

    fn longest_play(&self) -> u128 {
        RULE.longest_play(&self.heaps)
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Heaps(self.heaps.clone())]
    }

    fn explain(&self) -> Explanation {
        if self.has_empty_heap() {
            let steps = FORM.explain(&self.heaps);
            return verdict(self, steps);
        }
        conditioned(self, FORM.count(&self.heaps), self.conditions())
    }
}
