//! Applies events to a match. Nothing else ever changes one.

use fibfob_games::{Convention, Position};

use crate::event::{Event, Record, Terms};
use crate::ids::{MatchId, Timestamp, Version};
use crate::seat::{FirstMover, Player, Seat};
use crate::view::{CloseReason, EndReason, LastMove};

use super::{Clocks, CorruptLog, Match, Phase, Rematch, choice_lapses, later};

impl Match {
    /// Replays a log.
    ///
    /// # Errors
    /// [`CorruptLog`] if no match can have written this log; an empty one included.
    pub fn replay(id: MatchId, log: &[Record]) -> Result<Self, CorruptLog> {
        let (first, rest) = log.split_first().ok_or(CorruptLog::Beginning(Version(0)))?;
        let mut live = Self::begin(id, first)?;
        for record in rest {
            live.evolve(record)?;
        }
        Ok(live)
    }

    /// The match that its first record creates.
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

    /// The effect of the next event, which [`Match::apply`] makes: so an event can be stored
    /// between the check and the change without a copy of the match.
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

    /// Makes the effect of `record` that [`Match::transition`] computed for this version.
    pub fn apply(&mut self, record: &Record, transition: Transition) {
        debug_assert_eq!(record.version, self.version.next(), "computed for it");
        let Transition {
            phase,
            board,
            count,
        } = transition;
        let began = matches!(self.phase, Phase::Open | Phase::Choosing { .. })
            && !matches!(record.event, Event::Resumed { .. });
        if began || !matches!(board, BoardChange::None) {
            self.position_since = record.version;
        }
        self.phase = phase;
        match board {
            BoardChange::None => {}
            BoardChange::Played(position, made) => {
                self.position = position;
                self.moves.push(made);
            }
            BoardChange::TakenBack(position, kept) => {
                self.position = position;
                self.moves.truncate(kept);
            }
        }
        match count {
            CountChange::None => {}
            CountChange::TakebackOffered(seat) => self.takeback_offers[seat as usize] += 1,
            CountChange::Resumed => self.resumes += 1,
        }
        self.version = record.version;
        self.note_answer(record);
    }

    fn transition_of(&self, record: &Record) -> Result<Transition, CorruptLog> {
        let at = record.at;
        Ok(match (&self.phase, &record.event) {
            (_, Event::Created { .. }) => return Err(CorruptLog::Beginning(record.version)),
            (phase, Event::Stopped { .. }) if phase.is_unfinished() => {
                closed(phase.joiner(), CloseReason::Stopped).into()
            }
            (Phase::Open, Event::Joined { player }) => seated(&self.terms, player, at).into(),
            (Phase::Open, Event::Withdrawn) => closed(None, CloseReason::Withdrawn).into(),
            (Phase::Open, Event::Expired) => closed(None, CloseReason::Expired).into(),
            (
                Phase::Choosing {
                    joiner,
                    chooser,
                    until,
                    ..
                },
                event,
            ) => match event {
                Event::Chosen { seat, first } if seat == chooser => in_play(joiner, *first).into(),
                Event::ChoiceLapsed => in_play(joiner, chooser.other()).into(),
                Event::Resumed { down_since, since } => Transition {
                    phase: Phase::Choosing {
                        joiner: joiner.clone(),
                        chooser: *chooser,
                        since: *since,
                        until: match down_since {
                            Some(down_since) => later(*since, until.0.saturating_sub(down_since.0)),
                            None => choice_lapses(*since),
                        },
                    },
                    board: BoardChange::None,
                    count: CountChange::Resumed,
                },
                _ => return Err(self.out_of_phase(record)),
            },
            (
                Phase::Playing {
                    joiner,
                    first,
                    clocks,
                    takeback,
                },
                _,
            ) => {
                let play = Play {
                    joiner: joiner.clone(),
                    first: *first,
                    clocks: *clocks,
                    takeback: *takeback,
                };
                return self.play_transition(play, record);
            }
            (_, event) => {
                let phase = self.rematched(event);
                phase.ok_or_else(|| self.out_of_phase(record))?.into()
            }
        })
    }

