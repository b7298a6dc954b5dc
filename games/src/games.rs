//! The games, one per file. None of them knows the catalogue.

mod heaps;

pub mod fib_fob;
pub mod fibonacci_nim;
pub mod kayles;
pub mod misere_fibonacci_nim;
pub mod misere_nim;
pub mod nim;
pub mod nim_muskateers;
pub mod poker_nim;
pub mod rooks;
pub mod staircase_nim;
pub mod take_fibonacci;
pub mod turning_turtles;
pub mod wythoff_nim;
