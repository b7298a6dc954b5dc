//! Time controls: part of a match's terms, measured on the server's clock alone.

use serde::{Deserialize, Serialize};

use crate::ids::Timestamp;
use crate::limits::{CLOCK_MS, FIRST_MOVE_MS, INCREMENT_MS_MAX};
use crate::refusal::Refusal;
use crate::seat::Seat;

/// The time control of a match. A bot has no clock, so nobody is charged while the server thinks, or pauses
/// so that a person can follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TimeControl {
    /// Unlimited time.
    #[default]
    None,
    /// A time for all moves of a player together, and an increment after each.
    Match {
        /// A player's initial time, in milliseconds.
        #[cfg_attr(feature = "schema", schemars(range(min = *CLOCK_MS.start(), max = *CLOCK_MS.end())))]
        initial_ms: u64,
        /// The increment for a move, in milliseconds.
        #[cfg_attr(feature = "schema", schemars(range(min = 0, max = INCREMENT_MS_MAX)))]
        #[serde(default)]
        increment_ms: u64,
    },
    /// A time for each move.
    Move {
        /// The time for a move, in milliseconds.
        #[cfg_attr(feature = "schema", schemars(range(min = *CLOCK_MS.start(), max = *CLOCK_MS.end())))]
        each_ms: u64,
    },
}

impl TimeControl {
    /// Returns true if time is unlimited.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// The time with which each clock begins, in milliseconds; none if time is unlimited.
    #[must_use]
    pub fn initial_ms(&self) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Match { initial_ms, .. } => Some(initial_ms),
            Self::Move { each_ms } => Some(each_ms),
        }
    }

    /// The time that a player has for the first move, in milliseconds: a minute, or the time of one move if that is
    /// longer. Returns `None` if time is unlimited.
    #[must_use]
    pub fn first_move_ms(&self) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Match { .. } => Some(FIRST_MOVE_MS),
            Self::Move { each_ms } => Some(each_ms.max(FIRST_MOVE_MS)),
        }
    }

    /// # Errors
    /// `Time` where an amount is outside its bounds.
    pub(crate) fn check(self) -> Result<Self, Refusal> {
        let within = match self {
            Self::None => true,
            Self::Match {
                initial_ms,
                increment_ms,
            } => CLOCK_MS.contains(&initial_ms) && increment_ms <= INCREMENT_MS_MAX,
            Self::Move { each_ms } => CLOCK_MS.contains(&each_ms),
        };
        within.then_some(self).ok_or(Refusal::Time)
    }
}

/// The clocks as they stood at `since`. From then on the clock of the seat to move runs, unless the match is
/// finished or that player has yet to make the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClocksView {
    /// The creator's time left, in milliseconds; absent for a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator_ms: Option<u64>,
    /// The joiner's time left, in milliseconds; absent for a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner_ms: Option<u64>,
    /// The instant of these values, on the server's clock.
    pub since: Timestamp,
}

impl ClocksView {
    /// The time left of `seat`, in milliseconds; none for a bot.
    #[must_use]
    pub fn left_ms(&self, seat: Seat) -> Option<u64> {
        match seat {
            Seat::Creator => self.creator_ms,
            Seat::Joiner => self.joiner_ms,
        }
    }
}
