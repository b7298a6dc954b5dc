//! The match machine: *decide* turns an action into an event, *evolve* applies it.
//!
//! Pure: no clock, no store, no connection. Between the two calls the server makes the event durable, so nothing
//! the machine shows can be lost. Replaying a log through *evolve* gives the same match as the original run.

mod analyse;
mod bot;
mod clocks;
mod consent;
mod decide;
mod evolve;
mod repeat;
mod show;

use std::collections::HashMap;

use fibfob_games::Position;
use strum::IntoStaticStr;
use thiserror::Error;

use crate::action::Actor;
use crate::event::{MatchRef, Terms};
use crate::ids::{CommandId, MatchId, Timestamp, Version};
use crate::seat::{Player, Seat};
use crate::view::{CloseReason, EndReason, LastMove, RematchView};

pub use bot::BotStep;
pub use clocks::Clocks;
pub use decide::LastRun;
pub use evolve::Transition;

/// A match after some version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    id: MatchId,
    terms: Terms,
    version: Version,
    /// The version that led to this position and seat to move. Later events, such as a restart, have changed
    /// neither.
    position_since: Version,
    position: Position,
    /// The moves from the start to the position, without those taken back.
    moves: Vec<LastMove>,
    phase: Phase,
    /// The number of takeback offers of the creator and of the joiner.
    takeback_offers: [u64; 2],
    /// The number of times a server has resumed the match.
    resumes: u64,
    /// The version that each command of the creator and of the joiner made, so that a repeated one is
    /// answered. At most one entry per event.
    answered: [HashMap<CommandId, Version, foldhash::quality::RandomState>; 2],
}

/// The phase of a match, with its data.
#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Phase {
    /// The other seat is free.
    Open,
    /// Both seats are taken; one player is to choose the order of moves.
    Choosing {
        joiner: Player,
        chooser: Seat,
        /// The instant from which this server, or the one before it, counts the time to choose.
        since: Timestamp,
        /// The instant at which the choice lapses.
        until: Timestamp,
    },
    /// In play.
    Playing {
        joiner: Player,
        /// The seat that moves first.
        first: Seat,
        /// The clocks, if there is a time control.
        clocks: Option<Clocks>,
        takeback: Option<TakebackOffer>,
    },
    /// Finished, with exactly one winner.
    Over {
        joiner: Player,
        /// The seat that moved first, or would have.
        first: Seat,
        /// The clocks as they stopped.
        clocks: Option<Clocks>,
        winner: Seat,
        reason: EndReason,
        rematch: Option<RematchView>,
    },
    /// Closed without a winner.
    Closed {
        /// None if nobody had joined.
        joiner: Option<Player>,
        reason: CloseReason,
    },
}

/// An offered takeback. The opponent's move or answer ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakebackOffer {
    /// The seat that asks for it.
    pub by: Seat,
    /// The number of moves that stand once it is agreed to. Moves that follow the offer go too.
    pub kept_plies: usize,
}

impl Phase {
    /// The phase's name, as the wire has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Returns true if the match is neither over nor closed.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !matches!(self, Self::Over { .. } | Self::Closed { .. })
    }

    /// The other seat's player, once there is one.
    #[must_use]
    pub fn joiner(&self) -> Option<&Player> {
        match self {
            Self::Open => None,
            Self::Closed { joiner, .. } => joiner.as_ref(),
            Self::Choosing { joiner, .. }
            | Self::Playing { joiner, .. }
            | Self::Over { joiner, .. } => Some(joiner),
        }
    }
}

/// A log that no match can have written: the store was damaged or is of another version.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum CorruptLog {
    #[error("version {0}: `created` stands at the beginning of a log and nowhere else")]
    Beginning(Version),
    #[error("version {found} follows where {expected} was expected")]
    Gap { found: Version, expected: Version },
    #[error("version {version}: this event cannot happen in a match that is {phase}")]
    Phase {
        version: Version,
        phase: &'static str,
    },
    /// A start or a move that the rules do not have.
    #[error("version {version}: {fault}")]
    Rules { version: Version, fault: String },
}

impl Match {
    /// The match's id.
    #[must_use]
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// The terms of the match.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The number of its events.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The phase.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The other seat's player, once there is one.
    #[must_use]
    pub fn joiner(&self) -> Option<&Player> {
        self.phase.joiner()
    }

