//! Applies events to a match. Nothing else changes one.

use fibfob_games::{Convention, Position};

use crate::event::{Event, Record, Terms};
use crate::ids::{MatchId, Timestamp, Version};
use crate::limits::CHOOSE_WITHIN_MS;
use crate::seat::{FirstMover, Player, Seat};
use crate::view::{CloseReason, EndReason, LastMove, RematchView};

use super::clocks::Clocks;
use super::{CorruptLog, Match, Phase, TakebackOffer, later, mover_after};

impl Match {
    /// Replays a log.
    ///
    /// # Errors
    /// [`CorruptLog`] if no match can have written this log; an empty one included.
    pub fn replay(id: MatchId, log: &[Record]) -> Result<Self, CorruptLog> {
        Self::replay_each(id, log, |_, _| {})
    }

    /// Replays a log and calls `show` with the match after each record.
    pub(super) fn replay_each(
        id: MatchId,
        log: &[Record],
        mut show: impl FnMut(&Self, &Record),
    ) -> Result<Self, CorruptLog> {
        let (first, rest) = log.split_first().ok_or(CorruptLog::Beginning(Version(0)))?;
        let mut live = Self::begin(id, first)?;
        show(&live, first);
        for record in rest {
            live.evolve(record)?;
            show(&live, record);
        }
        Ok(live)
    }

    /// Begins a match with its first record.
    ///
    /// # Errors
    /// [`CorruptLog`] if the record is not `created`, or its start is no position with a move.
    pub fn begin(id: MatchId, first: &Record) -> Result<Self, CorruptLog> {
        let version = first.version;
        let Event::Created { terms } = &first.event else {
            return Err(CorruptLog::Beginning(version));
        };
        if version != Version(1) {
            return Err(CorruptLog::Gap {
                found: version,
                expected: Version(1),
            });
        }
        let position =
            Position::read(terms.game, &terms.start).map_err(|fault| rules(version, fault))?;
        if position.is_terminal() {
            return Err(rules(version, "a match cannot begin where no move is left"));
        }
        let mut live = Self {
            id,
            position,
            version,
            position_since: version,
            moves: Vec::new(),
            phase: match &terms.joiner {
                Some(joiner) => seated(terms, joiner, first.at),
                None => Phase::Open,
            },
            takeback_offers: [0; 2],
            resumes: 0,
            terms: (**terms).clone(),
            answered: Default::default(),
        };
        live.note_answer(first);
        Ok(live)
    }

    /// Applies the next event.
    ///
    /// # Errors
    /// [`CorruptLog`] if it cannot happen here; the match is then unchanged.
    pub fn evolve(&mut self, record: &Record) -> Result<(), CorruptLog> {
        let transition = self.transition(record)?;
        self.apply(record, transition);
        Ok(())
    }

    /// Computes what the next event does, for [`Match::apply`] to make. So the event can be stored between
    /// the check and the change, without a copy of the match.
    ///
    /// # Errors
    /// [`CorruptLog`] if it cannot happen here.
    pub fn transition(&self, record: &Record) -> Result<Transition, CorruptLog> {
        let version = record.version;
        if version != self.version.next() {
            return Err(CorruptLog::Gap {
                found: version,
                expected: self.version.next(),
            });
        }
        self.transition_of(record)
    }

    /// Makes the change that [`Match::transition`] computed for `record` at this version.
    pub fn apply(&mut self, record: &Record, transition: Transition) {
        debug_assert_eq!(record.version, self.version.next(), "computed for it");
        // A seat that is taken, or a choice, decides who moves, so a move sent before that is stale.
        let began = matches!(self.phase, Phase::Open | Phase::Choosing { .. })
            && !matches!(record.event, Event::Resumed { .. });
        if began || transition.position.is_some() {
            self.position_since = record.version;
        }
        self.phase = transition.phase;
        if let Some(position) = transition.position {
            self.position = position;
        }
        match &record.event {
            Event::Moved { seat, text, .. } => self.moves.push(LastMove {
                seat: *seat,
                text: text.clone(),
            }),
            Event::TakenBack { .. } => self.moves.truncate(self.plies_after(&record.event)),
            Event::TakebackOffered { seat } => self.takeback_offers[*seat as usize] += 1,
            Event::Resumed { .. } => self.resumes += 1,
            _ => {}
        }
        self.version = record.version;
        self.note_answer(record);
    }

    /// Counts the moves that stand after the next event.
    pub(super) fn plies_after(&self, event: &Event) -> usize {
        let plies = self.moves.len();
        match event {
            Event::Moved { .. } => plies + 1,
            Event::TakenBack { plies: undone, .. } => {
                plies.saturating_sub(usize::try_from(*undone).unwrap_or(usize::MAX))
            }
            _ => plies,
        }
    }

