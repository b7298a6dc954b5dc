//! The games, one per file. None of them knows the catalogue, except the sum of games of it.

/// The methods of [`Game`](crate::game::Game) that follow from the type of what lies on the table, which several
/// games share, and from the ranges of its starts: how starts are drawn, checked and shown, and how long a
/// play can be. The moves and the winner are each game's own.
macro_rules! shared_methods {
    ($field:ident: $shared:ident, $($range:ident),+) => {
        const START_RANGES: &'static [$crate::start::StartRange] = &[$($range),+];

        fn sample(sampler: &mut $crate::start::StartSampler<'_>) -> Self {
            let $field = $shared::sample(sampler, $(&$range),+);
            Self { $field }
        }

        fn check_bounds(&self) -> Result<(), $crate::start::StartError> {
            self.$field.check_bounds($(&$range),+)
        }

        fn parse_move(&self, text: &str) -> Result<Self::Move, $crate::notation::NotationError> {
            Move::read(text)
        }

        fn longest_play(&self) -> u128 {
            self.$field.longest_play()
        }

        fn shape(&self) -> Vec<$crate::shape::ShapePart> {
            self.$field.shape()
        }
    };
}

mod heaps;

pub(crate) mod fib_fob;
pub mod fibonacci_nim;
pub(crate) mod green_hackenbush;
pub mod kayles;
pub(crate) mod misere_fibonacci_nim;
pub(crate) mod misere_nim;
pub(crate) mod nim;
pub(crate) mod nim_muskateers;
pub(crate) mod poker_nim;
pub(crate) mod rooks;
mod ryuo;
pub(crate) mod ryuo_nim;
pub(crate) mod ryuo_nim_3d;
pub(crate) mod ryuo_nim_pass;
pub(crate) mod staircase_nim;
pub(crate) mod sum;
pub mod take_fibonacci;
pub(crate) mod turning_turtles;
pub mod wythoff_nim;
