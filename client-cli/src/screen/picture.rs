//! Draws a position from its shape, numbered as in the notation.
//!
//! A picture knows no game and no rules. It also knows the position before the newest move, and marks what
//! that move changed. `stack` draws the boards of a single ship beside it.

mod amounts;
mod components;
mod graph;

use fibfob_games::{GameId, MoveBound, Position, RowKind, ShapePart, Square};
use ratatui::text::{Line, Span};

use super::stack::{Stack, StackForm};
use super::text::flow;
use super::theme::{StyleRole, Theme};

/// The places from one number of the ruler to the next; rows end at such a place.
const RULER_STEP: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    pub now: Vec<ShapePart>,
    /// The shape before the newest move; empty if that is unknown.
    pub before: Vec<ShapePart>,
    /// The shape at the start, which sets the scale of the bars.
    pub start: Vec<ShapePart>,
    /// A position's text that this program cannot read, perhaps a newer server's.
    pub unread: Option<String>,
}

/// The amount of detail that a picture has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Boards, bars and rulers.
    Full,
    /// A line of text instead of boards and bars.
    Text,
}

impl Picture {
    pub fn of(game: GameId, position: &str, before: Option<&str>, start: &str) -> Self {
        let shape = |text: &str| Some(Position::read(game, text).ok()?.shape());
        let now = shape(position);
        Self {
            unread: now.is_none().then(|| position.to_owned()),
            now: now.unwrap_or_default(),
            before: before.and_then(shape).unwrap_or_default(),
            start: shape(start).unwrap_or_default(),
        }
    }

    /// Returns at most `most` rows of the picture without its boards. If there are more, they begin at
    /// `from`, which is lowered to the last possible value.
    pub fn rows(
        &self,
        columns: u16,
        rows_max: u16,
        from: &mut usize,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        let full = self.draw_rows(columns, Detail::Full, theme);
        let most = usize::from(rows_max);
        if full.len() <= most {
            return full;
        }
        let mut rows = self.draw_rows(columns, Detail::Text, theme);
        if rows.len() > most {
            let (all, shown) = (rows.len(), most.saturating_sub(1));
            *from = (*from).min(all - shown);
            rows = rows.split_off(*from);
            rows.truncate(shown);
            if most > 0 {
                let text = format!(
                    "rows {} to {} of {all}; Ctrl-↑ ↓ more",
                    *from + 1,
                    *from + shown
                );
                rows.push(theme.line(text, StyleRole::Faint));
            }
        }
        rows
    }

    /// The number of rows that [`Self::rows`] returns.
    pub fn height(&self, columns: u16, rows_max: u16) -> u16 {
        let rows = self.rows(columns, rows_max, &mut 0, Theme::Plain).len();
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// The ship's square on the stack of boards.
    pub fn ship(&self) -> Option<Square> {
        ship_in(&self.now)
    }

    /// The boards with the ship, and the square that it is to fly to.
    pub fn stack(&self, form: StackForm, chosen: Option<Square>, theme: Theme) -> Option<Stack> {
        let ship = self.ship()?;
        Some(Stack {
            ship,
            trail: ship_in(&self.before).filter(|from| *from != ship),
            chosen,
            form,
            theme,
        })
    }

    pub fn ship_text(&self) -> Option<String> {
        let ship = self.ship()?;
        let (file, rank, board) = (char::from(b'a' + ship.file), ship.rank + 1, ship.board + 1);
        Some(format!(
            "ship {ship}: file {file}, rank {rank}, board {board}"
        ))
    }

    fn draw_rows(&self, columns: u16, detail: Detail, theme: Theme) -> Vec<Line<'static>> {
        let width = usize::from(columns);
        let note = |text: String| flow([(text, theme.style(StyleRole::Plain))], width);
        let amounts = amounts::of(&self.now, &self.before, &self.start);
        let mut rows = match detail {
            Detail::Full => amounts::bars(&amounts, columns, theme),
            Detail::Text => amounts::text(&amounts, width, theme),
        };
        rows.extend(self.unread.iter().cloned().flat_map(note));
        for (index, part) in self.now.iter().enumerate() {
            let earlier = [&self.before, &self.start];
            let [before, start] = earlier.map(|shape| shape.get(index).unwrap_or(part));
            rows.extend(match (part, before, start) {
                (ShapePart::Row(kind, row), ShapePart::Row(_, before), _) => {
                    row_of_places(*kind, row, before, width, theme)
                }
                (ShapePart::Edges(edges), ShapePart::Edges(before), _) => {
                    graph::rows(edges, before, width, theme)
                }
                (
                    ShapePart::Components(all),
                    ShapePart::Components(before),
                    ShapePart::Components(start),
                ) => components::rows([all, before, start], columns, detail, theme),
                (ShapePart::Bound(bound), ..) => note(bound_text(*bound)),
                // The ship, which the stack shows, and amounts.
                _ => Vec::new(),
            });
        }
        rows
    }
}