    /// The phase after an event of a match that is over; none if there is no such event.
    fn rematched(&self, event: &Event) -> Option<Phase> {
        let mut phase = self.phase.clone();
        let Phase::Over { rematch, .. } = &mut phase else {
            return None;
        };
        *rematch = match (&*rematch, event) {
            (Rematch::None, Event::RematchOffered { seat }) => Rematch::Offered(*seat),
            (Rematch::Offered(by), Event::RematchAccepted { seat, next }) if by != seat => {
                Rematch::Agreed(next.clone())
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

    /// The effect of an event of a match in play.
    fn play_transition(&self, mut play: Play, record: &Record) -> Result<Transition, CorruptLog> {
        let at = record.at;
        let fault = |fault: String| rules(record.version, fault);
        let turn = self.mover(play.first);
        let (mut board, mut count) = (BoardChange::None, CountChange::None);
        let phase = match &record.event {
            Event::Moved {
                seat,
                text,
                charged_until,
            } => {
                if *seat != turn {
                    return Err(fault(format!("it was not the {seat}'s turn")));
                }
                if let Some(clocks) = &mut play.clocks {
                    clocks.moved(turn, charged_until.map_or(at, |until| until.min(at)), at);
                }
                return self.moved(play, *seat, text).map_err(fault);
            }
            Event::ClocksStarted if self.awaits_players() => {
                play.clocks = Clocks::start(&self.terms, &play.joiner, at);
                let takeback = play.takeback;
                play.on(takeback)
            }
            Event::TakebackOffered { seat }
                if play.takeback.is_none() && self.plies_back_to(*seat).is_some() =>
            {
                count = CountChange::TakebackOffered(*seat);
                play.on(Some(*seat))
            }
            Event::TakebackDeclined { seat } if play.takeback == Some(seat.other()) => {
                play.on(None)
            }
            Event::TakenBack { seat, plies }
                if play.takeback == Some(seat.other())
                    && self.plies_back_to(seat.other()) == Some(*plies) =>
            {
                board = self.board_before(*plies).map_err(fault)?;
                if let Some(clocks) = &mut play.clocks {
                    clocks.taken_back(turn, at);
                }
                play.on(None)
            }
            Event::Resumed { down_since, since } if play.clocks.is_some() => {
                count = CountChange::Resumed;
                play.resumed(turn, *down_since, *since)
            }
            event => {
                let ended = self.ended(play, event, at);
                ended.ok_or_else(|| self.out_of_phase(record))?
            }
        };
        Ok(Transition {
            phase,
            board,
            count,
        })
    }

    /// The phase after an event that ends a match in play; none if there is no such event.
    fn ended(&self, play: Play, event: &Event, at: Timestamp) -> Option<Phase> {
        let turn = self.mover(play.first);
        Some(match event {
            Event::Resigned { seat } => play
                .stopped(turn, at)
                .over(seat.other(), EndReason::Resigned),
            Event::TimedOut { seat } if *seat == turn && play.clocks.is_some() => play
                .stopped(turn, at)
                .over(seat.other(), EndReason::OutOfTime),
            Event::Abandoned { seat } if *seat != turn || play.clocks.is_some() => return None,
            Event::Claimed { .. } | Event::Abandoned { .. } if self.awaits_players() => {
                closed(Some(&play.joiner), CloseReason::NotStarted)
            }
            Event::Abandoned { seat } => play.over(seat.other(), EndReason::Abandoned),
            Event::Claimed { seat } => play.stopped(turn, at).over(*seat, EndReason::Away),
            _ => return None,
        })
    }

    /// The effect of the move that `seat` makes.
    fn moved(&self, play: Play, seat: Seat, text: &str) -> Result<Transition, String> {
        let position = after(&self.position, text)?;
        let phase = match (position.is_terminal(), self.terms.game.convention()) {
            (false, _) => play.on(None),
            (true, Convention::Normal) => play.over(seat, EndReason::NoMoveLeft),
            (true, Convention::Misere) => play.over(seat.other(), EndReason::NoMoveLeft),
        };
        let text = text.to_owned();
        Ok(Transition {
            phase,
            board: BoardChange::Played(position, LastMove { seat, text }),
            count: CountChange::None,
        })
    }

    /// The board before the newest `plies` moves, found by playing the others again.
    fn board_before(&self, plies: u64) -> Result<BoardChange, String> {
        let undone = usize::try_from(plies).unwrap_or(usize::MAX);
        let kept = self.moves.len().saturating_sub(undone);
        let start = Position::read(self.terms.game, &self.terms.start);
        let mut position = start.map_err(|fault| fault.to_string())?;
        for made in &self.moves[..kept] {
            position = after(&position, &made.text)?;
        }
        Ok(BoardChange::TakenBack(position, kept))
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

/// The position that a move's text leads to, or what is wrong with the text.
fn after(position: &Position, text: &str) -> Result<Position, String> {
    let played = position
        .read_move(text)
        .map_err(|fault| fault.to_string())?;
    position.play(&played).map_err(|fault| fault.to_string())
}

/// The phase of a match whose seats are both taken at `now`.
fn seated(terms: &Terms, joiner: &Player, now: Timestamp) -> Phase {
    match terms.first.by() {
        FirstMover::Agreed(first) => in_play(joiner, first),
        FirstMover::ChosenBy(chooser) => Phase::Choosing {
            joiner: joiner.clone(),
            chooser,
            since: now,
            until: choice_lapses(now),
        },
    }
}

/// The phase of a match that comes into play; its clocks are still to begin.
fn in_play(joiner: &Player, first: Seat) -> Phase {
    Phase::Playing {
        joiner: joiner.clone(),
        first,
        clocks: None,
        takeback: None,
    }
}

/// The phase of a match that ends without a winner.
fn closed(joiner: Option<&Player>, reason: CloseReason) -> Phase {
    let joiner = joiner.cloned();
    Phase::Closed { joiner, reason }
}

/// The effect of one event on a match: computed by [`Match::transition`], made by
/// [`Match::apply`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    phase: Phase,
    board: BoardChange,
    count: CountChange,
}

/// The change of position and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BoardChange {
    None,
    /// A move led to this position.
    Played(Position, LastMove),
    /// Moves were taken back to this position; so many are left.
    TakenBack(Position, usize),
}

/// The change of a bounded count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountChange {
    None,
    TakebackOffered(Seat),
    Resumed,
}

impl Transition {
    /// The phase after the event.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The position and the number of moves after the event, from those before it.
    pub(super) fn board<'a>(
        &'a self,
        position: &'a Position,
        plies: usize,
    ) -> (&'a Position, usize) {
        match &self.board {
            BoardChange::None => (position, plies),
            BoardChange::Played(position, _) => (position, plies + 1),
            BoardChange::TakenBack(position, kept) => (position, *kept),
        }
    }
}

impl From<Phase> for Transition {
    fn from(phase: Phase) -> Self {
        Self {
            phase,
            board: BoardChange::None,
            count: CountChange::None,
        }
    }
}

/// The fields of a match in play.
struct Play {
    joiner: Player,
    first: Seat,
    clocks: Option<Clocks>,
    takeback: Option<Seat>,
}

impl Play {
    /// Play goes on, with this takeback offer open.
    fn on(self, takeback: Option<Seat>) -> Phase {
        let Self {
            joiner,
            first,
            clocks,
            ..
        } = self;
        Phase::Playing {
            joiner,
            first,
            clocks,
            takeback,
        }
    }

    fn over(self, winner: Seat, reason: EndReason) -> Phase {
        Phase::Over {
            joiner: self.joiner,
            first: self.first,
            clocks: self.clocks,
            winner,
            reason,
            rematch: Rematch::None,
        }
    }

    /// The clock of the seat to move has stopped.
    fn stopped(mut self, turn: Seat, now: Timestamp) -> Self {
        if let Some(clocks) = &mut self.clocks {
            clocks.charge(turn, now);
        }
        self
    }

    /// Play goes on; nobody is charged for the time without a server, from `down_since` to `since`.
    fn resumed(mut self, turn: Seat, down_since: Option<Timestamp>, since: Timestamp) -> Phase {
        if let Some(clocks) = &mut self.clocks {
            if let Some(down_since) = down_since {
                clocks.charge(turn, down_since);
            }
            clocks.forgive(since);
        }
        let takeback = self.takeback;
        self.on(takeback)
    }
}
