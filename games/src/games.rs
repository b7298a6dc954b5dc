//! The games, one per file. None of them knows the catalogue, except the sum of games of it.

mod heaps;

pub mod fib_fob;
pub mod fibonacci_nim;
pub mod green_hackenbush;
pub mod kayles;
pub mod misere_fibonacci_nim;
pub mod misere_nim;
pub mod nim;
pub mod nim_muskateers;
pub mod poker_nim;
pub mod rooks;
mod ryuo;
pub mod ryuo_nim;
pub mod ryuo_nim_3d;
pub mod ryuo_nim_pass;
pub mod staircase_nim;
pub mod sum;
pub mod take_fibonacci;
pub mod turning_turtles;
pub mod wythoff_nim;
