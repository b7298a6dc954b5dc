//! The public state of a match: all that a screen needs, in one value.

use fibfob_games::{GameId, MoveSet};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::event::MatchRef;
use crate::ids::{MatchId, Timestamp};
use crate::name::PlayerName;
use crate::seat::{FirstMove, Player, Seat};
use crate::time::{ClocksView, TimeControl};
use crate::visibility::Visibility;

/// A match as seen after some version. The same for every viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "State")
)]
pub struct MatchView {
    /// The game.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub game: GameId,
    /// The first position.
    pub start: String,
    /// The position now.
    pub position: String,
    /// The number of moves made.
    pub plies: u64,
    /// The seat that moves first, or the one that chooses it.
    pub first: FirstMove,
    /// The time control.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// The clocks, once the match is in play, if there is a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClocksView>,
    /// A player may be away for this long before the other one may claim the match, in milliseconds.
    pub grace_ms: u64,
    /// The players.
    pub players: Players,
    /// The match's visibility in the lobby.
    pub visibility: Visibility,
    /// True if analysis is open during play.
    pub learning: bool,
    /// The newest move that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastMove>,
    /// The match that this one repeats with the sides, and the choice, swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<MatchId>,
    /// Spectators connected when this was written; `presence` tells later changes.
    pub spectators: usize,
    /// The phase, with its data.
    #[serde(flatten)]
    pub phase: PhaseView,
}

/// The players of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Players {
    /// The one who made the match.
    pub creator: Player,
    /// The other one, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
}

impl Players {
    /// The player in `seat`.
    #[must_use]
    pub fn get(&self, seat: Seat) -> Option<&Player> {
        match seat {
            Seat::Creator => Some(&self.creator),
            Seat::Joiner => self.joiner.as_ref(),
        }
    }

    /// Gives a guest in `seat` another name. Bots and free seats keep theirs.
    pub fn rename(&mut self, seat: Seat, renamed: &PlayerName) {
        let player = match seat {
            Seat::Creator => Some(&mut self.creator),
            Seat::Joiner => self.joiner.as_mut(),
        };
        if let Some(Player::Human { name, .. } | Player::Program { name, .. }) = player {
            name.clone_from(renamed);
        }
    }
}

/// The newest move of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastMove {
    /// Its author.
    pub seat: Seat,
    /// The move, in canonical notation.
    #[serde(rename = "move")]
    pub text: String,
}

/// The name of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PhaseName {
    /// The other seat is free.
    Open,
    /// The order of moves is being chosen.
    Choosing,
    /// In play.
    Playing,
    /// Over, with a winner.
    Over,
    /// Closed without a winner.
    Closed,
}

impl PhaseView {
    /// The phase's name.
    #[must_use]
    pub fn name(&self) -> PhaseName {
        match self {
            Self::Open => PhaseName::Open,
            Self::Choosing { .. } => PhaseName::Choosing,
            Self::Playing { .. } => PhaseName::Playing,
            Self::Over { .. } => PhaseName::Over,
            Self::Closed { .. } => PhaseName::Closed,
        }
    }
}

/// The phase of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "phase", rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PhaseView {
    /// The other seat is free.
    Open,
    /// Both seats are taken; one player is to choose the order of moves.
    Choosing {
        /// The seat that chooses.
        chooser: Seat,
        /// The instant at which the other player moves first, if no choice arrives.
        until: Timestamp,
    },
    /// In play.
    Playing {
        /// The seat to move.
        turn: Seat,
        /// The instant at which the match closes unless the player to move makes their first move. That player's clock
        /// does not run before. Absent where it runs, or where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_move_until: Option<Timestamp>,
        /// The seat that has offered a takeback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        takeback: Option<Seat>,
        /// The legal moves, for the player to move; others may ask for them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        legal: Option<MoveSet>,
    },
    /// Finished. There is always exactly one winner.
    Over {
        /// The winner.
        winner: Seat,
        /// The reason.
        reason: EndReason,
        /// The state of the rematch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rematch: Option<RematchView>,
    },
    /// Closed without a winner.
    Closed {
        /// The reason.
        reason: CloseReason,
    },
}

/// The reason for a win.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EndReason {
    /// The player to move has no move: in normal play they lose, in misère play they win.
    NoMoveLeft,
    /// The loser resigned.
    Resigned,
    /// The loser's time ran out.
    OutOfTime,
    /// The loser was away for too long, and the winner claimed the match.
    Away,
    /// Both players had left a match without clocks for too long; the loser was to move.
    Abandoned,
}

/// The reason for closing a match without a winner.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CloseReason {
    /// The creator withdrew it.
    Withdrawn,
    /// Nobody joined in time.
    Expired,
    /// A player made no first move in time, or left before it and the other one ended the match.
    #[serde(rename = "not-begun")]
    #[strum(serialize = "not-begun")]
    NotStarted,
    /// The operator of the server closed it; the event has the operator's words.
    Stopped,
}

/// The state of a rematch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum RematchView {
    /// Offered by one player.
    Offered {
        /// The offering seat.
        by: Seat,
    },
    /// Agreed; the players go on in the next match.
    Agreed {
        /// The next match.
        next: MatchRef,
    },
}
