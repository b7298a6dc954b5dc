//! What everybody may see of a match: all that a screen needs, in one value.

use fibfob_games::GameId;
use serde::{Deserialize, Serialize};

use crate::event::MatchRef;
use crate::ids::{MatchId, Timestamp};
use crate::legal::LegalMoves;
use crate::seat::{FirstMove, Player, Seat};
use crate::setup::Visibility;
use crate::time::{ClocksView, TimeControl};

/// A match as seen after some version. The same for every viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchView {
    /// The game.
    #[serde(with = "crate::text")]
    pub game: GameId,
    /// The first position.
    pub start: String,
    /// The position now.
    pub position: String,
    /// How many moves have been made.
    pub plies: u64,
    /// Who makes, or made, the first move; or who is to choose that.
    pub first: FirstMove,
    /// How much time the players have.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// The clocks, once they run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClocksView>,
    /// How long a player may be away before the other one may claim the match, in
    /// milliseconds.
    #[serde(default)]
    pub grace_ms: u64,
    /// Who plays.
    pub players: Players,
    /// Whether the lobby shows the match.
    pub visibility: Visibility,
    /// Whether analysis is open during play.
    #[serde(default)]
    pub learning: bool,
    /// The newest move.
    pub last: Option<LastMove>,
    /// The match that this one repeats with the sides, and the choice, swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<MatchId>,
    /// Spectators connected when this was written; `presence` tells later changes.
    pub spectators: usize,
    /// How far the match is, and what belongs to that.
    #[serde(flatten)]
    pub phase: PhaseView,
}

/// Who sits where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Players {
    /// The one who made the match.
    pub creator: Player,
    /// The other one, once there is one.
    pub joiner: Option<Player>,
}

impl Players {
    /// Who sits in `seat`.
    #[must_use]
    pub fn get(&self, seat: Seat) -> Option<&Player> {
        match seat {
            Seat::Creator => Some(&self.creator),
            Seat::Joiner => self.joiner.as_ref(),
        }
    }
}

/// The newest move of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastMove {
    /// Who made it.
    pub seat: Seat,
    /// The move, in canonical notation.
    #[serde(rename = "move")]
    pub text: String,
}

/// How far a match is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "kebab-case")]
pub enum PhaseView {
    /// The other seat is free.
    Open,
    /// Both are there; one of them is to say who begins.
    Choosing {
        /// Which of them.
        chooser: Seat,
        /// When the other one begins, if nothing was said, on the server's clock.
        until: Timestamp,
    },
    /// In play.
    Playing {
        /// Who is to move.
        turn: Seat,
        /// Who has asked for their newest move back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        takeback: Option<Seat>,
        /// What they may play.
        legal: LegalMoves,
    },
    /// Finished. There is always exactly one winner.
    Over {
        /// Who won.
        winner: Seat,
        /// How.
        reason: EndReason,
        /// What became of another match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rematch: Option<RematchView>,
    },
    /// Never played.
    Closed {
        /// Why not.
        reason: CloseReason,
    },
}

/// How a match was won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The player to move has no move: in normal play they lose, in misère play they win.
    NoMoveLeft,
    /// The loser resigned.
    Resigned,
    /// The loser's time ran out.
    OutOfTime,
    /// The loser was away for too long, and the winner claimed the match.
    Away,
}

/// Why a match was never played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CloseReason {
    /// The creator took it back.
    Withdrawn,
    /// Nobody joined in time.
    Expired,
}

/// What became of a rematch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum RematchView {
    /// One player has asked.
    Offered {
        /// Which.
        by: Seat,
    },
    /// Both go on here.
    Agreed {
        /// The next match.
        next: MatchRef,
    },
}