    /// The seat to move, while the match is in play.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        match self.phase {
            Phase::Playing { first, .. } => Some(self.mover(first)),
            _ => None,
        }
    }

    /// The seat that is to choose the order of moves, while that is open.
    #[must_use]
    pub fn chooser(&self) -> Option<Seat> {
        match self.phase {
            Phase::Choosing { chooser, .. } => Some(chooser),
            _ => None,
        }
    }

    /// The seat whose takeback offer is unanswered.
    #[must_use]
    pub fn takeback(&self) -> Option<Seat> {
        match self.phase {
            Phase::Playing { takeback, .. } => takeback.map(|offer| offer.by),
            _ => None,
        }
    }

    /// The moves that led from the start to the position.
    #[must_use]
    pub fn moves(&self) -> &[LastMove] {
        &self.moves
    }

    /// The newest move that was not taken back.
    #[must_use]
    pub fn last_move(&self) -> Option<&LastMove> {
        self.moves.last()
    }

    /// The seat `actor` has in this match; none for a spectator.
    #[must_use]
    pub fn seat_of(&self, actor: Actor) -> Option<Seat> {
        let is = |player: &Player| match (player, actor) {
            (Player::Bot { .. }, Actor::Bot) => true,
            (player, Actor::Guest(asking)) => {
                player.guest().is_some_and(|(guest, _)| guest == asking)
            }
            _ => false,
        };
        if is(&self.terms.creator) {
            return Some(Seat::Creator);
        }
        self.joiner().is_some_and(is).then_some(Seat::Joiner)
    }

    /// Returns the version that `actor`'s command `id` made, if it was stored before.
    #[must_use]
    pub fn answered(&self, actor: Actor, id: &CommandId) -> Option<Version> {
        let seat = self.seat_of(actor)?;
        self.answered[seat as usize].get(id).copied()
    }

    /// The match to go to after an agreed rematch.
    #[must_use]
    pub fn next_match(&self) -> Option<&MatchRef> {
        match &self.phase {
            Phase::Over {
                rematch: Some(RematchView::Agreed { next }),
                ..
            } => Some(next),
            _ => None,
        }
    }

    /// Returns when the next event is due that needs no action, if one is.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Open => Some(self.terms.expires_at),
            Phase::Choosing { until, .. } => Some(*until),
            Phase::Playing {
                first,
                clocks: Some(clocks),
                ..
            } => clocks.deadline(self.mover(*first)),
            Phase::Playing { clocks: None, .. } | Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Returns until when nothing happens in the match by itself, whatever the players do from `now` on.
    #[must_use]
    pub fn quiet_until(&self, now: Timestamp) -> Timestamp {
        let never = Timestamp(u64::MAX);
        match &self.phase {
            // Whoever joins may start a clock at any time.
            Phase::Open => now,
            Phase::Choosing { until, .. } => {
                // A choice brings the match into play at once, with whole clocks.
                let (time, clocks) = (self.terms.time, |ms| later(now, ms));
                let clocks = time.initial_ms().min(time.first_move_ms()).map(clocks);
                clocks.map_or(*until, |clocks| clocks.min(*until))
            }
            Phase::Playing { clocks: None, .. } => never,
            Phase::Playing {
                first,
                clocks: Some(clocks),
                ..
            } => clocks.quiet_until(self.mover(*first), now),
            Phase::Over { .. } | Phase::Closed { .. } => never,
        }
    }

    /// Returns the start of a choice, or of a turn whose time counts: on a clock, or for the first move.
    fn charged_since(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Choosing { since, .. } => Some(*since),
            Phase::Playing { clocks, .. } => clocks.as_ref().map(|clocks| clocks.view.since),
            Phase::Open | Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Returns the seat to move next; after the end, the one that would be.
    fn mover(&self, first: Seat) -> Seat {
        mover_after(first, self.moves.len())
    }
}

/// The seat to move after so many moves, if `first` moved first.
fn mover_after(first: Seat, plies: usize) -> Seat {
    if plies.is_multiple_of(2) {
        first
    } else {
        first.other()
    }
}

/// The instant so many milliseconds after `from`.
fn later(from: Timestamp, millis: u64) -> Timestamp {
    Timestamp(from.0.saturating_add(millis))
}
