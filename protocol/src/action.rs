//! The actions of a seat in a match, and their actors.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::event::MatchRef;
use crate::ids::{GuestId, Timestamp, Version};
use crate::seat::{Player, Seat};

/// The acting party. A session acts only as its guest, and the bot's task only as the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A guest whose token was checked.
    Guest(GuestId),
    /// The bot of this match.
    Bot,
}

/// An action in a match. [`Match::decide`](crate::Match::decide) turns it into one event or one refusal; it
/// gets there unchanged from the wire ([`crate::RequestBody::Act`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(tag = "type")
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Action {
    /// Make a move.
    Play {
        /// The version that the mover saw: a move for an older position is refused.
        expecting: Version,
        /// The move in notation, not yet parsed.
        #[serde(rename = "move")]
        text: String,
    },
    /// Choose to move first or second, in a match with a choice.
    Choose {
        /// The chooser's place in the order of moves.
        order: MoveOrder,
    },
    /// Resign the match.
    Resign,
    /// Claim the win because the opponent has been away for longer than the grace period.
    Claim,
    /// Ask to take back one's newest move.
    OfferTakeback,
    /// Accept or decline the other player's takeback.
    AnswerTakeback {
        /// True to take the move back.
        agree: bool,
    },
    /// Take back one's own match, which nobody has joined.
    Withdraw,
    /// Offer a rematch with the sides swapped.
    OfferRematch,
    /// Accept the other player's offer of a rematch.
    AcceptRematch,
    /// Take the free seat. On the wire this is [`crate::RequestBody::Join`], which names the match by
    /// its code and leaves the player to the server.
    #[serde(skip)]
    Join {
        /// The joining player.
        player: Player,
    },
}

impl Action {
    /// The action's `type` on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// Every `type` of an action on the wire.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS
            .iter()
            .copied()
            .filter(|kind| *kind != "join")
    }
}

/// A place in the order of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MoveOrder {
    /// The first move and every second one after it.
    First,
    /// The moves between.
    Second,
}

impl MoveOrder {
    /// Returns `First` if `first`, otherwise `Second`.
    #[must_use]
    pub fn first_if(first: bool) -> Self {
        if first { Self::First } else { Self::Second }
    }

    /// Returns the seat that moves first if `seat` takes this place.
    #[must_use]
    pub fn first_seat(self, seat: Seat) -> Seat {
        match self {
            Self::First => seat,
            Self::Second => seat.other(),
        }
    }
}

/// Facts about the moment of an action that neither the client nor the match knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionContext {
    /// The time that the actor's opponent has been away, in milliseconds; none while connected.
    pub opponent_away_ms: Option<u64>,
    /// The next match, made before [`Action::AcceptRematch`] is decided.
    pub next: Option<MatchRef>,
    /// The instant up to which a move's time is charged, if the server itself was late.
    pub charged_until: Option<Timestamp>,
}
