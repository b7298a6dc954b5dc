//! Actions that need the other player's consent: takebacks and rematches.

use crate::action::Actor;
use crate::event::{Event, Terms};
use crate::ids::Code;
use crate::limits::TAKEBACK_OFFERS_MAX;
use crate::refusal::Refusal;
use crate::seat::{Player, Seat};
use crate::view::RematchView;

use super::{Match, Phase};

impl Match {
    /// Counts the moves that go if `seat` takes its newest one back: that move, and the opponent's reply to
    /// it. None if the seat has made no move.
    pub(super) fn plies_back_to(&self, seat: Seat) -> Option<u64> {
        let newest = self.moves.iter().rev().position(|made| made.seat == seat)?;
        Some(newest as u64 + 1)
    }

    /// Counts the moves that go if the takeback that `by` has offered is agreed to. Returns `None` without such an offer.
    pub(super) fn plies_offered_back(&self, by: Seat) -> Option<u64> {
        let Phase::Playing { takeback, .. } = self.phase else {
            return None;
        };
        let offer = takeback.filter(|offer| offer.by == by)?;
        Some((self.moves.len() - offer.kept_plies) as u64)
    }

    pub(super) fn decide_takeback(&self, actor: Actor) -> Result<Event, Refusal> {
        let seat = self.playing(actor)?;
        if let Some(by) = self.takeback() {
            return Err(Refusal::TakebackOffered(by));
        }
        if self.plies_back_to(seat).is_none() {
            return Err(Refusal::NothingToTakeBack);
        }
        if self.takeback_offers[seat as usize] >= TAKEBACK_OFFERS_MAX {
            return Err(Refusal::TooManyTakebacks);
        }
        Ok(Event::TakebackOffered { seat })
    }

    pub(super) fn decide_takeback_answer(
        &self,
        actor: Actor,
        agree: bool,
    ) -> Result<Event, Refusal> {
        let seat = self.playing(actor)?;
        let plies = self.plies_offered_back(seat.other());
        let plies = plies.ok_or(Refusal::NoTakebackOffered)?;
        Ok(if agree {
            Event::TakenBack { seat, plies }
        } else {
            Event::TakebackDeclined { seat }
        })
    }

    /// Returns the actor's seat if it may agree to a rematch now.
    ///
    /// # Errors
    /// As for the action itself; called before the next match is created.
    pub fn may_accept_rematch(&self, actor: Actor) -> Result<Seat, Refusal> {
        let seat = self.seat(actor)?;
        match self.rematch()? {
            Some(RematchView::Offered { by }) if *by != seat => Ok(seat),
            Some(RematchView::Offered { .. }) | None => Err(Refusal::NoRematchOffered),
            Some(RematchView::Agreed { next }) => Err(Refusal::RematchAgreed(next.code)),
        }
    }

    /// Returns the terms of this match's rematch: the same start, with the first move or choice swapped.
    ///
    /// # Errors
    /// `NotOver` before the match is over.
    pub fn rematch_terms(&self, code: Code) -> Result<Terms, Refusal> {
        match &self.phase {
            Phase::Over { joiner, .. } => Ok(Terms {
                code,
                joiner: Some(joiner.clone()),
                first: self.terms.first.other(),
                rematch_of: Some(self.id),
                ..self.terms.clone()
            }),
            phase => Err(Refusal::NotOver(phase.name())),
        }
    }

    pub(super) fn decide_offer(&self, actor: Actor) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        match self.rematch()? {
            None => Ok(Event::RematchOffered { seat }),
            Some(RematchView::Offered { by }) => Err(Refusal::RematchOffered(*by)),
            Some(RematchView::Agreed { next }) => Err(Refusal::RematchAgreed(next.code)),
        }
    }

    fn rematch(&self) -> Result<&Option<RematchView>, Refusal> {
        match &self.phase {
            Phase::Over {
                rematch: None | Some(RematchView::Offered { .. }),
                joiner,
                ..
            } if [&self.terms.creator, joiner].contains(&&Player::Former) => {
                Err(Refusal::FormerPlayer)
            }
            Phase::Over { rematch, .. } => Ok(rematch),
            phase => Err(Refusal::NotOver(phase.name())),
        }
    }
}
