//! The areas of the screen, by the size of the terminal and what there is to draw.
//!
//! The stack of eight boards has the largest form that leaves room for the rest.

use ratatui::layout::Rect;

use super::scene::{SIDE, Scene};

/// The form in which the stack of boards is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackForm {
    /// All boards, in rows.
    Boards {
        /// Boards per row.
        across: u16,
        /// Columns per square.
        cell: u16,
    },
    /// The ship's board, beside it the ship's square on every board.
    Tower,
}

/// The columns for the numbers of the ranks.
pub const RANK_COLUMNS: u16 = 2;

const SQUARES: u16 = SIDE as u16;

impl StackForm {
    /// All forms, the largest first.
    const ALL: [Self; 5] = [
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

    /// The columns of a square.
    pub fn cell(self) -> u16 {
        match self {
            Self::Boards { cell, .. } => cell,
            Self::Tower => 2,
        }
    }
}

/// The areas of the screen. An area without rows or columns is not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenAreas {
    /// The match, its players and the turn: up to three rows.
    pub head: Rect,
    /// The boards with their form, if they fit.
    pub stack: Option<(Rect, StackForm)>,
    /// The bars of the amounts.
    pub amounts: Rect,
    /// The legal moves.
    pub legal: Rect,
    /// The moves made, the newest last.
    pub plies: Rect,
    /// The chat.
    pub chat: Rect,
    /// The newest message.
    pub message: Rect,
    /// The input line.
    pub input: Rect,
}

/// The minimum width of the column beside the boards.
const SIDE_COLUMNS_MIN: u16 = 18;

/// The minimum rows below the boards besides the bars: legal moves and one move made.
const BELOW_ROWS_MIN: u16 = 3;

/// The rows below the boards from which on the moves made stand there, while the bars stand beside.
const PLIES_ROWS_MIN: u16 = 3;

/// The maximum number of rows for the legal moves below the boards.
const LEGAL_ROWS_MAX: u16 = 3;

/// The maximum number of rows for the chat.
const CHAT_ROWS_MAX: u16 = 3;

/// Divides the screen; `chat` is the number of chat lines.
pub fn areas(area: Rect, scene: &Scene, chat: usize) -> ScreenAreas {
    // Short of rows, the message goes first, then the head; the input line stays.
    let [input, head, message] = match area.height {
        0 => [0, 0, 0],
        1..5 => [1, (area.height - 1).min(2), 0],
        _ => [1, 3, 1],
    };
    let row = |y: u16, height: u16| Rect {
        y: area.y + y,
        height,
        ..area
    };
    let body = row(head, area.height - head - message - input);
    let mut areas = ScreenAreas {
        head: row(0, head),
        message: row(area.height - input - message, message),
        input: row(area.height - input, input),
        ..ScreenAreas::default()
    };
    let bars = u16::try_from(scene.amounts.len() + scene.rest.len()).unwrap_or(u16::MAX);
    match scene.ship {
        Some(_) => around_the_boards(&mut areas, body, bars),
        None => without_boards(&mut areas, body, bars),
    }
    // The chat stands below the moves, of which at least one row stays.
    let plies = areas.plies;
    let chat = u16::try_from(chat).unwrap_or(u16::MAX).min(CHAT_ROWS_MAX);
    let chat = chat
        .min(plies.height.div_ceil(2))
        .min(plies.height.saturating_sub(1));
    [areas.plies, areas.chat] = cut(plies, plies.height - chat);
    areas
}

