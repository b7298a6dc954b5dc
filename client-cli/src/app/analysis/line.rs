//! The positions of an analysis. The board shows one of them.

use fibfob_games::Position;

use crate::coach;

/// The most positions of a line that was tried; an older one is forgotten.
const LINE_MAX: usize = 2_000;

#[derive(Clone, Debug)]
pub struct AnalysisLine {
    /// The positions so far; there is always one.
    pub positions: Vec<Position>,
    /// The one that the board shows.
    pub at: usize,
    /// A wrong move and its refutation, until something else is typed.
    pub refuted: Option<[Position; 2]>,
    pub value: &'static str,
    /// True if a hint was given here, so that the next one tells the move.
    pub hinted: bool,
}

impl AnalysisLine {
    /// A line at its last position.
    pub fn new(positions: Vec<Position>) -> Self {
        let at = positions.len() - 1;
        Self {
            value: coach::value(&positions[at]),
            positions,
            at,
            refuted: None,
            hinted: false,
        }
    }

    /// The position that moves are made in; the board may show a refutation meanwhile.
    pub fn current(&self) -> &Position {
        &self.positions[self.at]
    }

    pub fn go(&mut self, at: usize) {
        (self.at, self.refuted, self.hinted) = (at, None, false);
        self.value = coach::value(self.current());
    }

    /// Makes a move on the board, and forgets what was tried after this position before.
    pub fn make(&mut self, after: Position) {
        self.positions.truncate(self.at + 1);
        self.positions.push(after);
        if self.positions.len() > LINE_MAX {
            self.positions.remove(0);
        }
        self.go(self.positions.len() - 1);
    }
}
