//! The analysis of a match: what each of its positions is worth, and why.
//!
//! Pure like the rest of the machine, but not quick for every game: a server computes it off its runtime.

use fibfob_games::{Outcome, Position};

use super::{Match, Phase};
use crate::analysis::{Analysis, Review, ReviewedPly};
use crate::event::{Event, Record};
use crate::ids::Version;
use crate::limits::REVIEW_BYTES_MAX;
use crate::refusal::Refusal;
use crate::seat::Seat;

impl Analysis {
    fn of(version: Version, position: &Position) -> Self {
        let solution = position.solve();
        Self {
            version,
            position: position.to_string(),
            outcome: solution.outcome,
            nimber: solution.nimber,
            winning: solution.winning,
            complete: solution.complete,
            steps: position.explain(),
        }
    }
}

impl Match {
    /// The position after a move, and whether the match would be over.
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

    /// The explanation of why the position after `version` of this match is won or lost.
    ///
    /// # Errors
    /// `NotForLearning` or `NoSuchVersion`.
    pub fn analyse(&self, log: &[Record], version: Version) -> Result<Analysis, Refusal> {
        self.may_be_analysed()?;
        let history = self.history(log);
        let reached = history.iter().rev().find(|ply| ply.version <= version);
        match reached {
            Some(ply) if version <= self.version() => Ok(Analysis::of(version, &ply.position)),
            _ => Err(Refusal::NoSuchVersion {
                found: version,
                current: self.version(),
            }),
        }
    }

    /// The value of every position of this match.
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
        let mut before = None;
        let mut plies = Vec::new();
        for ply in history {
            let solution = ply.position.solve();
            let won = ply.text.is_some() && before == Some(Outcome::N);
            plies.push(ReviewedPly {
                version: ply.version,
                position: ply.position.to_string(),
                gave_away: won && solution.outcome == Some(Outcome::N),
                text: ply.text,
                seat: ply.seat,
                outcome: solution.outcome,
                nimber: solution.nimber.known(),
            });
            before = solution.outcome;
        }
        Ok(Review { plies })
    }

    fn may_be_analysed(&self) -> Result<(), Refusal> {
        match self.phase() {
            Phase::Playing { .. } | Phase::Choosing { .. } | Phase::Open
                if !self.terms().learning =>
            {
                Err(Refusal::NotForLearning)
            }
            _ => Ok(()),
        }
    }

    fn history(&self, log: &[Record]) -> Vec<Ply> {
        let start = Position::read(self.terms().game, &self.terms().start)
            .expect("a live match has begun from this start");
        // The positions of the line as it stood, so that moves can be taken back from it.
        let mut line = vec![start.clone()];
        let mut plies = vec![Ply {
            version: Version(1),
            position: start,
            text: None,
            seat: None,
        }];
        for record in log {
            let (text, seat) = match &record.event {
                Event::Moved { seat, text, .. } => {
                    let before = line.last().expect("there is a start");
                    let played = before.read_move(text).expect("a live match has read this");
                    let after = before.play(&played).expect("a live match has played this");
                    line.push(after);
                    (Some(text.clone()), Some(*seat))
                }
                Event::TakenBack { plies, .. } => {
                    let undone = usize::try_from(*plies).unwrap_or(usize::MAX);
                    line.truncate(line.len().saturating_sub(undone).max(1));
                    (None, None)
                }
                _ => continue,
            };
            plies.push(Ply {
                version: record.version,
                position: line.last().expect("there is a start").clone(),
                text,
                seat,
            });
        }
        plies
    }
}

struct Ply {
    version: Version,
    position: Position,
    text: Option<String>,
    seat: Option<Seat>,
}
