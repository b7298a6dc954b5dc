//! The games, one per file. None of them knows the catalogue, except the sum of games of it.

pub mod fib_fob;
pub mod green_hackenbush;
pub mod nim;
pub mod nim_muskateers;
pub mod poker_nim;
pub mod rooks;
mod ryuo;
pub mod ryuo_nim;
pub mod ryuo_nim_3d;
pub mod ryuo_nim_pass;
pub mod sum;
