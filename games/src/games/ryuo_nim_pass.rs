//! Ryūō Nim with a pass: two heaps, and one pass in the whole game for whoever wants it first.
//!
//! Once the pass is used, this is Ryūō Nim. While it is left, who wins is known in closed form, after Miyadera and others
//! (2017, arXiv:1711.01411). Let every heap count one coin less, in blocks of p coins (of 2, if p is less): besides the
//! empty heaps, the player to move loses iff no heap is empty, both are in the same block, and their sum modulo p is
//! p − 1 in the lowest block and 0 in the others; if p ≤ 2, 1 in every block. No formula is known for the nimbers.

use std::{fmt, sync::Arc};

use super::heaps::TAKE;
use super::ryuo::nimber_table::RyuoTable;
use super::ryuo::rule::{self, RyuoMove};
use super::ryuo::{Condition, conditioned};
use super::ryuo_nim::{RyuoNim, TOGETHER};
use crate::explanation::{Explanation, LossCondition};
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::{MoveBound, ShapePart};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

/// The most coins of a heap whose nimber is searched while the pass is left: 64² positions.
const TABLE_BOUND: u64 = 63;

/// The coins in each heap: all nimbers are known.
const COINS: StartRange = rule::coins(TABLE_BOUND, 24);
/// Takes from both heaps are of less coins.
const P: StartRange = StartRange::new("p", 1..=16, 2..=6);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RyuoNimPass {
    /// Two heaps without q.
    nim: RyuoNim,
    pass: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    RyuoMove(RyuoMove),
    Pass,
}

impl RyuoNimPass {
    fn heaps(&self) -> [u64; 2] {
        [self.nim.heaps()[0], self.nim.heaps()[1]]
    }

    fn can_pass(&self) -> bool {
        self.pass && !self.nim.is_terminal()
    }

    /// The size of the blocks in which the heaps, less one coin each, are counted.
    fn block(&self) -> u64 {
        self.nim.p().max(2)
    }

    /// Returns the residue of a lost position: of the sum of two heaps in this block, less one coin each.
    fn residue(&self, block: u64) -> u64 {
        if block == 0 || self.nim.p() <= 2 {
            self.block() - 1
        } else {
            0
        }
    }

    /// Returns the number of coins in the other heap with which the player to move loses, while the pass is left.
    fn partner(&self, coins: u64) -> u64 {
        let size = self.block();
        match coins.checked_sub(1) {
            None => 0,
            Some(less) => {
                let block = less / size;
                block * size + (self.residue(block) + size - less % size) % size + 1
            }
        }
    }

    /// The winning moves while the pass and coins are left.
    fn winning(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        let [x, y] = self.heaps();
        if self.nim.nimber() == Nimber::Known(0) {
            moves.push(Move::Pass.to_string());
        }
        for (heap, coins, other) in [(0, x, y), (1, y, x)] {
            let left = self.partner(other);
            if left < coins {
                moves.push(rule::alone(2, heap, &(coins - left).to_string()));
            }
        }
        if x > 0 && y > 0 {
            if x + y < self.nim.p() {
                moves.push(RyuoMove::new(&[x, y]).to_string());
            }
            self.push_several(&mut moves);
        }
        moves
    }

    /// Adds the takes from both heaps that leave a lost position without an empty heap. Their total is less
    /// than p, so it is determined. The block is that of the smaller heap: to leave it, both heaps would have
    /// to lose more than their rests, which is more than the total.
    fn push_several(&self, moves: &mut MoveSet) {
        let size = self.block();
        let less = self.heaps().map(|coins| coins - 1);
        let block = less[0].min(less[1]) / size;
        let total = (less[0] % size + less[1] % size + size - self.residue(block)) % size;
        let bounds = less.map(|coins| {
            let from = coins.saturating_sub(block * size + size - 1).max(1);
            (from, coins.saturating_sub(block * size).min(total))
        });
        // With p ≤ 2 no total is large enough for two heaps.
        if total < self.nim.p() && bounds.iter().all(|(from, to)| from <= to) {
            rule::push_several(moves, &bounds, total, total);
        }
    }

    fn table(&self) -> Result<Arc<RyuoTable>, UnknownReason> {
        RyuoTable::holding(self.nim.heaps(), self.nim.rule(), TABLE_BOUND, true)
    }

    /// The conditions under which the player to move loses while the pass is left.
    fn conditions(&self) -> Vec<Condition> {
        let size = self.block();
        match self.heaps().map(|coins| coins.checked_sub(1)) {
            [Some(u), Some(v)] => {
                let block = v / size;
                vec![
                    (LossCondition::BlockOfHeap1, u / size, block),
                    (
                        LossCondition::SumOfRests,
                        (u % size + v % size) % size,
                        self.residue(block),
                    ),
                ]
            }
            _ => vec![(
                LossCondition::CoinsInBothHeaps,
                self.heaps().iter().sum(),
                0,
            )],
        }
    }

    fn lost(&self) -> bool {
        let [x, y] = self.heaps();
        self.partner(y) == x
    }
}

