//! The closed form of Ryūō Nim: heaps counted in whole blocks, and the rest of the sum.
//!
//! With blocks of p coins the nimber is (Σxᵢ mod p) + p·⊕⌊xᵢ/p⌋; where at most q − 1 coins are taken from one heap and p
//! divides q, (Σxᵢ mod p) + p·⊕⌊(xᵢ mod q)/p⌋. For blocks of one coin that is ⊕(xᵢ mod q), the subtraction game.

use super::rule;
use crate::explain::summands;
use crate::explanation::{ExplanationStep, Part};
use crate::move_set::MoveSet;

/// The block size and the period by which heaps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The size of a block, at least 1. Takes from several heaps have fewer coins; with blocks of 1 there are none.
    pub modulus: u64,
    /// A multiple of the modulus, if takes from one heap have fewer coins than this; none if they are unlimited.
    pub period: Option<u64>,
}

impl Blocks {
    pub fn nimber(self, heaps: &[u64]) -> u64 {
        self.residue(heaps) + self.modulus * self.xor(heaps)
    }

    /// At most 8 heaps of less than 2^53 coins, so that the sum is exact.
    fn residue(self, heaps: &[u64]) -> u64 {
        heaps.iter().sum::<u64>() % self.modulus
    }

    fn xor(self, heaps: &[u64]) -> u64 {
        heaps.iter().fold(0, |sum, &coins| sum ^ self.blocks(coins))
    }

    fn blocks(self, coins: u64) -> u64 {
        self.period.map_or(coins, |period| coins % period) / self.modulus
    }

    pub fn moves_to(self, heaps: &[u64], value: u64) -> MoveSet {
        let mut moves = MoveSet::new();
        for heap in 0..heaps.len() {
            if let Some(left) = self.left(heaps, heap, value) {
                let coins = heaps[heap] - left;
                moves.push(rule::alone(heaps.len(), heap, &coins.to_string()));
            }
        }
        self.push_several(&mut moves, heaps, value);
        moves
    }

    /// Returns how many coins a take from this heap alone must leave in it to reach the value. Its blocks and
    /// its rest are both determined.
    fn left(self, heaps: &[u64], heap: usize, value: u64) -> Option<u64> {
        let coins = heaps[heap];
        let others = self.xor(heaps) ^ self.blocks(coins);
        let residue = (value % self.modulus + coins % self.modulus + self.modulus
            - self.residue(heaps))
            % self.modulus;
        let counted = ((value / self.modulus) ^ others)
            .checked_mul(self.modulus)?
            .checked_add(residue)?;
        let Some(period) = self.period else {
            return (counted < coins).then_some(counted);
        };
        // Of the last `period` numbers below `coins`, one is congruent; the first of them is out of reach.
        let above = coins.checked_sub(1)?.checked_sub(counted)? % period;
        (counted < period && above + 1 < period).then(|| coins - 1 - above)
    }

    /// Adds the takes from several heaps that reach the value. Their total is less than a block, so it is determined,
    /// and every heap falls by one block (it borrows) or by none. Each set of heaps that borrow makes one family.
    fn push_several(self, moves: &mut MoveSet, heaps: &[u64], value: u64) {
        let total = (self.residue(heaps) + self.modulus - value % self.modulus) % self.modulus;
        if total < 2 {
            return;
        }
        for borrowing in 0u32..1 << heaps.len() {
            let borrows = |heap: usize| borrowing >> heap & 1 == 1;
            let bounds = |(heap, &coins): (usize, &u64)| {
                let rest = coins % self.modulus;
                let (from, to) = if borrows(heap) {
                    (rest + 1, coins)
                } else {
                    (0, rest)
                };
                (from <= to.min(total)).then_some((from, to.min(total)))
            };
            let Some(bounds) = heaps
                .iter()
                .enumerate()
                .map(bounds)
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let left = heaps.iter().enumerate().map(|(heap, &coins)| {
                self.blocks(if borrows(heap) {
                    coins - self.modulus
                } else {
                    coins
                })
            });
            if left.fold(0, |sum, blocks| sum ^ blocks) == value / self.modulus {
                rule::push_several(moves, &bounds, total, total);
            }
        }
    }

    /// The blocks, the residue, and the nimber.
    pub fn explain(self, heaps: &[u64]) -> Vec<ExplanationStep> {
        let mut steps = self.count(heaps);
        steps.push(ExplanationStep::Combined {
            residue: self.residue(heaps),
            modulus: self.modulus,
            blocks: self.xor(heaps),
            nimber: self.nimber(heaps),
        });
        steps
    }

    /// The blocks and the residue.
    pub fn count(self, heaps: &[u64]) -> Vec<ExplanationStep> {
        let named = || (1..).map(Part::heap).zip(heaps);
        let block = |(part, &coins): (Part, &u64)| ExplanationStep::Block {
            part,
            coins,
            period: self.period,
            modulus: self.modulus,
            blocks: self.blocks(coins),
            rest: coins % self.modulus,
        };
        let mut steps: Vec<ExplanationStep> = named().map(block).collect();
        steps.push(ExplanationStep::Residue {
            terms: summands(named().map(|(part, &coins)| (part, coins))),
            modulus: self.modulus,
            residue: self.residue(heaps),
        });
        steps.push(ExplanationStep::Xor {
            terms: summands(named().map(|(part, &coins)| (part, self.blocks(coins)))),
            total: self.xor(heaps),
        });
        steps
    }
}
