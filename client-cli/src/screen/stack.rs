//! The stack of eight boards, with the ship's square, its previous square and the squares it can reach.
//!
//! Boards stand side by side, the lowest first. The ship moves down to the same square of a lower board, or
//! towards a1 on its own board.

use std::cmp::Ordering;

use fibfob_games::{SIDE, Square};
use ratatui::crossterm::event::KeyCode;
use ratatui::text::{Line, Span};

use super::theme::{StyleRole, Theme};

/// All boards; or a tower: the ship's board, and beside it the ship's square on every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackForm {
    /// The boards in a row; a single one makes a tower.
    pub across: u16,
    /// The columns for a square, and between two boards.
    pub cell: u16,
}

/// The columns for the numbers of the ranks.
const RANK_COLUMNS: u16 = 2;

/// The square where the ship arrives.
const GOAL: Square = Square {
    file: 0,
    rank: 0,
    board: 0,
};

const SQUARES: u16 = SIDE as u16;

impl StackForm {
    /// All forms, the largest first.
    pub const ALL: [Self; 5] = [
        Self { across: 8, cell: 2 },
        Self { across: 4, cell: 2 },
        Self { across: 8, cell: 1 },
        Self { across: 4, cell: 1 },
        Self::TOWER,
    ];

    pub const TOWER: Self = Self { across: 1, cell: 2 };

    pub fn size(self) -> (u16, u16) {
        let (board, rows) = (SQUARES * self.cell, SQUARES + 1);
        match self {
            Self::TOWER => (RANK_COLUMNS + board + self.cell + 4, rows + 1),
            // The letters of the files stand below the bottom row.
            Self { across, .. } => (
                RANK_COLUMNS + across * (board + self.cell) - self.cell,
                SQUARES / across * rows + 1,
            ),
        }
    }
}

/// Returns the square that an arrow key chooses, next to the chosen one or to the ship's own; with Shift,
/// through the boards. The ship's own square chooses none. `None` where the ship cannot fly.
pub fn steer(ship: Square, chosen: Square, key: KeyCode, with_shift: bool) -> Option<Square> {
    let axes = |square: Square| [square.file, square.rank, square.board];
    let axis = match key {
        KeyCode::Left | KeyCode::Right => 0,
        _ => 1 + usize::from(with_shift),
    };
    let mut to = axes(ship);
    // Another axis begins at the ship again: a rook flies along one.
    let from = axes(chosen)[axis];
    to[axis] = match key {
        KeyCode::Left | KeyCode::Down => from.checked_sub(1)?,
        _ => Some(from + 1).filter(|next| *next <= to[axis])?,
    };
    let [file, rank, board] = to;
    Some(Square { file, rank, board })
}

#[derive(Clone, Copy, Debug)]
pub struct Stack {
    pub ship: Square,
    /// The ship's square before the newest move, if that moved it.
    pub trail: Option<Square>,
    /// The square that the user has chosen to fly to.
    pub chosen: Option<Square>,
    pub form: StackForm,
    pub theme: Theme,
}

impl Stack {
    /// Returns the rows of the drawing, which has the form's size.
    pub fn rows(&self) -> Vec<Line<'static>> {
        let boards: Vec<u8> = match self.form {
            StackForm::TOWER => vec![self.ship.board],
            _ => (0..SIDE).collect(),
        };
        let across = usize::from(self.form.across);
        let mut rows = Vec::new();
        for boards in boards.chunks(across) {
            rows.push(self.row("", boards, |board| vec![self.title(board)]));
            for rank in (0..SIDE).rev() {
                let square = |file, board| self.square(Square { file, rank, board });
                let squares = |board| (0..SIDE).map(|file| square(file, board)).collect();
                let mut row = self.row(&(rank + 1).to_string(), boards, squares);
                if self.form == StackForm::TOWER {
                    // The ship's square on every board, the highest first.
                    let board = rank;
                    let (mark, look) = self.mark(Square { board, ..self.ship });
                    let text = format!("  {} {mark}", board + 1);
                    row.push_span(self.theme.span(text, look));
                }
                rows.push(row);
            }
        }
        let cell = usize::from(self.form.cell);
        let files = (b'a'..).take(SIDE.into()).map(char::from);
        let files: String = files.map(|file| format!("{file:<cell$}")).collect();
        let faint = self.theme.style(StyleRole::Faint);
        rows.push(self.row("", &boards[..across], |_| {
            vec![Span::styled(files.clone(), faint)]
        }));
        rows
    }

    /// Returns a row through boards that stand beside each other, after the number of a rank.
    fn row(
        &self,
        rank: &str,
        boards: &[u8],
        part: impl Fn(u8) -> Vec<Span<'static>>,
    ) -> Line<'static> {
        let [ranks, gap] = [RANK_COLUMNS, self.form.cell].map(usize::from);
        let rank = format!("{rank:<ranks$}");
        let mut row = Line::from(self.theme.span(rank, StyleRole::Faint));
        for (index, board) in boards.iter().enumerate() {
            if index > 0 {
                row.push_span(" ".repeat(gap));
            }
            row.extend(part(*board));
        }
        row
    }

    fn title(&self, board: u8) -> Span<'static> {
        let width = usize::from(SQUARES * self.form.cell);
        let number = board + 1;
        let title = match (board == self.ship.board, self.form.cell) {
            (true, _) => format!("[{number}]"),
            (false, 1) => number.to_string(),
            (false, _) => format!("board {number}"),
        };
        let look = match board.cmp(&self.ship.board) {
            Ordering::Less => StyleRole::Plain,
            Ordering::Equal => StyleRole::Ship,
            Ordering::Greater => StyleRole::Faint,
        };
        self.theme.span(format!("{title:^width$}"), look)
    }

    fn square(&self, square: Square) -> Span<'static> {
        let Square { file, rank, board } = square;
        let (mark, look) = self.mark(square);
        let ground = self
            .theme
            .square((file + rank) % 2 == 0, board <= self.ship.board);
        let style = match square == self.ship {
            true => self.theme.ship_square(),
            false => ground.patch(self.theme.style(look)),
        };
        let width = usize::from(self.form.cell);
        Span::styled(format!("{mark:<width$}"), style)
    }

    fn mark(&self, square: Square) -> (char, StyleRole) {
        let ship = self.ship;
        let coordinates = [
            (square.file, ship.file),
            (square.rank, ship.rank),
            (square.board, ship.board),
        ];
        let changed = coordinates.iter().filter(|(there, here)| there != here);
        let is_lower = coordinates.iter().all(|(there, here)| there <= here);
        if square == ship {
            ('◆', StyleRole::Ship)
        } else if self.chosen == Some(square) {
            ('◈', StyleRole::Ship)
        } else if square == GOAL {
            ('⌂', StyleRole::Open)
        } else if is_lower && changed.count() == 1 {
            ('•', StyleRole::Open)
        } else if self.trail == Some(square) {
            ('◇', StyleRole::Trail)
        } else {
            ('·', StyleRole::Faint)
        }
    }
}
