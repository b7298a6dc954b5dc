//! Places the areas on the screen, by the terminal's size and what there is to draw.
//!
//! The stack of eight boards has the largest form that leaves room for the rest.

use ratatui::layout::Rect;

use super::picture::Picture;
use super::stack::StackForm;

/// The areas of the screen. An area without rows or columns is not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenAreas {
    /// The match, its players and the turn: up to three rows.
    pub head: Rect,
    pub stack: Option<(Rect, StackForm)>,
    /// The picture without its boards.
    pub picture: Rect,
    pub legal: Rect,
    pub log: Rect,
    /// The newest message, where the log is elsewhere or has no room.
    pub message: Rect,
    pub input: Rect,
}

/// The minimum width of the column beside the boards.
const SIDE_COLUMNS_MIN: u16 = 18;

/// From this width on, that column holds everything but the messages, if it has no room elsewhere.
const ROOMY_COLUMNS: u16 = 34;

/// The minimum rows below the boards besides the bars: a gap and the legal moves.
const BELOW_ROWS_MIN: u16 = 2;

/// With at least this many rows below the boards, messages go there, and the bars stand beside.
const LOG_ROWS_MIN: u16 = 3;

/// The maximum number of rows for the legal moves below the picture.
const LEGAL_ROWS_MAX: u16 = 3;

pub fn areas(area: Rect, picture: &Picture) -> ScreenAreas {
    // Short of rows, the message goes first, then the head; the input line stays.
    let [input, head, message] = match area.height {
        0 => [0, 0, 0],
        1..5 => [1, (area.height - 1).min(2), 0],
        _ => [1, 3, 1],
    };
    let [head, rest] = cut(area, head);
    let [body, rest] = cut(rest, rest.height - message - input);
    let [message, input] = cut(rest, message);
    let mut areas = ScreenAreas {
        head,
        message,
        input,
        ..ScreenAreas::default()
    };
    match picture.ship() {
        Some(_) => around_the_boards(&mut areas, body, picture),
        None => without_boards(&mut areas, body, picture, 0),
    }
    // Directly above the message, the log takes its row.
    let [log, message] = [areas.log, areas.message];
    if (log.x, log.width, log.bottom()) == (message.x, message.width, message.y) {
        areas.log.height += message.height;
        (areas.message.y, areas.message.height) = (message.bottom(), 0);
    }
    areas
}

fn around_the_boards(areas: &mut ScreenAreas, body: Rect, picture: &Picture) {
    let bars = picture.height(body.width, u16::MAX);
    let fits = |form: &StackForm| {
        let (columns, rows) = form.size();
        let beside = body.width >= columns + 1 + SIDE_COLUMNS_MIN;
        let below = body.height >= rows + bars + BELOW_ROWS_MIN;
        columns <= body.width && rows <= body.height && (beside || below)
    };
    let Some(form) = StackForm::ALL.into_iter().find(fits) else {
        // Without a picture of it, the ship has a row.
        return without_boards(areas, body, picture, 1);
    };
    let (columns, rows) = form.size();
    let stack = Rect {
        width: columns,
        height: rows,
        ..body
    };
    areas.stack = Some((stack, form));
    // Beside the boards there may be room for messages, too, without which a refusal is not read whole.
    let is_wide = body.width >= columns + 2 + ROOMY_COLUMNS;
    let least = if is_wide {
        LEGAL_ROWS_MAX + LOG_ROWS_MIN
    } else {
        BELOW_ROWS_MIN
    };
    if body.height >= rows + bars + least {
        return without_boards(areas, cut(body, rows + 1)[1], picture, 0);
    }
    let left = columns + 2;
    let beside = Rect {
        x: body.x + left,
        width: body.width.saturating_sub(left),
        ..body
    };
    let beside = cut(beside, rows)[0];
    let [amounts, rest] = cut(beside, picture.height(beside.width, beside.height));
    let below = cut(body, rows + 1)[1];
    let [legal, log] = match below.height {
        LOG_ROWS_MIN.. => [rest, below],
        _ => cut(rest, rest.height - rest.height.div_ceil(3)),
    };
    (areas.picture, areas.legal, areas.log) = (amounts, legal, log);
}

/// Divides an area without boards. Adds `more` rows to the picture's.
fn without_boards(areas: &mut ScreenAreas, body: Rect, picture: &Picture, more: u16) {
    // A row of legal moves stays.
    let most = body.height.saturating_sub(1 + more);
    let [picture, rest] = cut(body, picture.height(body.width, most) + more);
    // Legal moves come before the messages, which also have the row below.
    let legal = LEGAL_ROWS_MAX.min(rest.height);
    let [legal, log] = cut(rest, legal);
    (areas.picture, areas.legal, areas.log) = (picture, legal, log);
}

/// Splits an area into its upper rows and those below them.
fn cut(area: Rect, rows: u16) -> [Rect; 2] {
    let height = rows.min(area.height);
    let upper = Rect { height, ..area };
    let lower = Rect {
        y: upper.bottom(),
        height: area.height - height,
        ..area
    };
    [upper, lower]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(game: &str, position: &str) -> Picture {
        Picture::of(game.parse().unwrap(), position, None, position)
    }

    fn form(width: u16, height: u16) -> Option<StackForm> {
        let picture = picture("fib-fob", "g6@3 time=15 nuggets=5 fib=12 fob=9");
        areas(Rect::new(0, 0, width, height), &picture)
            .stack
            .map(|(_, form)| form)
    }

    #[test]
    fn the_boards_take_the_largest_form_that_fits() {
        assert_eq!(form(160, 24), Some(StackForm { across: 8, cell: 2 }));
        assert_eq!(form(100, 30), Some(StackForm { across: 4, cell: 2 }));
        assert_eq!(form(80, 24), Some(StackForm { across: 8, cell: 1 }));
        assert_eq!(form(60, 24), Some(StackForm { across: 4, cell: 1 }));
        assert_eq!(form(60, 18), Some(StackForm::TOWER));
        assert_eq!(form(60, 10), None);
    }

    #[test]
    fn areas_stay_on_the_screen_and_do_not_overlap() {
        let pictures = [
            ("fib-fob", "g6@3 time=15 nuggets=5 fib=12 fob=9"),
            ("nim", "3,4,5"),
            ("turning-turtles", "HTTHH"),
            ("rooks", "g6@3"),
            ("sum", "rooks g6@3 + nim 3,4"),
        ];
        for picture in pictures.map(|(game, position)| picture(game, position)) {
            for (width, height) in (0..170)
                .step_by(3)
                .flat_map(|w| (0..45).map(move |h| (w, h)))
            {
                let area = Rect::new(0, 0, width, height);
                let areas = areas(area, &picture);
                let stack = areas.stack.map_or(Rect::default(), |(area, _)| area);
                let ScreenAreas {
                    head,
                    picture,
                    legal,
                    log,
                    message,
                    input,
                    ..
                } = areas;
                let parts = [head, stack, picture, legal, log, message, input];
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
