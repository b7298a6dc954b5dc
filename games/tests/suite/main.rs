//! The tests of the games, as one binary: exhaustive search from the bare rules, data from such searches, and properties.
//!
//! The files share only the search in `oracle`, its boxes in `rules`, and the catalogue: every game in it is checked
//! against the properties.

// In a test a panic is the report; clippy.toml allows it only inside of test functions, not in their helpers.
#![allow(clippy::unwrap_used)]

mod any_text;
mod budget;
mod checked_arguments;
mod checked_steps;
mod docs;
mod explanations;
mod fair_starts;
mod fibonacci;
mod flight;
mod golden;
mod hackenbush;
mod heaps;
mod how_to_play;
mod huge;
mod illegal_moves;
mod lessons;
mod move_sets;
mod notation;
mod options;
mod oracle;
mod properties;
mod puzzles;
mod rows;
mod rules;
mod ryuo;
mod ryuo_huge;
mod ryuo_notation;
mod starts;
mod strategy;
mod sum_notation;
mod sums;
mod vectors;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

/// A generator that is the same in every run and on every machine.
fn seeded(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
