//! Properties that hold in every game of the catalogue, each a function of any bytes at all.
//!
//! The fuzzer looks for bytes that break a property; the tests of the games try seeded ones. A property reads from the bytes what it
//! is about (a game, a position, moves), panics if it does not hold, and says nothing about bytes in which it finds
//! nothing to try. A new game joins all properties by being in the catalogue.

mod moves;
mod nimbers;
mod plays;
mod source;
mod texts;

pub use moves::{listed_is_playable, written_is_read};
pub use nimbers::{
    moves_to_a_value, nimber_is_mex, no_win_from_p, unknown_is_honest, winning_leads_to_p,
};
pub use plays::{longest_play_is_exact, plays_end};
pub use source::{ByteSource, PositionSource, encoded};
pub use texts::{any_position_is_answered, any_text_is_read};

/// Says that there was something in the bytes to try a property on, and that it holds there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked;

/// A property: `None` if it found nothing in the bytes to be tried on.
///
/// # Panics
/// When the property does not hold.
pub type Property = fn(&[u8]) -> Option<Checked>;
