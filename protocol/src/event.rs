//! The events of a match. An event is stored once, shown to everybody, and never changed; nothing in it is secret.

use fibfob_games::GameId;
use serde::{Deserialize, Serialize};

use crate::chat::ChatText;
use crate::ids::{Code, CommandId, MatchId, Timestamp, Version};
use crate::seat::{FirstMove, Player, Seat};
use crate::time::TimeControl;
use crate::visibility::Visibility;

/// One fact about a match: exactly one per accepted command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Event {
    /// The match was made. Always the first event and never a later one.
    Created {
        /// The terms of the match.
        terms: Box<Terms>,
    },
    /// The other seat was taken.
    Joined {
        /// The author.
        player: Player,
    },
    /// The player who may choose has chosen.
    Chosen {
        /// The chooser.
        seat: Seat,
        /// The seat that moves first.
        first: Seat,
    },
    /// Both clocks run from now on with their whole time, each in its player's first turn too. Only servers before 0.3.0
    /// have stored this, once both players had opened a match with a time control.
    #[serde(rename = "begun")]
    ClocksStarted,
    /// A player made no first move in time. The match closes without a winner. Only in a match with a time control.
    FirstMoveMissed {
        /// The seat to move.
        seat: Seat,
    },
    /// No choice arrived in time; the other player moves first.
    ChoiceLapsed,
    /// A ply. Whether it ends the match follows from the position it leads to.
    Moved {
        /// The player's seat.
        seat: Seat,
        /// In canonical notation.
        #[serde(rename = "move")]
        text: String,
        /// The instant until which the player's clock is charged, where the server itself was
        /// late; otherwise that of the event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charged_until: Option<Timestamp>,
    },
    /// A player gave the match up.
    Resigned {
        /// The player's seat.
        seat: Seat,
    },
    /// A player's time ran out.
    TimedOut {
        /// The player's seat.
        seat: Seat,
    },
    /// The opponent was away for longer than the match's grace, and this player claimed the match. They win
    /// it. If the match has clocks and a player has yet to make the first move, it closes instead.
    Claimed {
        /// The player's seat.
        seat: Seat,
    },
    /// Both players left a match whose clocks do not run, and stayed away too long.
    Abandoned {
        /// The seat to move. It loses, if the match has no time control; else the match closes.
        seat: Seat,
    },
    /// A player asked for their newest move back. The opponent's next move answers with no.
    TakebackOffered {
        /// The player's seat.
        seat: Seat,
    },
    /// The other player agreed.
    TakenBack {
        /// The seat that agreed.
        seat: Seat,
        /// The number of moves undone: the one asked for and all that followed it, at most three.
        plies: u64,
    },
    /// The other player did not agree.
    TakebackDeclined {
        /// The seat that declined.
        seat: Seat,
    },
    /// A server took the match up again after no server ran it; the time between is charged to nobody.
    Resumed {
        /// The instant until which time was charged: the last one at which the server before is
        /// known to have run. Absent where none is known, and nothing was charged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        down_since: Option<Timestamp>,
        /// The instant from which time counts again.
        since: Timestamp,
    },
    /// The creator withdrew the match before anybody joined it.
    Withdrawn,
    /// Nobody joined the match in time.
    Expired,
    /// The operator of the server closed the match, without a winner.
    Stopped {
        /// The operator's words about it, for everybody.
        text: ChatText,
    },
    /// A player of a finished match asked for another one.
    RematchOffered {
        /// The player's seat.
        seat: Seat,
    },
    /// The other player agreed; the next match exists already.
    RematchAccepted {
        /// The seat that agreed.
        seat: Seat,
        /// The match to go to.
        next: MatchRef,
    },
}

/// The terms of a match, fixed when it is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Terms {
    /// The match's short name.
    pub code: Code,
    /// The game.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub game: GameId,
    /// The first position, in canonical notation.
    pub start: String,
    /// The player who created the match.
    pub creator: Player,
    /// The other player, if seated from the start: the bot, or the opponent of a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    /// The seat that moves first, or the one that chooses it.
    pub first: FirstMove,
    /// The time control.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// A player may be away for this long before the other one may claim the match, in milliseconds.
    pub grace_ms: u64,
    /// The match's visibility in the lobby.
    pub visibility: Visibility,
    /// True if the lobby offers the free seat to strangers.
    pub seat_listed: bool,
    /// True for a learning match: analysis is open during play, and both seats know it.
    pub learning: bool,
    /// True if a program may take a seat that the lobby offers. Whoever was given a code may use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub programs: bool,
    /// The instant at which an untaken seat closes.
    pub expires_at: Timestamp,
    /// The match that this one repeats with the sides, and the choice, swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<MatchId>,
}

/// A reference to another match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchRef {
    /// Its id.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// Its short name.
    pub code: Code,
}

impl Event {
    /// Returns the seat that caused the event; none if the server's clock did.
    #[must_use]
    pub fn author(&self) -> Option<Seat> {
        match self {
            Self::Created { .. } | Self::Withdrawn => Some(Seat::Creator),
            Self::Joined { .. } => Some(Seat::Joiner),
            Self::Chosen { seat, .. }
            | Self::Moved { seat, .. }
            | Self::Resigned { seat }
            | Self::Claimed { seat }
            | Self::TakebackOffered { seat }
            | Self::TakenBack { seat, .. }
            | Self::TakebackDeclined { seat }
            | Self::RematchOffered { seat }
            | Self::RematchAccepted { seat, .. } => Some(*seat),
            Self::ClocksStarted
            | Self::ChoiceLapsed
            | Self::FirstMoveMissed { .. }
            | Self::TimedOut { .. }
            | Self::Abandoned { .. }
            | Self::Resumed { .. }
            | Self::Expired
            | Self::Stopped { .. } => None,
        }
    }
}

/// An event with its place in the log. Keeps `command` so that a command sent again after any restart is
/// recognised; others are not shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The version this event made.
    pub version: Version,
    /// The instant of the decision.
    pub at: Timestamp,
    /// The command it answers; none for the server's clock and for a rematch's first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandId>,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}
