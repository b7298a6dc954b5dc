//! The games, one per file. None of them knows the catalogue.

pub mod fib_fob;
pub mod nim;
pub mod nim_muskateers;
pub mod poker_nim;
pub mod rooks;
