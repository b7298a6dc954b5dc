//! The two seats of a match and who sits in them.

use std::fmt;

use fibfob_games::Level;
use serde::{Deserialize, Serialize};

use crate::ids::GuestId;
use crate::name::PlayerName;
use crate::program::Program;

/// A seat, named after how it was taken and not after the order of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Seat {
    /// Made the match.
    Creator,
    /// Came to it: a friend, a stranger, or the bot.
    Joiner,
}

impl Seat {
    /// Both seats.
    pub const BOTH: [Self; 2] = [Self::Creator, Self::Joiner];

    /// Returns the opponent's seat.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Creator => Self::Joiner,
            Self::Joiner => Self::Creator,
        }
    }
}

/// The rule that decides the first move. A perfect player who may begin wins every N-position, so the fairest
/// rule is a choice, of a start that nobody knew before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FirstMove {
    /// The creator.
    Creator,
    /// The joiner.
    Joiner,
    /// The creator chooses, once both seats are taken.
    CreatorChooses,
    /// The joiner chooses, having seen the start.
    JoinerChooses,
}

impl FirstMove {
    /// Returns the seat that moves first or chooses.
    #[must_use]
    pub fn by(self) -> FirstMover {
        match self {
            Self::Creator => FirstMover::Agreed(Seat::Creator),
            Self::Joiner => FirstMover::Agreed(Seat::Joiner),
            Self::CreatorChooses => FirstMover::ChosenBy(Seat::Creator),
            Self::JoinerChooses => FirstMover::ChosenBy(Seat::Joiner),
        }
    }

    /// Swaps the seats in this rule.
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

/// The seat that moves first, or the one that chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMover {
    /// This seat moves first, by the terms.
    Agreed(Seat),
    /// This seat chooses, once both are taken.
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

/// The occupant of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Player {
    /// A person, under the name they had when they took the seat.
    Human {
        /// The person.
        guest: GuestId,
        /// Their name.
        name: PlayerName,
    },
    /// A guest who said that they are a program.
    Program {
        /// The guest.
        guest: GuestId,
        /// Their name, when they took the seat.
        name: PlayerName,
        /// Their words about themselves.
        #[serde(flatten)]
        program: Box<Program>,
    },
    /// A guest who had themselves forgotten: nothing is known of them any more.
    Former,
    /// The server's solver.
    Bot {
        /// Its level of play.
        #[cfg_attr(feature = "schema", schemars(with = "crate::schema::LevelName"))]
        level: Level,
    },
}

impl Player {
    /// Returns a guest as a player: a program if it said so.
    #[must_use]
    pub fn of_guest(guest: GuestId, name: PlayerName, program: Option<Program>) -> Self {
        match program {
            None => Self::Human { guest, name },
            Some(program) => Self::Program {
                guest,
                name,
                program: Box::new(program),
            },
        }
    }

    /// The guest, with their name; none for the server's bot and a former player.
    #[must_use]
    pub fn guest(&self) -> Option<(GuestId, &PlayerName)> {
        match self {
            Self::Human { guest, name } | Self::Program { guest, name, .. } => Some((*guest, name)),
            Self::Former | Self::Bot { .. } => None,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human { name, .. } | Self::Program { name, .. } => name.fmt(f),
            Self::Former => f.write_str("a former player"),
            Self::Bot { level } => write!(f, "the {level} bot"),
        }
    }
}
