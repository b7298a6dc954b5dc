//! How an event changes a match. The only way a match ever changes.

use std::collections::HashMap;

use fibfob_games::{Convention, Position};

use crate::event::{Event, Record};
use crate::ids::{MatchId, Version};
use crate::view::{CloseReason, EndReason, LastMove};

use super::{Corrupt, Match, Phase, Rematch};

impl Match {
    /// The match that a log tells.
    ///
    /// # Errors
    /// [`Corrupt`] where no match can have written this log; an empty one included.
    pub fn replay(id: MatchId, log: &[Record]) -> Result<Self, Corrupt> {
        let (first, rest) = log.split_first().ok_or(Corrupt::Beginning(Version(0)))?;
        let mut live = Self::begin(id, first)?;
        for record in rest {
            live.evolve(record)?;
        }
        Ok(live)
    }

    /// The match that its first event makes.
    ///
    /// # Errors
    /// [`Corrupt`] if it is no first event or its start is no position.
    pub fn begin(id: MatchId, first: &Record) -> Result<Self, Corrupt> {
        let version = first.version;
        let Event::Created { terms } = &first.event else {
            return Err(Corrupt::Beginning(version));
        };
        if version != Version(1) {
            return Err(Corrupt::Gap {
                found: version,
                expected: Version(1),
            });
        }
        let position =
            Position::read(terms.game, &terms.start).map_err(|fault| rules(version, fault))?;
        let mut live = Self {
            id,
            position,
            version,
            plies: 0,
            last: None,
            phase: match &terms.joiner {
                Some(joiner) => Phase::Playing {
                    joiner: joiner.clone(),
                },
                None => Phase::Open,
            },
            terms: (**terms).clone(),
            answered: HashMap::new(),
        };
        live.note_answer(first);
        Ok(live)
    }

    /// Lets the next event happen.
    ///
    /// # Errors
    /// [`Corrupt`] if it cannot; the match is then unchanged.
    pub fn evolve(&mut self, record: &Record) -> Result<(), Corrupt> {
        let version = record.version;
        if version != self.version.next() {
            return Err(Corrupt::Gap {
                found: version,
                expected: self.version.next(),
            });
        }
        self.phase = self.phase_after(&record.event, version)?;
        self.version = version;
        self.note_answer(record);
        Ok(())
    }

    /// The phase after `event`; a move also moves the position.
    fn phase_after(&mut self, event: &Event, version: Version) -> Result<Phase, Corrupt> {
        let out_of_phase = || Corrupt::Phase {
            version,
            phase: self.phase.name(),
        };
        Ok(match (&self.phase, event) {
            (_, Event::Created { .. }) => return Err(Corrupt::Beginning(version)),
            (Phase::Open, Event::Joined { player }) => Phase::Playing {
                joiner: player.clone(),
            },
            (Phase::Open, Event::Withdrawn) => Phase::Closed {
                reason: CloseReason::Withdrawn,
            },
            (Phase::Open, Event::Expired) => Phase::Closed {
                reason: CloseReason::Expired,
            },
            (Phase::Playing { joiner }, Event::Resigned { seat }) => Phase::Over {
                joiner: joiner.clone(),
                winner: seat.other(),
                reason: EndReason::Resigned,
                rematch: Rematch::None,
            },
            (Phase::Playing { joiner }, Event::Moved { seat, text }) => {
                if *seat != self.mover() {
                    return Err(rules(version, format!("it was not the {seat}'s turn")));
                }
                let joiner = joiner.clone();
                let played = self
                    .position
                    .read_move(text)
                    .map_err(|fault| rules(version, fault))?;
                let next = self
                    .position
                    .play(&played)
                    .map_err(|fault| rules(version, fault))?;
                self.position = next;
                self.plies += 1;
                self.last = Some(LastMove {
                    seat: *seat,
                    text: text.clone(),
                });
                if self.position.is_terminal() {
                    Phase::Over {
                        joiner,
                        winner: match self.terms.game.convention() {
                            Convention::Normal => *seat,
                            Convention::Misere => seat.other(),
                        },
                        reason: EndReason::NoMoveLeft,
                        rematch: Rematch::None,
                    }
                } else {
                    Phase::Playing { joiner }
                }
            }
            (
                Phase::Over {
                    joiner,
                    winner,
                    reason,
                    rematch,
                },
                Event::RematchOffered { .. } | Event::RematchAccepted { .. },
            ) => Phase::Over {
                joiner: joiner.clone(),
                winner: *winner,
                reason: *reason,
                rematch: match (rematch, event) {
                    (Rematch::None, Event::RematchOffered { seat }) => Rematch::Offered(*seat),
                    (Rematch::Offered(by), Event::RematchAccepted { seat, next }) if by != seat => {
                        Rematch::Agreed(next.clone())
                    }
                    _ => return Err(out_of_phase()),
                },
            },
            _ => return Err(out_of_phase()),
        })
    }

    fn note_answer(&mut self, record: &Record) {
        if let (Some(seat), Some(command)) = (record.event.author(), &record.command) {
            self.answered
                .insert((seat, command.clone()), record.version);
        }
    }
}

fn rules(version: Version, fault: impl ToString) -> Corrupt {
    Corrupt::Rules {
        version,
        fault: fault.to_string(),
    }
}
