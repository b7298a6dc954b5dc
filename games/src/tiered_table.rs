//! Tables that are built when they are first needed, and shared. Each comes in two sizes, and the smallest
//! that will do is built. Knows no game.

use std::sync::OnceLock;

use crate::nimber::{TableIndex, UnknownReason};

/// A table in two sizes, so that a question within the small one does not wait for the large one.
pub(crate) struct TieredTable<T> {
    index: TableIndex,
    /// The largest index that each size holds, ascending.
    bounds: [u64; 2],
    /// Builds the table for the indices from 0 to a bound.
    build: fn(u64) -> T,
    built: [OnceLock<T>; 2],
}

impl<T> TieredTable<T> {
    pub const fn new(index: TableIndex, bounds: [u64; 2], build: fn(u64) -> T) -> Self {
        Self {
            index,
            bounds,
            build,
            built: [const { OnceLock::new() }; 2],
        }
    }

    /// A table that holds this size.
    ///
    /// # Errors
    /// The size passes the last bound.
    pub fn holding(&self, size: u64) -> Result<&T, UnknownReason> {
        let (index, bound) = (self.index, self.bounds[1]);
        let tier = self.bounds.iter().position(|&bound| size <= bound);
        let tier = tier.ok_or(UnknownReason::PastTable { index, size, bound })?;
        Ok(self.built[tier].get_or_init(|| (self.build)(self.bounds[tier])))
    }
}
