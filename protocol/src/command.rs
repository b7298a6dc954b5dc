//! What a seat may ask of an existing match.

use crate::event::MatchRef;
use crate::ids::{GuestId, Version};
use crate::seat::Player;

/// Who asks. A session makes only the first kind, the bot's task only the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A person whose token was checked.
    Guest(GuestId),
    /// The bot of this match.
    Bot,
}

/// A wish that the match machine turns into one event or one refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take the free seat.
    Join {
        /// As whom.
        player: Player,
    },
    /// Say who makes the first move.
    Choose {
        /// Whether the one who chooses begins.
        begin: bool,
    },
    /// Play a move.
    Play {
        /// The version the mover saw: a thought about an older position is not played.
        expecting: Version,
        /// The move as it came, not yet read.
        text: String,
    },
    /// Give the match up.
    Resign,
    /// Have the match because the opponent is away.
    Claim {
        /// How long they have been, in milliseconds; none while they are connected.
        away_ms: Option<u64>,
    },
    /// Ask for one's newest move back.
    OfferTakeback,
    /// Say yes or no to that.
    AnswerTakeback {
        /// Whether the move is given back.
        agree: bool,
    },
    /// Take an unjoined match back.
    Withdraw,
    /// Ask for another match.
    OfferRematch,
    /// Agree to one.
    AcceptRematch {
        /// The match that was made for it.
        next: MatchRef,
    },
}
