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

/// A run of a server, which may have ended by a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// The instant at which it began.
    pub began: Timestamp,
    /// The newest instant at which it is known to have run.
    pub until: Timestamp,
}

impl Match {
    /// The event that must come first when a server started at `started` resumes the match: time
    /// in which no server ran is charged to nobody, that of the last run before it is. What was due
    /// by then comes in its place. Of earlier runs only that of the match's last event is known to
    /// have seen it, so the others are charged to nobody either.
    #[must_use]
    pub fn resumed(&self, last_run: Option<LastRun>, started: Timestamp) -> Option<Event> {
        let charged_since = self.charged_since()?;
        if charged_since >= started || self.resumes >= RESUMES_MAX {
            return None;
        }
        let down_since = last_run.map(|run| {
            let charged = run.until.0.saturating_sub(charged_since.max(run.began).0);
            Timestamp(charged_since.0.saturating_add(charged)).min(started)
        });
        let due = down_since.and_then(|at| self.due(at));
        Some(due.unwrap_or(Event::Resumed {
            down_since,
            since: started,
        }))
    }

    /// The event that is due at `now` without any action. It precedes all actions of that instant.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<Event> {
        if now < self.deadline()? {
            return None;
        }
        match &self.phase {
            Phase::Open => Some(Event::Expired),
            Phase::Choosing { .. } => Some(Event::ChoiceLapsed),
            Phase::Playing { .. } => self.turn().map(|seat| Event::TimedOut { seat }),
            Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// The event by which the clocks begin, if they are still to and each player has moved or had
    /// the match open since the seats were taken. `has_opened` says the latter, which no log knows.
    #[must_use]
    pub fn begins(&self, has_opened: impl Fn(Seat) -> bool) -> Option<Event> {
        let Phase::Playing { first, .. } = self.phase else {
            return None;
        };
        let has_moved = |seat| self.moves.len() > usize::from(seat != first);
        let is_ready = |seat| has_moved(seat) || has_opened(seat);
        let begins = self.awaits_players() && Seat::BOTH.into_iter().all(is_ready);
        begins.then_some(Event::ClocksStarted)
    }

    /// Returns true if the match is in play and its clocks are still to begin.
    pub(super) fn awaits_players(&self) -> bool {
        let has_no_clocks = matches!(self.phase, Phase::Playing { clocks: None, .. });
        has_no_clocks && !self.terms.time.is_none()
    }

    /// The event by which a match ends that both players have left. Only one whose clocks do not run
    /// can be left in play for ever. The server calls this when nobody who plays has been connected for
    /// long enough, which no log knows.
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

    /// The next of the events by which a match ends whose player in this seat is gone for good; none
    /// once it is over or closed. The other player wins, as by a resignation, and waits for nothing.
    #[must_use]
    pub fn left_by(&self, seat: Seat) -> Option<Event> {
        match self.phase {
            Phase::Open => Some(Event::Withdrawn),
            Phase::Choosing { .. } => Some(Event::ChoiceLapsed),
            Phase::Playing { .. } => Some(Event::Resigned { seat }),
            Phase::Over { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Decides `action` of `actor`: the event that it makes. The caller has first stored what
    /// [`Match::due`] returns, and answered a repeated command from [`Match::answered`].
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

    /// Returns true if a program may join. A code for a friend was given to it on purpose.
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

    /// The seat of an actor whose match is in play.
    pub(super) fn playing(&self, actor: Actor) -> Result<Seat, Refusal> {
        let seat = self.seat(actor)?;
        self.in_play().map(|_| seat)
    }

    fn in_play(&self) -> Result<Seat, Refusal> {
        self.turn().ok_or(Refusal::NotInPlay(self.phase.name()))
    }
}
