//! Decisions: an action makes one event, or one refusal that changes nothing.

use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionContext, Actor, MoveOrder};
use crate::chat::ChatText;
use crate::event::Event;
use crate::ids::{Timestamp, Version};
use crate::limits::RESUMES_MAX;
use crate::refusal::Refusal;
use crate::seat::{Player, Seat};

use super::{Match, Phase};

/// A run of a server. A kill may have ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// The instant at which it began.
    pub began: Timestamp,
    /// The newest instant at which it is known to have run.
    pub until: Timestamp,
}

impl Match {
    /// Returns the event that must come first when a server that started at `started` takes the match up
    /// again. Only time in which a server is known to have run is charged: the last run's, as far as the
    /// clock ran then. Earlier runs are not known any more, so nobody is charged for them. An event that fell
    /// due in the charged time comes instead.
    #[must_use]
    pub fn resumed(&self, last_run: Option<LastRun>, started: Timestamp) -> Option<Event> {
        let charged_since = self.charged_since()?;
        if charged_since >= started || self.resumes >= RESUMES_MAX {
            return None;
        }
        let down_since = last_run.map(|run| {
            // A run that began after this clock is charged whole; the gap before it is not.
            let charged = run.until.0.saturating_sub(charged_since.max(run.began).0);
            Timestamp(charged_since.0.saturating_add(charged)).min(started)
        });
        let due = down_since.and_then(|at| self.due(at));
        Some(due.unwrap_or(Event::Resumed {
            down_since,
            since: started,
        }))
    }