    fn transition_of(&self, record: &Record) -> Result<Transition, CorruptLog> {
        let at = record.at;
        let phase = match (&self.phase, &record.event) {
            (_, Event::Created { .. }) => return Err(CorruptLog::Beginning(record.version)),
            (phase, Event::Stopped { .. }) if phase.is_unfinished() => {
                closed(phase.joiner(), CloseReason::Stopped)
            }
            (Phase::Open, Event::Joined { player }) => seated(&self.terms, player, at),
            (Phase::Open, Event::Withdrawn) => closed(None, CloseReason::Withdrawn),
            (Phase::Open, Event::Expired) => closed(None, CloseReason::Expired),
            (
                Phase::Choosing {
                    joiner,
                    chooser,
                    until,
                    ..
                },
                event,
            ) => match event {
                Event::Chosen { seat, first } if seat == chooser => {
                    in_play(&self.terms, joiner, *first, at)
                }
                Event::ChoiceLapsed => in_play(&self.terms, joiner, chooser.other(), at),
                Event::Resumed { down_since, since } => Phase::Choosing {
                    joiner: joiner.clone(),
                    chooser: *chooser,
                    since: *since,
                    // What was left of the time to choose is left again.
                    until: match down_since {
                        Some(down_since) => later(*since, until.0.saturating_sub(down_since.0)),
                        None => later(*since, CHOOSE_WITHIN_MS),
                    },
                },
                _ => return Err(self.out_of_phase(record)),
            },
            (Phase::Playing { .. }, _) => return self.play_transition(record),
            (_, event) => {
                let phase = self.rematched(event);
                phase.ok_or_else(|| self.out_of_phase(record))?
            }
        };
        let position = None;
        Ok(Transition { phase, position })
    }

    /// Returns the phase of a finished match after an event; none if the event cannot happen then.
    fn rematched(&self, event: &Event) -> Option<Phase> {
        let mut phase = self.phase.clone();
        let Phase::Over { rematch, .. } = &mut phase else {
            return None;
        };
        *rematch = match (&*rematch, event) {
            (None, Event::RematchOffered { seat }) => Some(RematchView::Offered { by: *seat }),
            (Some(RematchView::Offered { by }), Event::RematchAccepted { seat, next })
                if by != seat =>
            {
                Some(RematchView::Agreed { next: next.clone() })
            }
            _ => return None,
        };
        Some(phase)
    }

    fn out_of_phase(&self, record: &Record) -> CorruptLog {
        CorruptLog::Phase {
            version: record.version,
            phase: self.phase.name(),
        }
    }

    /// Computes what an event does to a match in play. A move answers the opponent's offered takeback with no. Servers
    /// before 0.3.0 ended a player's offer with their own move too, so a new offer may replace one that stands.
    fn play_transition(&self, record: &Record) -> Result<Transition, CorruptLog> {
        let at = record.at;
        let fault = |fault: String| rules(record.version, fault);
        let mut phase = self.phase.clone();
        let Phase::Playing {
            joiner,
            first,
            clocks,
            takeback,
        } = &mut phase
        else {
            return Err(self.out_of_phase(record));
        };
        let turn = self.mover(*first);
        let mut position = None;
        match &record.event {
            Event::Moved {
                seat,
                text,
                charged_until,
            } => {
                let (after, winner) = self.after_move(*seat, turn, text).map_err(fault)?;
                if let Some(clocks) = clocks {
                    let until = charged_until.map_or(at, |until| until.min(at));
                    clocks.note_move(turn, until, at);
                }
                *takeback = takeback.filter(|offer| offer.by == *seat);
                if let Some(winner) = winner {
                    phase = over(joiner, *first, *clocks, winner, EndReason::NoMoveLeft);
                }
                position = Some(after);
            }
            Event::ClocksStarted if clocks.is_some() => {
                clocks.iter_mut().for_each(|it| it.run_at_once(at));
            }
            Event::TakebackOffered { seat } if self.takeback_offer(*seat).is_some() => {
                *takeback = self.takeback_offer(*seat);
            }
            Event::TakebackDeclined { seat } if self.plies_offered_back(seat.other()).is_some() => {
                *takeback = None;
            }
            Event::TakenBack { seat, plies }
                if self.plies_offered_back(seat.other()) == Some(*plies) =>
            {
                let kept = self.plies_after(&record.event);
                position = Some(self.position_at(kept).map_err(fault)?);
                if let Some(clocks) = clocks {
                    clocks.note_takeback(turn, mover_after(*first, kept), at);
                }
                *takeback = None;
            }
            Event::Resumed { down_since, since } if clocks.is_some() => {
                let resume = |it: &mut Clocks| it.resume(turn, *down_since, *since);
                clocks.iter_mut().for_each(resume);
            }
            _ => phase = self.ended(joiner, *first, *clocks, record)?,
        }
        Ok(Transition { phase, position })
    }

    /// Returns what `seat` offers to take back; nothing if it has no move to take back.
    fn takeback_offer(&self, seat: Seat) -> Option<TakebackOffer> {
        let undone = self.plies_back_to(seat)? as usize;
        Some(TakebackOffer {
            by: seat,
            kept_plies: self.moves.len() - undone,
        })
    }

