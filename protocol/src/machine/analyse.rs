//! Analyses a match: what each position is worth, and why.
//!
//! Pure like the rest of the machine, but slow for some games, so a server computes it off its runtime.

use std::collections::BTreeMap;

use fibfob_games::{Budget, Move, Nimber, Outcome, Position, Reasoner, UnknownReason};

use super::{Match, Phase, mover_after};
use crate::analysis::{Analysis, PositionAnalysis, Review, ReviewedPly, Verdict};
use crate::event::{Event, Record};
use crate::ids::Version;
use crate::limits::REVIEW_BYTES_MAX;
use crate::message::IdeaCount;
use crate::refusal::Refusal;
use crate::seat::Seat;
use crate::view::LastMove;

impl Match {
    /// Returns the move as it would be written, and the position after it.
    ///
    /// # Errors
    /// `NotInPlay`, `Notation` or `Illegal`, as if it were played.
    pub fn preview(&self, text: &str) -> Result<(String, Position), Refusal> {
        if self.turn().is_none() {
            return Err(Refusal::NotInPlay(self.phase().name()));
        }
        let played = self.position().read_move(text)?;
        let after = self.position().play(&played)?;
        Ok((played.to_string(), after))
    }

    /// Explains why the position after `version` is won or lost. `log` is this match's whole log.
    ///
    /// # Errors
    /// `NotForLearning` or `NoSuchVersion`.
    pub fn analyse(
        &self,
        log: &[Record],
        version: Version,
        budget: &mut Budget,
    ) -> Result<Analysis, Refusal> {
        self.may_be_analysed()?;
        let history = self.history(log, budget);
        let reached = history.iter().rev().find(|ply| ply.version <= version);
        match reached {
            Some(ply) if version <= self.version() => Ok(Analysis {
                version,
                of: PositionAnalysis::of(&ply.position, budget),
            }),
            _ => Err(Refusal::NoSuchVersion {
                found: version,
                current: self.version(),
            }),
        }
    }

    /// Values every position of this match, looks for better moves as far as the budget holds, and says what
    /// decided it. The page and the terminal put this into words, and compute nothing of it. `log` is the whole log.
    ///
    /// # Errors
    /// `NotForLearning`, or `ReviewTooLong` if the positions have more than [`REVIEW_BYTES_MAX`]
    /// bytes: the answer is bounded by them.
    pub fn review(&self, log: &[Record], budget: &mut Budget) -> Result<Review, Refusal> {
        let mut won: Option<Position> = None;
        let valued = self.valued(log, budget)?;
        let first = valued.iter().find_map(|ply| Some(ply.made.as_ref()?.seat));
        let first = first.or(self.first());
        let plies = valued.into_iter().map(|ply| {
            // N after a move from N: the mover could have won, and now the opponent can.
            let is_given = ply.made.is_some() && ply.outcome == Some(Outcome::N);
            let given = won.take().filter(|_| is_given);
            let better = given.as_ref().and_then(|lost| simplest(lost, budget));
            let reviewed = ReviewedPly {
                version: ply.version,
                position: ply.position.to_string(),
                gave_away: given.is_some(),
                missed: better.as_ref().map(|(idea, _)| *idea),
                better: better.map(|(_, found)| found.to_string()),
                seat: ply.made.as_ref().map(|made| made.seat),
                text: ply.made.map(|made| made.text),
                taken_back: ply.taken_back,
                can_win: first.zip(ply.outcome).map(|(first, outcome)| {
                    let mover = mover_after(first, ply.standing);
                    match outcome {
                        Outcome::N => mover,
                        Outcome::P => mover.other(),
                    }
                }),
                outcome: ply.outcome,
                nimber: ply.nimber.known(),
                too_much_work: ply.nimber == Nimber::Unknown(UnknownReason::TooMuchWork),
            };
            won = (ply.outcome == Some(Outcome::N)).then_some(ply.position);
            reviewed
        });
        let plies: Vec<_> = plies.collect();
        let verdict = self.verdict(&plies);
        Ok(Review { plies, verdict })
    }

    fn verdict(&self, plies: &[ReviewedPly]) -> Option<Verdict> {
        let Phase::Over { winner, .. } = *self.phase() else {
            return None;
        };
        let line = plies.iter().filter(|ply| !ply.taken_back);
        let line: Vec<_> = line.enumerate().collect();
        let given_by = |seat| {
            let given = line
                .iter()
                .filter(move |(_, ply)| ply.gave_away && ply.seat == Some(seat));
            given.map(|(number, _)| *number)
        };
        let (_, end) = line.last().filter(|(number, _)| *number > 0)?;
        if line.iter().any(|(_, ply)| ply.can_win.is_none()) {
            return Some(Verdict::Unknown);
        }
        if end.can_win != Some(winner) {
            return Some(Verdict::StillWinning);
        }
        Some(match given_by(winner.other()).next_back() {
            None => Verdict::Kept,
            Some(ply) => Verdict::GivenAway {
                ply,
                returned: given_by(winner).count(),
            },
        })
    }