fn around_the_boards(areas: &mut ScreenAreas, body: Rect, bars: u16) {
    let fits = |form: &StackForm| {
        let (columns, rows) = form.size();
        let beside = body.width >= columns + 1 + SIDE_COLUMNS_MIN;
        let below = body.height >= rows + bars + BELOW_ROWS_MIN;
        columns <= body.width && rows <= body.height && (beside || below)
    };
    let Some(form) = StackForm::ALL.into_iter().find(fits) else {
        // Without a picture of it, the ship has a row.
        return without_boards(areas, body, bars.saturating_add(1));
    };
    let (columns, rows) = form.size();
    let stack = Rect {
        width: columns,
        height: rows,
        ..body
    };
    areas.stack = Some((stack, form));
    if body.height >= rows + bars + BELOW_ROWS_MIN {
        let used = rows + 1;
        let below = Rect {
            y: body.y + used,
            height: body.height - used,
            ..body
        };
        return without_boards(areas, below, bars);
    }
    let left = columns + 2;
    let beside = Rect {
        x: body.x + left,
        width: body.width.saturating_sub(left),
        ..body
    };
    let beside = cut(beside, rows)[0];
    // A narrow column has one row for a bar's number and one for the bar.
    let [amounts, rest] = cut(beside, bars * 2);
    let below = cut(body, rows + 1)[1];
    let [legal, plies] = match below.height {
        PLIES_ROWS_MIN.. => [rest, below],
        _ => cut(rest, rest.height - rest.height.div_ceil(4)),
    };
    (areas.amounts, areas.legal, areas.plies) = (amounts, legal, plies);
}

fn without_boards(areas: &mut ScreenAreas, body: Rect, bars: u16) {
    let [amounts, rest] = cut(body, bars);
    // Legal moves come before the moves made.
    let legal = match rest.height {
        0..=2 => rest.height,
        height => LEGAL_ROWS_MAX.min(height - 1),
    };
    let [legal, plies] = cut(rest, legal);
    (areas.amounts, areas.legal, areas.plies) = (amounts, legal, plies);
}

/// Splits an area into its upper rows and those below them.
fn cut(area: Rect, rows: u16) -> [Rect; 2] {
    let rows = rows.min(area.height);
    [
        Rect {
            height: rows,
            ..area
        },
        Rect {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(width: u16, height: u16) -> Option<StackForm> {
        let scene = Scene::read("g6@3 time=15 nuggets=5 fib=12 fob=9");
        areas(Rect::new(0, 0, width, height), &scene, 0)
            .stack
            .map(|(_, form)| form)
    }

    #[test]
    fn the_boards_take_the_largest_form_that_fits() {
        assert_eq!(
            form(160, 24),
            Some(StackForm::Boards { across: 8, cell: 2 })
        );
        assert_eq!(
            form(100, 30),
            Some(StackForm::Boards { across: 4, cell: 2 })
        );
        assert_eq!(form(80, 24), Some(StackForm::Boards { across: 8, cell: 1 }));
        assert_eq!(form(60, 24), Some(StackForm::Boards { across: 4, cell: 1 }));
        assert_eq!(form(60, 18), Some(StackForm::Tower));
        assert_eq!(form(60, 10), None);
    }

    #[test]
    fn areas_stay_on_the_screen_and_do_not_overlap() {
        let scenes = [
            "g6@3 time=15 nuggets=5 fib=12 fob=9",
            "3,4,5",
            "HTTHH",
            "g6@3",
        ];
        for scene in scenes.map(Scene::read) {
            for (width, height) in (0..170).flat_map(|w| (0..45).map(move |h| (w, h))) {
                let area = Rect::new(0, 0, width, height);
                let areas = areas(area, &scene, usize::from(width) % 5);
                let stack = areas.stack.map_or(Rect::default(), |(area, _)| area);
                let ScreenAreas {
                    head,
                    amounts,
                    legal,
                    plies,
                    chat,
                    message,
                    input,
                    ..
                } = areas;
                let parts = [head, stack, amounts, legal, plies, chat, message, input];
                for (index, part) in parts.iter().enumerate() {
                    assert_eq!(
                        part.intersection(area).area(),
                        part.area(),
                        "{width}×{height}"
                    );
                    for other in &parts[index + 1..] {
                        assert_eq!(part.intersection(*other).area(), 0, "{width}×{height}");
                    }
                }
            }
        }
    }
}
