//! The nimbers of Wythoff's Nim, by table.

use crate::nimber::{TableIndex, UnknownReason};
use crate::tiered_table::TieredTable;

/// The largest heap whose nimbers are tabled, at two bytes for each pair of heaps.
pub const TABLE_MAX: u64 = (1 << 11) - 1;

static NIMBERS: TieredTable<Vec<u16>> =
    TieredTable::new(TableIndex::CoinsInAHeap, [(1 << 8) - 1, TABLE_MAX], table);

#[derive(Clone)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }
}

/// The smallest number that is in none of the sets.
fn mex(sets: [&BitSet; 3]) -> usize {
    let [a, b, c] = sets.map(|set| &set.0);
    let words = a.iter().zip(b).zip(c).map(|((a, b), c)| a | b | c);
    words
        .enumerate()
        .find(|&(_, word)| word != u64::MAX)
        .map(|(index, word)| 64 * index + word.trailing_ones() as usize)
        .expect("the sets have room for more numbers than there are options")
}

/// The index of the smaller and the larger heap in the table.
const fn index(small: usize, large: usize) -> usize {
    large * (large + 1) / 2 + small
}

/// The nimbers of all pairs of heaps up to `most`.
fn table(most: u64) -> Vec<u16> {
    // No truncation: the bound has 11 bits, and so a nimber, at most the number of options, has 13.
    let most = most as usize;
    let empty = BitSet(vec![0; (3 * most) / 64 + 1]);
    // The nimbers found so far: for each size of a heap, those of the pairs with such a heap; and for each
    // difference, those of the pairs with that difference.
    let mut by_heap = vec![empty.clone(); most + 1];
    let mut by_difference = vec![empty; most + 1];
    let mut table = vec![0; index(0, most + 1)];
    for large in 0..=most {
        for small in 0..=large {
            // By now the sets hold exactly the nimbers of the options.
            let difference = large - small;
            let nimber = mex([&by_heap[small], &by_heap[large], &by_difference[difference]]);
            table[index(small, large)] = nimber as u16;
            by_heap[small].insert(nimber);
            by_heap[large].insert(nimber);
            by_difference[difference].insert(nimber);
        }
    }
    table
}

pub fn nimber([a, b]: [u64; 2]) -> Result<u64, UnknownReason> {
    let (small, large) = (a.min(b), a.max(b));
    if small == 0 {
        // A heap alone is a Nim heap.
        return Ok(large);
    }
    // No truncation: the table holds the index.
    Ok(NIMBERS.holding(large)?[index(small as usize, large as usize)].into())
}
