//! The cell of a table: the solver's result for one position.

use fibfob_games::{GameId, NotationError, Outcome, Position};

/// The solver's result for a position, as far as a table shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// None where the position has no nimber or it is not known.
    pub nimber: Option<u64>,
    /// None where the outcome is not known.
    pub outcome: Option<Outcome>,
}

impl Cell {
    /// Solves a position.
    ///
    /// # Errors
    /// The text is not a position of the game.
    pub fn solve(game: GameId, text: &str) -> Result<Self, NotationError> {
        let position = Position::read(game, text)?;
        let nimber = position.nimber();
        Ok(Self {
            nimber: nimber.known(),
            outcome: nimber.outcome().or_else(|| position.outcome()),
        })
    }

    /// Returns true if the player to move loses.
    pub fn is_cold(self) -> bool {
        self.outcome == Some(Outcome::P)
    }

    /// The nimber or, where there is none, the outcome; empty if neither is known.
    pub fn text(self) -> String {
        match (self.nimber, self.outcome) {
            (Some(nimber), _) => nimber.to_string(),
            (None, Some(outcome)) => outcome.to_string(),
            (None, None) => String::new(),
        }
    }
}
