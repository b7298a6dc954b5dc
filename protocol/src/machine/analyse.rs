//! The analysis of a match: what each of its positions is worth, and why.
//!
//! Pure like the rest of the machine, but not quick for every game: a server computes it off its runtime.

use fibfob_games::{Outcome, Position, Reasoner};

use super::{Match, Phase};
use crate::analysis::{Analysis, PositionAnalysis, Review, ReviewedPly};
use crate::event::{Event, Record};
use crate::ids::Version;
use crate::limits::{REASONED_BYTES_MAX, REVIEW_BYTES_MAX};
use crate::message::IdeaCount;
use crate::refusal::Refusal;
use crate::seat::Seat;

impl Review {
    /// The moves of a player, each with the position before it, and whether it kept the win or gave it
    /// away; neither where there was none to keep.
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
        let mut left = REASONED_BYTES_MAX;
        let mut before: Option<(Option<Outcome>, Position)> = None;
        let mut plies = Vec::new();
        for ply in history {
            let solution = ply.position.solve();
            let won =
                before.filter(|(outcome, _)| ply.text.is_some() && *outcome == Some(Outcome::N));
            let given = won.filter(|_| solution.outcome == Some(Outcome::N));
            let better = given.as_ref().and_then(|(_, lost)| {
                left = left.checked_sub(lost.to_string().len())?;
                Reasoner::simplest(lost)
            });
            plies.push(ReviewedPly {
                version: ply.version,
                position: ply.position.to_string(),
                gave_away: given.is_some(),
                missed: better.as_ref().map(|(idea, _)| *idea),
                better: better.map(|(_, found)| found.to_string()),
                text: ply.text,
                seat: ply.seat,
                outcome: solution.outcome,
                nimber: solution.nimber.known(),
            });
            before = Some((solution.outcome, ply.position));
        }
        Ok(Review { plies })
    }

    /// The positions that a player of this match could have won, by the idea that each needed; of more than
    /// [`REASONED_BYTES_MAX`] bytes of them, the first.
    ///
    /// # Errors
    /// As [`Self::review`].
    pub fn ideas(&self, log: &[Record], seat: Seat) -> Result<Vec<IdeaCount>, Refusal> {
        let mut counts: Vec<IdeaCount> = Vec::new();
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
            let place = counts.iter().position(|count| count.idea == idea);
            let place = place.unwrap_or_else(|| {
                let (had, kept) = (0, 0);
                counts.push(IdeaCount { idea, had, kept });
                counts.len() - 1
            });
            counts[place].had += 1;
            counts[place].kept += u32::from(kept);
        }
        counts.sort_by_key(|count| count.idea);
        Ok(counts)
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
