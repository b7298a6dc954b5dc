//! The games, one per file. None of them knows the catalogue, except the sum of games of it.

/// The methods of [`Game`](crate::Game) that follow from a position's only field: the type that several games share for
/// what lies on the table, and the ranges of its starts. It knows how they are drawn, checked and shown, and how long
/// a play can be; the moves and who wins are the game's own.
macro_rules! shared_methods {
    ($field:ident: $shared:ident, $($range:ident),+) => {
        const START_RANGES: &'static [$crate::StartRange] = &[$($range),+];

        fn sample(sampler: &mut $crate::StartSampler<'_>) -> Self {
            let $field = $shared::sample(sampler, $(&$range),+);
            Self { $field }
        }

        fn check_bounds(&self) -> Result<(), $crate::StartError> {
            self.$field.check_bounds($(&$range),+)
        }

        fn read_move(&self, text: &str) -> Result<Self::Move, $crate::NotationError> {
            Move::read(text, Self::INFO.example_move)
        }

        fn longest_play(&self) -> u128 {
            self.$field.longest_play()
        }

        fn shape(&self) -> Vec<$crate::ShapePart> {
            self.$field.shape()
        }
    };
}

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
