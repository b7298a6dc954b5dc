//! One position of a table: its value, by the solver.

use fibfob_games::{GameId, NotationError, Outcome, Position};

/// What the solver says about a position, as far as a table shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// None where there is none or it is not known.
    pub nimber: Option<u64>,
    /// None where it is not known.
    pub outcome: Option<Outcome>,
}

impl Cell {
    /// Solves a position.
    ///
    /// # Errors
    /// When the text is no position of the game.
    pub fn solve(game: GameId, text: &str) -> Result<Self, NotationError> {
        let position = Position::read(game, text)?;
        let nimber = position.nimber();
        let outcome = match nimber.outcome() {
            Some(outcome) => Some(outcome),
            None => position.outcome(),
        };
        Ok(Self {
            nimber: nimber.known(),
            outcome,
        })
    }

    /// Whether the player to move loses.
    pub fn is_cold(self) -> bool {
        self.outcome == Some(Outcome::P)
    }

    /// The nimber, else who wins, else nothing.
    pub fn text(self) -> String {
        match (self.nimber, self.outcome) {
            (Some(nimber), _) => nimber.to_string(),
            (None, Some(outcome)) => outcome.to_string(),
            (None, None) => String::new(),
        }
    }
}
