//! Nimbers for the Ryūō games where no formula is known, searched from the rules for all heaps up to a bound.
//!
//! A table is built when it is first asked for, kept, and shared. Number and size of tables are bounded.

use std::sync::{Arc, Mutex, PoisonError};

use super::rule::{RyuoMove, TakeRule};
use crate::move_set::MoveSet;
use crate::nimber::{TableIndex, UnknownReason};

/// The most tables that are kept. The least recently used one goes first, so a search is charged for building its own.
const TABLES_MAX: usize = 64;

/// The parameters that a table's nimbers depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableKey {
    rule: TakeRule,
    heaps: usize,
    bound: u64,
    /// `true` if a move may also pass, once, while there are coins.
    pass: bool,
}

/// The nimbers of all positions with heaps up to a bound.
#[derive(Debug)]
pub struct RyuoTable {
    key: TableKey,
    /// The distance between neighbours along each heap.
    strides: Vec<usize>,
    nimbers: Vec<u16>,
}

static TABLES: Mutex<Vec<Arc<RyuoTable>>> = Mutex::new(Vec::new());

fn index(strides: &[usize], heaps: &[u64]) -> usize {
    strides
        .iter()
        .zip(heaps)
        .map(|(stride, &coins)| stride * coins as usize)
        .sum()
}

impl TableKey {
    /// The key of the table that holds these heaps.
    ///
    /// # Errors
    /// A heap passes the bound.
    pub fn of(
        heaps: &[u64],
        mut rule: TakeRule,
        bound: u64,
        pass: bool,
    ) -> Result<Self, UnknownReason> {
        let size = heaps.iter().copied().max().unwrap_or(0);
        if size > bound {
            let index = TableIndex::CoinsInAHeap;
            return Err(UnknownReason::PastTable { index, size, bound });
        }
        // A larger bound than the coins makes no difference.
        rule.alone = rule.alone.min(bound);
        rule.each = rule.each.min(bound);
        rule.together = rule.together.min(bound * heaps.len() as u64);
        Ok(Self {
            rule,
            heaps: heaps.len(),
            bound,
            pass,
        })
    }
}

impl RyuoTable {
    /// Returns the table that holds these heaps, building it if needed: for all heaps of at most `bound`
    /// coins. With `pass`, a move may also pass, once, while there are coins.
    ///
    /// # Errors
    /// A heap passes the bound.
    pub fn holding(
        heaps: &[u64],
        rule: TakeRule,
        bound: u64,
        pass: bool,
    ) -> Result<Arc<Self>, UnknownReason> {
        let key = TableKey::of(heaps, rule, bound, pass)?;
        let kept = || TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tables = kept();
        if let Some(index) = tables.iter().position(|table| table.key == key) {
            tables[index..].rotate_left(1);
            return Ok(Arc::clone(&tables[tables.len() - 1]));
        }
        drop(tables);
        // Built outside of the lock: at worst, two threads build the same table.
        let table = Arc::new(Self::build(key));
        let mut tables = kept();
        if tables.len() == TABLES_MAX {
            tables.remove(0);
        }
        tables.push(Arc::clone(&table));
        Ok(table)
    }

    pub fn build(key: TableKey) -> Self {
        let without_pass = key
            .pass
            .then(|| Self::build(TableKey { pass: false, ..key }));
        let side = key.bound + 1;
        let heap = |heap: usize| (side as usize).pow(heap as u32);
        let strides: Vec<usize> = (0..key.heaps).map(heap).collect();
        let cells = strides
            .iter()
            .map(|stride| *stride as u64 * (side - 1))
            .sum::<u64>()
            + 1;
        let mut nimbers: Vec<u16> = Vec::with_capacity(cells as usize);
        let mut heaps = vec![0; key.heaps];
        // For each nimber, the last cell with an option of it, counted from 1, so that the mex search needs
        // no clearing. No nimber is larger than the number of coins and the pass.
        let mut seen = vec![0; key.heaps * key.bound as usize + 3];
        for cell in 0..cells as usize {
            for (coins, &stride) in heaps.iter_mut().zip(&strides) {
                *coins = (cell / stride) as u64 % side;
            }
            // The rule is the same for all heaps. In descending order they have the least cell, which is filled.
            if !heaps.is_sorted_by(|one, next| one >= next) {
                let mut descending = heaps.clone();
                descending.sort_unstable_by(|one, next| next.cmp(one));
                nimbers.push(nimbers[index(&strides, &descending)]);
                continue;
            }
            key.rule.for_each(&heaps, |take| {
                let after = nimbers[cell - index(&strides, take)];
                seen[usize::from(after)] = cell + 1;
            });
            if let Some(table) = without_pass.as_ref().filter(|_| cell > 0) {
                seen[usize::from(table.nimbers[cell])] = cell + 1;
            }
            let mex = seen.iter().take_while(|&&last| last == cell + 1).count();
            // No truncation: heaps within the bounds of all tables have fewer coins.
            nimbers.push(mex as u16);
        }
        Self {
            key,
            strides,
            nimbers,
        }
    }

    /// The nimber of heaps within the bound.
    pub fn nimber(&self, heaps: &[u64]) -> u64 {
        self.nimbers[index(&self.strides, heaps)].into()
    }

    pub fn takes_to(&self, heaps: &[u64], value: u64) -> MoveSet {
        let from = index(&self.strides, heaps);
        let mut moves = MoveSet::new();
        self.key.rule.for_each(heaps, |take| {
            if u64::from(self.nimbers[from - index(&self.strides, take)]) == value {
                moves.push(RyuoMove::new(take).to_string());
            }
        });
        moves
    }
}