    /// Returns the seat that moves first, once that is known.
    fn first(&self) -> Option<Seat> {
        match *self.phase() {
            Phase::Playing { first, .. } | Phase::Over { first, .. } => Some(first),
            Phase::Open | Phase::Choosing { .. } | Phase::Closed { .. } => None,
        }
    }

    /// Counts, for each idea, the positions in which a player of this match needed it to win, and how many
    /// they did win. Reads the whole log, and counts the first positions, as many as the budget holds.
    ///
    /// # Errors
    /// As [`Self::review`].
    pub fn ideas(
        &self,
        log: &[Record],
        seat: Seat,
        budget: &mut Budget,
    ) -> Result<Vec<IdeaCount>, Refusal> {
        let mut counts = BTreeMap::new();
        for pair in self.valued(log, budget)?.windows(2) {
            let [before, after] = pair else { continue };
            let is_own = after.made.as_ref().is_some_and(|made| made.seat == seat);
            let (Some(Outcome::N), Some(outcome), true) = (before.outcome, after.outcome, is_own)
            else {
                continue;
            };
            let Some((idea, _)) = simplest(&before.position, budget) else {
                continue;
            };
            let count = counts.entry(idea).or_insert(IdeaCount {
                idea,
                had: 0,
                kept: 0,
            });
            count.had += 1;
            count.kept += u32::from(outcome == Outcome::P);
        }
        Ok(counts.into_values().collect())
    }

    fn may_be_analysed(&self) -> Result<(), Refusal> {
        match self.phase().is_unfinished() && !self.terms().learning {
            true => Err(Refusal::NotForLearning),
            false => Ok(()),
        }
    }

    /// Values the positions of this match's history. An outcome that the budget does not hold is unknown.
    fn valued(&self, log: &[Record], budget: &mut Budget) -> Result<Vec<Ply>, Refusal> {
        self.may_be_analysed()?;
        let history = self.history(log, budget);
        let bytes = history.iter().map(|ply| ply.position.to_string().len());
        let bytes = bytes.sum();
        if bytes > REVIEW_BYTES_MAX {
            return Err(Refusal::ReviewTooLong(bytes));
        }
        let tables = history.first().map_or(0, |ply| ply.position.table_steps());
        // If this is too much, so is what follows.
        let _ = budget.spend(tables);
        let valued = history.into_iter().map(|mut ply| {
            if budget.spend(ply.position.play_steps()).is_ok() {
                (ply.outcome, ply.nimber) = (ply.position.outcome(), ply.position.nimber());
            }
            ply
        });
        Ok(valued.collect())
    }

    /// Lists the start, and the position after each move and each takeback, and charges for replaying them. Values none.
    fn history(&self, log: &[Record], budget: &mut Budget) -> Vec<Ply> {
        let mut plies = Vec::new();
        let replayed = Self::replay_each(self.id(), log, |state, record| {
            let made = match record.event {
                Event::Moved { .. } => state.last_move().cloned(),
                Event::Created { .. } | Event::TakenBack { .. } => None,
                _ => return,
            };
            plies.push(Ply {
                version: record.version,
                position: state.position().clone(),
                made,
                standing: state.moves().len(),
                taken_back: false,
                outcome: None,
                nimber: Nimber::Unknown(UnknownReason::TooMuchWork),
            });
        });
        replayed.expect("a live match has this log");
        // From the end on: a takeback undoes the moves before it beyond the number that still stood.
        let mut standing = usize::MAX;
        for ply in plies.iter_mut().skip(1).rev() {
            ply.taken_back = ply.made.is_none() || ply.standing > standing;
            standing = standing.min(ply.standing);
        }
        let steps = plies.iter().map(|ply| ply.position.play_steps()).sum();
        // The plies of a match are bounded, so that this leaves most of the budget.
        let _ = budget.spend(steps);
        plies
    }
}

struct Ply {
    version: Version,
    position: Position,
    made: Option<LastMove>,
    /// The number of moves that stood then.
    standing: usize,
    taken_back: bool,
    outcome: Option<Outcome>,
    nimber: Nimber,
}

/// The simplest idea that wins here; `None` where none is known, or the budget does not hold the search.
fn simplest(position: &Position, budget: &mut Budget) -> Option<(Reasoner, Move)> {
    budget.spend(position.solve_steps()).ok()?;
    let winning = position.solve().winning;
    Reasoner::simplest(position, &winning, budget).ok()?
}
