//! Shared code of the three Ryūō games: takes from one heap or from several, the closed form, and tables for the rest.
//!
//! It knows of none of the games which rule it plays by.

pub mod blocks;
pub mod nimber_table;
pub mod rule;