    /// Returns the event that is due at `now` without any action. It comes before all actions at that instant.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<Event> {
        if now < self.deadline()? {
            return None;
        }
        match &self.phase {
            Phase::Open => Some(Event::Expired),
            Phase::Choosing { .. } => Some(Event::ChoiceLapsed),
            Phase::Playing { clocks, .. } => {
                let seat = self.turn()?;
                let waits = clocks.is_some_and(|clocks| clocks.waits_for_first_move());
                Some(match waits {
                    true => Event::FirstMoveMissed { seat },
                    false => Event::TimedOut { seat },
                })
            }
            Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Returns the event that ends a match both players have left, where no clock would end it. The caller
    /// decides when they have been away long enough, because no log knows.
    #[must_use]
    pub fn abandoned(&self) -> Option<Event> {
        match self.phase {
            Phase::Playing { clocks: None, .. } => {
                self.turn().map(|seat| Event::Abandoned { seat })
            }
            _ => None,
        }
    }

    /// The event by which the operator closes an unfinished match.
    #[must_use]
    pub fn stopped(&self, text: ChatText) -> Option<Event> {
        self.phase
            .is_unfinished()
            .then_some(Event::Stopped { text })
    }

    /// Returns the next event on the way to the end of a match whose player in this seat is gone for good;
    /// none once it is over or closed. The other player wins, as by a resignation, without having to wait.
    #[must_use]
    pub fn left_by(&self, seat: Seat) -> Option<Event> {
        match self.phase {
            Phase::Open => Some(Event::Withdrawn),
            // Brings the match into play, where the next call resigns.
            Phase::Choosing { .. } => Some(Event::ChoiceLapsed),
            Phase::Playing { .. } => Some(Event::Resigned { seat }),
            Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Decides `actor`'s action: returns the event that it makes. Before, the caller stores what
    /// [`Match::due`] returns, and answers a repeated command from [`Match::answered`].
    ///
    /// # Errors
    /// The refusal for the client; the match is unchanged. `Unavailable` where
    /// [`Action::AcceptRematch`] comes without the next match in its context.
    pub fn decide(
        &self,
        actor: Actor,
        action: &Action,
        context: &ActionContext,
    ) -> Result<Event, Refusal> {
        match action {
            Action::Play { expecting, text } => {
                self.decide_play(actor, *expecting, text, context.charged_until)
            }
            Action::Choose { order } => self.decide_choose(actor, *order),
            Action::Resign => Ok(Event::Resigned {
                seat: self.playing(actor)?,
            }),
            Action::Claim => self.decide_claim(actor, context.opponent_away_ms),
            Action::OfferTakeback => self.decide_takeback(actor),
            Action::AnswerTakeback { agree } => self.decide_takeback_answer(actor, *agree),
            Action::Withdraw => self.decide_withdraw(actor),
            Action::OfferRematch => self.decide_offer(actor),
            Action::AcceptRematch => {
                let seat = self.may_accept_rematch(actor)?;
                let next = context.next.clone().ok_or(Refusal::Unavailable)?;
                Ok(Event::RematchAccepted { seat, next })
            }
            Action::Join { player } => self.decide_join(actor, player),
        }
    }

    fn decide_join(&self, actor: Actor, player: &Player) -> Result<Event, Refusal> {
        if let Some(seat) = self.seat_of(actor) {
            return Err(Refusal::AlreadySeated(seat));
        }
        match &self.phase {
            Phase::Open if matches!(player, Player::Program { .. }) && !self.is_for_programs() => {
                Err(Refusal::NotForPrograms)
            }
            Phase::Open => Ok(Event::Joined {
                player: player.clone(),
            }),
            Phase::Choosing { .. } | Phase::Playing { .. } | Phase::Over { .. } => {
                Err(Refusal::SeatTaken)
            }
            phase @ Phase::Closed { .. } => Err(Refusal::NotOpen(phase.name())),
        }
    }

    /// Returns true if a program may join. A program that has a friend's code was given it on purpose.
    fn is_for_programs(&self) -> bool {
        self.terms.programs || !self.terms.seat_listed
    }

    fn decide_choose(&self, actor: Actor, order: MoveOrder) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        let chooser = self
            .chooser()
            .ok_or(Refusal::NotChoosing(self.phase.name()))?;
        if seat != chooser {
            return Err(Refusal::NotYourChoice(chooser));
        }
        let first = order.first_seat(seat);
        Ok(Event::Chosen { seat, first })
    }

    fn decide_play(
        &self,
        actor: Actor,
        expecting: Version,
        text: &str,
        charged_until: Option<Timestamp>,
    ) -> Result<Event, Refusal> {
        let seat = self.seat(actor)?;
        let turn = self.in_play()?;
        // A version in this range showed the mover this very position.
        if !(self.position_since..=self.version).contains(&expecting) {
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
        // Stored in canonical notation, whatever the client typed.
        Ok(Event::Moved {
            seat,
            text: played.to_string(),
            charged_until,
        })
    }

    fn decide_claim(&self, actor: Actor, away_ms: Option<u64>) -> Result<Event, Refusal> {
        let seat = self.playing(actor)?;
        let (away_ms, grace_ms) = (away_ms.unwrap_or(0), self.terms.grace_ms);
        if away_ms < grace_ms {
            let seat = seat.other();
            return Err(Refusal::NotAwayLongEnough {
                seat,
                away_ms,
                grace_ms,
            });
        }
        Ok(Event::Claimed { seat })
    }

    fn decide_withdraw(&self, actor: Actor) -> Result<Event, Refusal> {
        self.seat(actor)?;
        match &self.phase {
            Phase::Open => Ok(Event::Withdrawn),
            phase => Err(Refusal::NotOpen(phase.name())),
        }
    }

    pub(super) fn seat(&self, actor: Actor) -> Result<Seat, Refusal> {
        self.seat_of(actor).ok_or(Refusal::NotAPlayer)
    }

    /// Returns the actor's seat in a match in play.
    pub(super) fn playing(&self, actor: Actor) -> Result<Seat, Refusal> {
        let seat = self.seat(actor)?;
        self.in_play().map(|_| seat)
    }

    fn in_play(&self) -> Result<Seat, Refusal> {
        self.turn().ok_or(Refusal::NotInPlay(self.phase.name()))
    }
}