    /// Returns the position after `seat`'s move, and the winner if no move is left.
    fn after_move(
        &self,
        seat: Seat,
        turn: Seat,
        text: &str,
    ) -> Result<(Position, Option<Seat>), String> {
        if seat != turn {
            return Err(format!("it was not the {seat}'s turn"));
        }
        let after = after(&self.position, text)?;
        let winner = match self.terms.game.convention() {
            Convention::Normal => seat,
            Convention::Misere => seat.other(),
        };
        let winner = after.is_terminal().then_some(winner);
        Ok((after, winner))
    }

    /// Returns the phase after an event, other than a move, that ends a match in play.
    fn ended(
        &self,
        joiner: &Player,
        first: Seat,
        mut clocks: Option<Clocks>,
        record: &Record,
    ) -> Result<Phase, CorruptLog> {
        let turn = self.mover(first);
        let lacks_first_move = clocks.is_some_and(|clocks| clocks.waits_for_first_move());
        let (winner, reason) = match &record.event {
            Event::Resigned { seat } => (seat.other(), EndReason::Resigned),
            Event::TimedOut { seat } if *seat == turn && clocks.is_some() => {
                (seat.other(), EndReason::OutOfTime)
            }
            Event::FirstMoveMissed { seat } | Event::Abandoned { seat } if *seat != turn => {
                return Err(self.out_of_phase(record));
            }
            // Servers before 0.3.0 have stored `abandoned` for such a match.
            Event::FirstMoveMissed { .. } | Event::Claimed { .. } | Event::Abandoned { .. }
                if lacks_first_move =>
            {
                return Ok(closed(Some(joiner), CloseReason::NotStarted));
            }
            Event::Abandoned { .. } if clocks.is_some() => return Err(self.out_of_phase(record)),
            Event::Abandoned { seat } => (seat.other(), EndReason::Abandoned),
            Event::Claimed { seat } => (*seat, EndReason::Away),
            _ => return Err(self.out_of_phase(record)),
        };
        if let Some(clocks) = &mut clocks {
            clocks.charge(turn, record.at);
        }
        Ok(over(joiner, first, clocks, winner, reason))
    }

    /// Finds the position after the first `plies` moves by playing them again.
    fn position_at(&self, plies: usize) -> Result<Position, String> {
        let start = Position::read(self.terms.game, &self.terms.start);
        let mut position = start.map_err(|fault| fault.to_string())?;
        for made in &self.moves[..plies] {
            position = after(&position, &made.text)?;
        }
        Ok(position)
    }

    fn note_answer(&mut self, record: &Record) {
        if let (Some(seat), Some(command)) = (record.event.author(), &record.command) {
            self.answered[seat as usize].insert(command.clone(), record.version);
        }
    }
}

fn rules(version: Version, fault: impl ToString) -> CorruptLog {
    CorruptLog::Rules {
        version,
        fault: fault.to_string(),
    }
}

/// Returns the position that a move's text leads to, or what is wrong with the text.
fn after(position: &Position, text: &str) -> Result<Position, String> {
    let played = position
        .read_move(text)
        .map_err(|fault| fault.to_string())?;
    position.play(&played).map_err(|fault| fault.to_string())
}

/// Returns the phase of a match whose seats are both taken at `now`.
fn seated(terms: &Terms, joiner: &Player, now: Timestamp) -> Phase {
    match terms.first.by() {
        FirstMover::Agreed(first) => in_play(terms, joiner, first, now),
        FirstMover::ChosenBy(chooser) => Phase::Choosing {
            joiner: joiner.clone(),
            chooser,
            since: now,
            until: later(now, CHOOSE_WITHIN_MS),
        },
    }
}

/// Returns the phase of a match that comes into play at `now`.
fn in_play(terms: &Terms, joiner: &Player, first: Seat, now: Timestamp) -> Phase {
    Phase::Playing {
        joiner: joiner.clone(),
        first,
        clocks: Clocks::new(terms, joiner, first, now),
        takeback: None,
    }
}

/// Returns the phase of a match that ends without a winner.
fn closed(joiner: Option<&Player>, reason: CloseReason) -> Phase {
    let joiner = joiner.cloned();
    Phase::Closed { joiner, reason }
}

/// Returns the phase of a match that ends with a winner.
fn over(
    joiner: &Player,
    first: Seat,
    clocks: Option<Clocks>,
    winner: Seat,
    reason: EndReason,
) -> Phase {
    Phase::Over {
        joiner: joiner.clone(),
        first,
        clocks,
        winner,
        reason,
        rematch: None,
    }
}

/// The change that one event makes: [`Match::transition`] computes it, [`Match::apply`] makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    phase: Phase,
    /// The position, if the event changes it.
    pub(super) position: Option<Position>,
}

impl Transition {
    /// The phase after the event.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }
}
