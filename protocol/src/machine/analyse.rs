//! Analyses a match: what each position is worth, and why.
//!
//! Pure like the rest of the machine, but slow for some games, so a server computes it off its runtime.

use std::collections::BTreeMap;

use fibfob_games::{Outcome, Position, Reasoner};

use super::Match;
use crate::analysis::{Analysis, PositionAnalysis, Review, ReviewedPly};
use crate::event::{Event, Record};
use crate::ids::Version;
use crate::limits::{REASONED_BYTES_MAX, REVIEW_BYTES_MAX};
use crate::message::IdeaCount;
use crate::refusal::Refusal;
use crate::seat::Seat;
use crate::view::LastMove;

impl Review {
    /// Lists a player's moves, each with the position before it and whether it kept the win. None where there
    /// was no win to keep.
    pub fn own_moves(&self, seat: Seat) -> impl Iterator<Item = (&str, Option<bool>)> {
        let pairs = self.plies.windows(2);
        let own = pairs.filter(move |pair| pair[1].text.is_some() && pair[1].seat == Some(seat));
        own.map(|pair| {
            let after = pair[1]
                .outcome
                .filter(|_| pair[0].outcome == Some(Outcome::N));
            let kept = after.map(|outcome| outcome == Outcome::P);
            (pair[0].position.as_str(), kept)
        })
    }
}

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
    pub fn analyse(&self, log: &[Record], version: Version) -> Result<Analysis, Refusal> {
        self.may_be_analysed()?;
        let history = self.history(log);
        let reached = history.iter().rev().find(|ply| ply.version <= version);
        match reached {
            Some(ply) if version <= self.version() => Ok(Analysis {
                version,
                of: PositionAnalysis::of(&ply.position),
            }),
            _ => Err(Refusal::NoSuchVersion {
                found: version,
                current: self.version(),
            }),
        }
    }

    /// Values every position of this match. `log` is its whole log.
    ///
    /// # Errors
    /// `NotForLearning`, or `ReviewTooLong` if the positions have more than [`REVIEW_BYTES_MAX`]
    /// bytes: the work and the answer are bounded by them.
    pub fn review(&self, log: &[Record]) -> Result<Review, Refusal> {
        self.may_be_analysed()?;
        let history = self.history(log);
        let bytes = history.iter().map(|ply| ply.position.to_string().len());
        let bytes = bytes.sum();
        if bytes > REVIEW_BYTES_MAX {
            return Err(Refusal::ReviewTooLong(bytes));
        }
        let mut left = REASONED_BYTES_MAX;
        let mut won: Option<Position> = None;
        let mut plies = Vec::new();
        for ply in history {
            let solution = ply.position.solve();
            // N after a move from N: the mover could have won, and now the opponent can.
            let given = won.filter(|_| ply.made.is_some() && solution.outcome == Some(Outcome::N));
            let better = given.as_ref().and_then(|lost| {
                left = left.checked_sub(lost.to_string().len())?;
                Reasoner::simplest(lost)
            });
            plies.push(ReviewedPly {
                version: ply.version,
                position: ply.position.to_string(),
                gave_away: given.is_some(),
                missed: better.as_ref().map(|(idea, _)| *idea),
                better: better.map(|(_, found)| found.to_string()),
                seat: ply.made.as_ref().map(|made| made.seat),
                text: ply.made.map(|made| made.text),
                outcome: solution.outcome,
                nimber: solution.nimber.known(),
            });
            won = (solution.outcome == Some(Outcome::N)).then_some(ply.position);
        }
        Ok(Review { plies })
    }

    /// Counts, for each idea, the positions in which a player of this match needed it to win, and how many
    /// they did win. Reads the whole log; looks at the first [`REASONED_BYTES_MAX`] bytes of such positions.
    ///
    /// # Errors
    /// As [`Self::review`].
    pub fn ideas(&self, log: &[Record], seat: Seat) -> Result<Vec<IdeaCount>, Refusal> {
        let mut counts = BTreeMap::new();
        let review = self.review(log)?;
        let mut left = REASONED_BYTES_MAX;
        for (before, kept) in review.own_moves(seat) {
            let Some(kept) = kept else { continue };
            let Some(rest) = left.checked_sub(before.len()) else {
                break;
            };
            left = rest;
            let position = Position::read(self.terms().game, before);
            let position = position.expect("a position is read as it was written");
            let Some((idea, _)) = Reasoner::simplest(&position) else {
                continue;
            };
            let count = counts.entry(idea).or_insert(IdeaCount {
                idea,
                had: 0,
                kept: 0,
            });
            count.had += 1;
            count.kept += u32::from(kept);
        }
        Ok(counts.into_values().collect())
    }

    fn may_be_analysed(&self) -> Result<(), Refusal> {
        match self.phase().is_unfinished() && !self.terms().learning {
            true => Err(Refusal::NotForLearning),
            false => Ok(()),
        }
    }

    /// Lists the start, and the position after each move and each takeback.
    fn history(&self, log: &[Record]) -> Vec<Ply> {
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
            });
        });
        replayed.expect("a live match has this log");
        plies
    }
}

struct Ply {
    version: Version,
    position: Position,
    made: Option<LastMove>,
}
