//! The tests of the games, as one binary: the rules searched exhaustively, data from such searches, and laws.
//!
//! What is shared is only the search in `oracle`, its boxes in `rules`, and the catalogue itself: a new game joins the
//! laws by being in it.

// In a test a panic is the report; clippy.toml allows it only inside of test functions, not in their helpers.
#![allow(clippy::unwrap_used)]

mod docs;
mod explanations;
mod fibonacci;
mod golden;
mod hackenbush;
mod heaps;
mod huge;
mod move_sets;
mod notation;
mod oracle;
mod properties;
mod rows;
mod rules;
mod ryuo;
mod starts;
mod strategy;
mod sums;
mod vectors;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

/// A generator that is the same in every run and on every machine.
fn seeded(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
