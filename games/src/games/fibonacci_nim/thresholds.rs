//! Fibonacci Nim's nimbers, from a table.
//!
//! A greater quota only adds options, so for a number of coins the nimber is a non-decreasing step function
//! of the quota. It is enough to keep the quotas at which it rises. They are few: about twice as many as
//! there are Fibonacci numbers up to the coins.

use std::collections::BinaryHeap;

use crate::nimber::{TableIndex, UnknownReason};
use crate::tiered_table::TieredTable;

/// The most coins whose nimbers are tabled, at about 80 bytes for each number of coins.
pub const TABLE_MAX: u64 = (1 << 16) - 1;

static THRESHOLDS: TieredTable<Thresholds> = TieredTable::new(
    TableIndex::Coins,
    [(1 << 10) - 1, TABLE_MAX],
    Thresholds::up_to,
);

/// For each number of coins, the quotas at which the nimber rises.
struct Thresholds {
    /// All thresholds, by ascending coins. Those of one number of coins ascend too, and may be equal: the
    /// first is the least quota with a nimber of at least 1, the second of at least 2, and so on.
    rises: Vec<u16>,
    /// The first index of the thresholds of each number of coins, and one more for the end.
    starts: Vec<u32>,
}

/// From a number of coins, takes of some consecutive sizes leave these coins with one nimber.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    /// The coins left.
    left: u32,
    /// The first number of coins that is too large to leave them so.
    end: u32,
}

impl Thresholds {
    fn up_to(most: u64) -> Self {
        // No truncation here and below: the bound, and with it every threshold, has 16 bits.
        let count = most as u32 + 1;
        let mut table = Self {
            rises: Vec::new(),
            starts: vec![0],
        };
        // Stretches that begin to matter later, by their first coins, each with its nimber; and those that
        // matter now, by nimber.
        let mut coming: Vec<Vec<(usize, Stretch)>> = vec![Vec::new(); count as usize];
        let mut current: Vec<BinaryHeap<Stretch>> = Vec::new();
        for coins in 0..count {
            for (nimber, stretch) in std::mem::take(&mut coming[coins as usize]) {
                if current.len() <= nimber {
                    current.resize_with(nimber + 1, BinaryHeap::new);
                }
                current[nimber].push(stretch);
            }
            // The nimber passes a value as soon as the quota allows takes to it and to all smaller ones.
            let mut rise = 0;
            for stretches in &mut current {
                let Some(least) = least_take(stretches, coins) else {
                    break;
                };
                rise = rise.max(least);
                table.rises.push(rise as u16);
            }
            table.starts.push(table.rises.len() as u32);
            // After a take of t the quota is 2t, so that a nimber from the quota `from` on takes t from from/2 on.
            let mut from = 1;
            let rises = table.of(coins);
            let halves = rises.iter().map(|&rise| u32::from(rise).div_ceil(2));
            let ends = halves.chain([count]);
            for (nimber, end) in ends.enumerate() {
                if from < end && coins + from < count {
                    let stretch = Stretch {
                        left: coins,
                        end: coins.saturating_add(end),
                    };
                    coming[(coins + from) as usize].push((nimber, stretch));
                }
                from = from.max(end);
            }
        }
        table.rises.shrink_to_fit();
        table
    }

    fn of(&self, coins: u32) -> &[u16] {
        let [start, end] = [coins, coins + 1].map(|index| self.starts[index as usize] as usize);
        &self.rises[start..end]
    }

    fn nimber(&self, coins: u32, quota: u64) -> u64 {
        let rises = self.of(coins);
        rises.partition_point(|&rise| u64::from(rise) <= quota) as u64
    }
}

/// The least take to a nimber: the one that leaves the most. Forgets stretches that have ended.
fn least_take(stretches: &mut BinaryHeap<Stretch>, coins: u32) -> Option<u32> {
    while stretches.peek()?.end <= coins {
        stretches.pop();
    }
    Some(coins - stretches.peek()?.left)
}

/// The table, and the coins as an index into it.
fn table(coins: u64) -> Result<(&'static Thresholds, u32), UnknownReason> {
    Ok((THRESHOLDS.holding(coins)?, coins as u32))
}

pub fn nimber(coins: u64, quota: u64) -> Result<u64, UnknownReason> {
    let (table, coins) = table(coins)?;
    Ok(table.nimber(coins, quota))
}

/// All takes, at most `quota`, that leave this nimber, ascending. Linear in the quota, which the coins bound.
pub fn takes_to(coins: u64, quota: u64, nimber: u64) -> Result<Vec<u64>, UnknownReason> {
    let (table, coins) = table(coins)?;
    let takes = 1..=quota.min(coins.into());
    Ok(takes
        .filter(|&taken| table.nimber(coins - taken as u32, 2 * taken) == nimber)
        .collect())
}
