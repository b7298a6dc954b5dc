//! What a command does: one event, or one refusal that changes nothing.

use crate::command::{Actor, Command};
use crate::event::{Event, Terms};
use crate::ids::{Code, Timestamp, Version};
use crate::refusal::Refusal;
use crate::seat::{Player, Seat};

use super::{Match, Phase, Rematch};

impl Match {
    /// What happens at `now` by itself, before any command of that instant is looked at.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<Event> {
        match self.phase {
            Phase::Open if now >= self.terms.expires_at => Some(Event::Expired),
            _ => None,
        }
    }

    /// What `actor`'s command does. The caller has asked [`Match::due`] and
    /// [`Match::answered`] before.
    ///
    /// # Errors
    /// The refusal to tell; the match is unchanged.
    pub fn decide(&self, actor: Actor, command: &Command) -> Result<Event, Refusal> {
        match command {
            Command::Join { player } => self.decide_join(actor, player),
            Command::Play { expecting, text } => self.decide_play(actor, *expecting, text),
            Command::Resign => self.decide_resign(actor),
            Command::Withdraw => self.decide_withdraw(actor),
            Command::OfferRematch => self.decide_offer(actor),
            Command::AcceptRematch { next } => {
                let seat = self.may_accept_rematch(actor)?;
                let next = next.clone();
                Ok(Event::RematchAccepted { seat, next })
            }
        }
    }

    /// The seat that may agree to a rematch now, if `actor` has it.
    ///
    /// # Errors
    /// As for the command itself; asked before the next match is made.
    pub fn may_accept_rematch(&self, actor: Actor) -> Result<Seat, Refusal> {
        let seat = self.seat(actor)?;
        match self.rematch()? {
            Rematch::Offered(by) if *by != seat => Ok(seat),
            Rematch::Offered(_) | Rematch::None => Err(Refusal::NoRematchOffered),
            Rematch::Agreed(next) => Err(Refusal::RematchAgreed(next.code)),
        }
    }

    /// The terms of this match's rematch: the same start, the other one begins.
    ///
    /// # Errors
    /// `NotOver` while there is nothing to repeat.
    pub fn rematch_terms(&self, code: Code) -> Result<Terms, Refusal> {
        match &self.phase {
            Phase::Over { joiner, .. } => Ok(Terms {
                code,
                joiner: Some(joiner.clone()),
                begins: self.terms.begins.other(),
                rematch_of: Some(self.id),
                ..self.terms.clone()
            }),
            phase => Err(Refusal::NotOver(phase.name())),
        }
    }

    fn decide_join(&self, actor: Actor, player: &Player) -> Result<Event, Refusal> {
        if let Some(seat) = self.seat_of(actor) {
            return Err(Refusal::AlreadySeated(seat));
        }
        match &self.phase {
            Phase::Open => Ok(Event::Joined {
                player: player.clone(),
            }),
            Phase::Playing { .. } | Phase::Over { .. } => Err(Refusal::SeatTaken),
            phase @ Phase::Closed { .. } => Err(Refusal::NotOpen(phase.name())),
        }
    }

    fn decide_play(&self, actor: Actor, expecting: Version, text: &str) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        let turn = self.in_play()?;
        if expecting != self.version {
            return Err(Refusal::Stale {
                found: expecting,
                current: self.version,
            });
        }
        if seat != turn {
            return Err(Refusal::NotYourTurn(turn));
        }
        let played = self.position.read_move(text)?;
        self.position.play(&played)?;
        Ok(Event::Moved {
            seat,
            text: played.to_string(),
        })
    }

    fn decide_resign(&self, actor: Actor) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        self.in_play()?;
        Ok(Event::Resigned { seat })
    }

    fn decide_withdraw(&self, actor: Actor) -> Result<Event, Refusal> {
        self.seat(actor)?;
        match &self.phase {
            Phase::Open => Ok(Event::Withdrawn),
            phase => Err(Refusal::NotOpen(phase.name())),
        }
    }

    fn decide_offer(&self, actor: Actor) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        match self.rematch()? {
            Rematch::None => Ok(Event::RematchOffered { seat }),
            Rematch::Offered(by) => Err(Refusal::RematchOffered(*by)),
            Rematch::Agreed(next) => Err(Refusal::RematchAgreed(next.code)),
        }
    }

    fn seat(&self, actor: Actor) -> Result<Seat, Refusal> {
        self.seat_of(actor).ok_or(Refusal::NotAPlayer)
    }

    fn in_play(&self) -> Result<Seat, Refusal> {
        self.turn().ok_or(Refusal::NotInPlay(self.phase.name()))
    }

    fn rematch(&self) -> Result<&Rematch, Refusal> {
        match &self.phase {
            Phase::Over { rematch, .. } => Ok(rematch),
            phase => Err(Refusal::NotOver(phase.name())),
        }
    }
}
