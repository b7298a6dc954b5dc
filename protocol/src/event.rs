//! What has happened in a match. An event is stored once, shown to everybody, and never
//! changed; nothing in it is secret.

use fibfob_games::GameId;
use serde::{Deserialize, Serialize};

use crate::ids::{Code, CommandId, MatchId, Timestamp, Version};
use crate::opening::Visibility;
use crate::seat::{Player, Seat};

/// One fact about a match: exactly one per accepted command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The match was made. Always the first event and never a later one.
    Created {
        /// What was agreed.
        terms: Box<Terms>,
    },
    /// The other seat was taken.
    Joined {
        /// By whom.
        player: Player,
    },
    /// A ply. Whether it ends the match follows from the position it leads to.
    Moved {
        /// Whose.
        seat: Seat,
        /// In canonical notation.
        #[serde(rename = "move")]
        text: String,
    },
    /// A player gave the match up.
    Resigned {
        /// Who.
        seat: Seat,
    },
    /// The creator withdrew the match before anybody joined it.
    Withdrawn,
    /// Nobody joined the match in time.
    Expired,
    /// A player of a finished match asked for another one.
    RematchOffered {
        /// Who.
        seat: Seat,
    },
    /// The other player agreed; the next match exists already.
    RematchAccepted {
        /// Who agreed.
        seat: Seat,
        /// The match to go to.
        next: MatchRef,
    },
}

/// What was agreed when a match was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The match's short name.
    pub code: Code,
    /// The game.
    #[serde(with = "crate::text")]
    pub game: GameId,
    /// The first position, in canonical notation.
    pub start: String,
    /// Who made the match.
    pub creator: Player,
    /// Who sat in the other seat from the beginning: the bot, or the opponent of a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    /// The seat that makes the first move.
    pub begins: Seat,
    /// Whether the lobby shows the match.
    pub visibility: Visibility,
    /// Whether the lobby, if it shows the match, offers the free seat to strangers.
    pub seat_listed: bool,
    /// Whether the match is for learning: both seats know, and analysis is open during play.
    #[serde(default)]
    pub learning: bool,
    /// When an untaken seat closes.
    pub expires_at: Timestamp,
    /// The match that this one repeats with the sides swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<MatchId>,
}

/// Where to find another match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRef {
    /// Its id.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// Its short name.
    pub code: Code,
}

impl Event {
    /// The seat that caused the event; none for the server's clock.
    #[must_use]
    pub fn author(&self) -> Option<Seat> {
        match self {
            Self::Created { .. } | Self::Withdrawn => Some(Seat::Creator),
            Self::Joined { .. } => Some(Seat::Joiner),
            Self::Moved { seat, .. }
            | Self::Resigned { seat }
            | Self::RematchOffered { seat }
            | Self::RematchAccepted { seat, .. } => Some(*seat),
            Self::Expired => None,
        }
    }
}

/// An event with its place in the log. `command` is kept so that a command sent again after
/// any restart is recognised; it is not shown to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version this event made.
    pub version: Version,
    /// When it was decided.
    pub at: Timestamp,
    /// The command it answers; none for the server's clock and for a rematch's first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandId>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}
