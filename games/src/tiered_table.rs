//! Tables that are built once, when they are first needed, and shared: each in sizes of which the smallest that will
//! do is built. This file knows no game.

use std::sync::OnceLock;

/// A table in N sizes: a question within a small one does not wait until a large one is built.
pub(crate) struct TieredTable<T, const N: usize> {
    /// The largest index that each size holds, ascending.
    bounds: [u64; N],
    /// Builds the table for the indices from 0 to a bound.
    build: fn(u64) -> T,
    built: [OnceLock<T>; N],
}

impl<T, const N: usize> TieredTable<T, N> {
    pub const fn new(bounds: [u64; N], build: fn(u64) -> T) -> Self {
        Self {
            bounds,
            build,
            built: [const { OnceLock::new() }; N],
        }
    }

    /// A table that holds this index; `None` past the last bound.
    pub fn holding(&self, index: u64) -> Option<&T> {
        let tier = self.bounds.iter().position(|&bound| index <= bound)?;
        Some(self.built[tier].get_or_init(|| (self.build)(self.bounds[tier])))
    }
}