pub fn ship_in(shape: &[ShapePart]) -> Option<Square> {
    shape.iter().find_map(|part| match part {
        ShapePart::Ship(square) => Some(*square),
        _ => None,
    })
}

/// Returns two lines for each row: the ruler and the places, after the row `before`.
fn row_of_places(
    kind: RowKind,
    row: &[bool],
    before: &[bool],
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let length = (columns / RULER_STEP * RULER_STEP).max(1);
    let places = row.iter().enumerate();
    let signs = places.map(|(index, place)| {
        let is_changed = before.get(index) != Some(place);
        sign(kind, *place, is_changed, theme)
    });
    let signs: Vec<Span> = signs.collect();
    let mut rows = Vec::new();
    for (index, signs) in signs.chunks(length).enumerate() {
        let ruler = ruler(index * length + 1, signs.len());
        rows.push(theme.line(ruler, StyleRole::Faint));
        rows.push(Line::from(signs.to_vec()));
    }
    rows
}

fn sign(kind: RowKind, stands: bool, changed: bool, theme: Theme) -> Span<'static> {
    let (sign, role) = match (kind, stands, changed) {
        (RowKind::Pins, true, _) => ("●", StyleRole::Coins),
        (RowKind::Pins, false, true) => ("◌", StyleRole::Trail),
        (RowKind::Pins, false, false) => ("·", StyleRole::Faint),
        (RowKind::Turtles, true, false) => ("H", StyleRole::Coins),
        (RowKind::Turtles, false, false) => ("t", StyleRole::Faint),
        (RowKind::Turtles, true, true) => ("H", StyleRole::Trail),
        (RowKind::Turtles, false, true) => ("t", StyleRole::Trail),
    };
    theme.span(sign, role)
}

/// Returns the numbers above `places` places from `first` on. Each number's last digit stands above its place.
fn ruler(first: usize, places: usize) -> String {
    let mut ruler = String::new();
    for place in first..first + places {
        if place != first && !place.is_multiple_of(RULER_STEP) {
            continue;
        }
        let number = place.to_string();
        let begin = (place - first + 1).saturating_sub(number.len());
        if ruler.is_empty() || begin > ruler.len() {
            ruler.push_str(&" ".repeat(begin - ruler.len()));
            ruler.push_str(&number);
        }
    }
    ruler
}

fn bound_text(bound: MoveBound) -> String {
    match bound {
        MoveBound::NotAll => "the first move takes any number but all".to_owned(),
        MoveBound::AfterTake { last, most } => {
            format!("the last move took {last}, so this one takes at most {most}")
        }
        MoveBound::Together(p @ (1 | 2)) => format!("from one heap only (p={p})"),
        MoveBound::Together(p) => {
            let most = p - 1;
            format!("from more heaps than one: at most {most} together (p={p})")
        }
        MoveBound::Alone(q) => format!("from one heap: at most {} (q={q})", q - 1),
        MoveBound::Pass(true) => "one pass is left, for either player".to_owned(),
        MoveBound::Pass(false) => "the pass is used up".to_owned(),
    }
}

#[cfg(test)]
mod tests;
