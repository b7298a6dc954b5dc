//! The two seats of a match and who sits in them.

use std::fmt;

use fibfob_games::Level;
use serde::{Deserialize, Serialize};

use crate::ids::GuestId;
use crate::name::PlayerName;

/// A seat is named after how it was taken, not after who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seat {
    /// Made the match.
    Creator,
    /// Came to it: a friend, a stranger, or the bot.
    Joiner,
}

impl Seat {
    /// Both seats.
    pub const BOTH: [Self; 2] = [Self::Creator, Self::Joiner];

    /// The opponent's seat.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Creator => Self::Joiner,
            Self::Joiner => Self::Creator,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Creator => "creator",
            Self::Joiner => "joiner",
        })
    }
}

/// Who makes the first move. Since a perfect player who may begin wins every N-position, a
/// start that nobody knew before and a choice are fairer than either seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstMove {
    /// The creator.
    Creator,
    /// The joiner.
    Joiner,
    /// Whom the creator says, once both are there.
    CreatorChooses,
    /// Whom the joiner says, having seen the start.
    JoinerChooses,
}

impl FirstMove {
    /// Who begins, or who says it.
    #[must_use]
    pub fn by(self) -> FirstMover {
        match self {
            Self::Creator => FirstMover::Agreed(Seat::Creator),
            Self::Joiner => FirstMover::Agreed(Seat::Joiner),
            Self::CreatorChooses => FirstMover::ChosenBy(Seat::Creator),
            Self::JoinerChooses => FirstMover::ChosenBy(Seat::Joiner),
        }
    }

    /// The same with the seats swapped.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Creator => Self::Joiner,
            Self::Joiner => Self::Creator,
            Self::CreatorChooses => Self::JoinerChooses,
            Self::JoinerChooses => Self::CreatorChooses,
        }
    }
}

/// How it is known which seat begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMover {
    /// It was agreed with the match: this one.
    Agreed(Seat),
    /// This one says it, once both are there.
    ChosenBy(Seat),
}

impl From<Seat> for FirstMove {
    fn from(seat: Seat) -> Self {
        match seat {
            Seat::Creator => Self::Creator,
            Seat::Joiner => Self::Joiner,
        }
    }
}

/// Who sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Player {
    /// A guest, under the name they had when they took the seat.
    Human {
        /// The person.
        guest: GuestId,
        /// Their name.
        name: PlayerName,
    },
    /// The server's solver.
    Bot {
        /// How well it plays.
        #[serde(with = "crate::text")]
        level: Level,
    },
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human { name, .. } => name.fmt(f),
            Self::Bot { level } => write!(f, "the {level} bot"),
        }
    }
}