impl fmt::Display for RyuoNimPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pass={}",
            self.nim,
            if self.pass { "yes" } else { "no" }
        )
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RyuoMove(take) => take.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

impl Game for RyuoNimPass {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "ryuo-nim-pass",
        title: "Ryūō Nim with a pass",
        rules: "Take any number of coins from one of two heaps, or fewer than p coins together from both; once in the whole \
                game, one player may pass, if there are coins. Whoever cannot move loses.",
        example: "5,7 p=3 pass=yes",
        example_move: "take 1,1",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The coins of the two heaps, p, and whether the pass is left.",
        how: how! {
            "5,4 p=3 pass=yes", "take 3,0" => TAKE;
            "5,4 p=3 pass=yes", "take 1,1" => TOGETHER;
            "5,4 p=3 pass=yes", "pass" => "Once in the whole game one player may pass, while there are coins.";
        },
        theory: &[
            "Without the pass, as in Ryūō Nim. With it, for p of 3 or more, take one coin off each heap; both rests \
             must lie in the same block of p coins. Lost iff in block 0 the heaps add up to p + 1, in later blocks \
             the rests to 0 mod p. For p of 1 or 2 the pairs 2m − 1, 2m are lost. So is 0,0.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable {
        options: &["p"],
        cell: |a, b, options| format!("{a},{b} p={} pass=yes", options.p()),
        ..PositionTable::heaps()
    }]);
    const START_RANGES: &'static [StartRange] = &[COINS, P];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let nim = RyuoNim::without_q(fields)?;
            let count = nim.heaps().len();
            if count > 2 {
                let found = format!("{count} heaps");
                return Err(NotationErrorKind::TooMany.error(&found, "two heaps"));
            }
            let pass = match fields.field("pass") {
                Some("yes") => true,
                Some("no") | None => false,
                Some(other) => {
                    let expected = "pass=yes or pass=no";
                    return Err(NotationErrorKind::Unexpected.error(other, expected));
                }
            };
            Ok(Self { nim, pass })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            nim: RyuoNim::pair(sampler, &COINS, &P),
            pass: true,
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        self.heaps()
            .iter()
            .try_for_each(|&coins| COINS.check(coins))?;
        P.check(self.nim.p())
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        match notation::verb(text) {
            ("pass", "") => Ok(Move::Pass),
            ("pass", rest) => Err(NotationErrorKind::Unexpected.error(rest, "the end of the move")),
            _ => RyuoMove::read(text, 2..=2).map(Move::RyuoMove),
        }
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        match mv {
            Move::RyuoMove(take) => Ok(Self {
                nim: self.nim.after(take)?,
                pass: self.pass,
            }),
            Move::Pass if self.can_pass() => Ok(Self {
                pass: false,
                ..self.clone()
            }),
            Move::Pass if self.pass => Err(IllegalReason::NothingToPass),
            Move::Pass => Err(IllegalReason::Passed),
        }
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = self.nim.legal_moves();
        if self.can_pass() {
            moves.push(Move::Pass.to_string());
        }
        moves
    }

    fn nimber(&self) -> Nimber {
        if !self.pass {
            return self.nim.nimber();
        }
        if self.lost() {
            return Nimber::Known(0);
        }
        self.table()
            .map(|table| table.nimber(self.nim.heaps()))
            .into()
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.pass {
            Some(Outcome::lost(self.lost()))
        } else {
            self.nim.outcome()
        }
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        match (self.pass, value) {
            (false, _) => self.nim.moves_to(value),
            // No nimber is larger than the number of moves that can still be made.
            _ if u128::from(value) >= self.longest_play() => Ok(MoveSet::new()),
            (true, 0) => Ok(self.winning()),
            (true, _) => {
                let mut moves = self.table()?.takes_to(self.nim.heaps(), value);
                if self.nim.nimber() == Nimber::Known(value) {
                    moves.push(Move::Pass.to_string());
                }
                Ok(moves)
            }
        }
    }

    /// While the pass is left: the table with it, and the one without it. Half of the cells of each are searched.
    fn table_steps(&self) -> u64 {
        match self.pass {
            true => self.nim.rule().tabled(2, TABLE_BOUND) / PASSED_PER_STEP,
            false => 0,
        }
    }

    /// A nimber other than 0 is looked for take by take.
    fn solve_steps(&self) -> u64 {
        let takes = self.nim.rule().takes(self.nim.heaps(), TABLE_BOUND);
        self.nim.solve_steps() + takes / PASSED_PER_STEP
    }

    fn longest_play(&self) -> u128 {
        self.nim.longest_play() + u128::from(self.can_pass())
    }

    fn shape(&self) -> Vec<ShapePart> {
        let mut shape = self.nim.shape();
        shape.push(ShapePart::Bound(MoveBound::Pass(self.pass)));
        shape
    }

    fn explain(&self) -> Explanation {
        if !self.pass {
            return self.nim.explain();
        }
        conditioned(self, Vec::new(), self.conditions())
    }
}
