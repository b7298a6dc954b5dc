//! The stack of eight boards with the ship's square, its previous square and the squares it can
//! reach.
//!
//! Boards stand side by side, the lowest first; the ship moves down to the same square of a lower
//! board, or towards a1 on its own board.

use std::cmp::Ordering;

use fibfob_games::{SIDE, Square};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::{StyleRole, Theme};

/// The form in which the stack of boards is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackForm {
    /// All boards, so many in a row, with so many columns for a square.
    Boards { across: u16, cell: u16 },
    /// The ship's board, beside it the ship's square on every board.
    Tower,
}

/// The columns for the numbers of the ranks.
const RANK_COLUMNS: u16 = 2;

const SQUARES: u16 = SIDE as u16;

impl StackForm {
    /// All forms, the largest first.
    pub const ALL: [Self; 5] = [
        Self::Boards { across: 8, cell: 2 },
        Self::Boards { across: 4, cell: 2 },
        Self::Boards { across: 8, cell: 1 },
        Self::Boards { across: 4, cell: 1 },
        Self::Tower,
    ];

    /// The columns from one board to the next.
    pub fn pitch(self) -> u16 {
        match self {
            Self::Boards { cell: 1, .. } => SQUARES + 1,
            Self::Boards { cell, .. } => SQUARES * cell + 2,
            Self::Tower => SQUARES * 2 + 2,
        }
    }

    /// The columns and rows of the form.
    pub fn size(self) -> (u16, u16) {
        let board = SQUARES + 1;
        match self {
            Self::Boards { across, .. } => {
                let gap = self.pitch() - self.cell() * SQUARES;
                let rows = SQUARES / across;
                // The letters of the files stand below the bottom row.
                (RANK_COLUMNS + across * self.pitch() - gap, rows * board + 1)
            }
            Self::Tower => (RANK_COLUMNS + self.pitch() + 4, board + 1),
        }
    }

    pub fn cell(self) -> u16 {
        match self {
            Self::Boards { cell, .. } => cell,
            Self::Tower => 2,
        }
    }
}

/// A drawing of the stack.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    pub ship: Square,
    /// The ship's square before the newest move, if that moved it.
    pub trail: Option<Square>,
    pub form: StackForm,
    pub theme: Theme,
}

impl Stack {
    /// Draws the boards; `area` has the form's size.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer) {
        match self.form {
            StackForm::Boards { across, .. } => {
                for board in 0..SIDE {
                    let (row, column) = (u16::from(board) / across, u16::from(board) % across);
                    let x = area.x + RANK_COLUMNS + column * self.form.pitch();
                    let y = area.y + row * (u16::from(SIDE) + 1);
                    self.board(buffer, board, x, y);
                    if column == 0 {
                        self.ranks(buffer, area.x, y + 1);
                    }
                    if row == u16::from(SIDE) / across - 1 {
                        self.files(buffer, x, area.bottom() - 1);
                    }
                }
            }
            StackForm::Tower => {
                let x = area.x + RANK_COLUMNS;
                self.board(buffer, self.ship.board, x, area.y);
                self.ranks(buffer, area.x, area.y + 1);
                self.files(buffer, x, area.bottom() - 1);
                self.tower(buffer, x + self.form.pitch(), area.y);
            }
        }
    }

    fn board(&self, buffer: &mut Buffer, board: u8, x: u16, y: u16) {
        let cell = self.form.cell();
        let width = usize::from(u16::from(SIDE) * cell);
        let here = board == self.ship.board;
        let number = board + 1;
        let title = match (here, cell) {
            (true, _) => format!("[{number}]"),
            (false, 1) => number.to_string(),
            (false, _) => format!("board {number}"),
        };
        let style = self.theme.style(match board.cmp(&self.ship.board) {
            Ordering::Less => StyleRole::Plain,
            Ordering::Equal => StyleRole::Ship,
            Ordering::Greater => StyleRole::Faint,
        });
        buffer.set_string(x, y, format!("{title:^width$}"), style);
        for (y, rank) in (y + 1..).zip((0..SIDE).rev()) {
            for file in 0..SIDE {
                let square = Square { file, rank, board };
                let (mark, look) = self.mark(square);
                let within_reach = board <= self.ship.board;
                let ground = self.theme.square((file + rank) % 2 == 0, within_reach);
                let style = match square == self.ship {
                    true => self.theme.ship_square(),
                    false => ground.patch(self.theme.style(look)),
                };
                let x = x + u16::from(file) * cell;
                let width = usize::from(cell);
                buffer.set_string(x, y, format!("{mark:<width$}"), style);
            }
        }
    }

    /// Returns the sign on a square and its style.
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
        } else if is_lower && changed.count() == 1 {
            ('•', StyleRole::Open)
        } else if self.trail == Some(square) {
            ('◇', StyleRole::Trail)
        } else {
            ('·', StyleRole::Faint)
        }
    }

    /// Draws the ship's square on every board, the highest first.
    fn tower(&self, buffer: &mut Buffer, x: u16, y: u16) {
        for (y, board) in (y + 1..).zip((0..SIDE).rev()) {
            let (mark, look) = self.mark(Square { board, ..self.ship });
            let style = self.theme.style(look);
            buffer.set_string(x, y, format!("{} {mark}", board + 1), style);
        }
    }

    fn ranks(&self, buffer: &mut Buffer, x: u16, y: u16) {
        for (y, rank) in (y..).zip((1..=SIDE).rev()) {
            buffer.set_string(x, y, rank.to_string(), self.faint());
        }
    }

    fn files(&self, buffer: &mut Buffer, x: u16, y: u16) {
        for file in 0..SIDE {
            let x = x + u16::from(file) * self.form.cell();
            let letter = char::from(b'a' + file).to_string();
            buffer.set_string(x, y, letter, self.faint());
        }
    }

    fn faint(&self) -> Style {
        self.theme.style(StyleRole::Faint)
    }
}
