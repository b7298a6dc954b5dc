//! The picture of a position, drawn from its shape, and numbered as the notation is.
//!
//! A picture knows no game and no rules. It also knows the position before the newest move, and marks what that
//! has changed. The boards of a single ship are drawn beside it, by `stack`.

mod amounts;
mod components;
mod graph;
mod places;

use fibfob_games::{GameId, MoveBound, Position, ShapePart, Square};
use ratatui::text::Line;

use super::stack::{Stack, StackForm};
use super::theme::{StyleRole, Theme};
use fibfob_theory::wrapped;

use amounts::Amount;
use components::Component;
use graph::EdgeTree;
use places::Places;

/// The picture of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The ship's square on the stack of boards.
    pub ship: Option<Square>,
    /// The ship's square before the newest move, if that moved it.
    trail: Option<Square>,
    amounts: Vec<Amount>,
    parts: Vec<PicturePart>,
}

/// A part that is not an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PicturePart {
    Places(Places),
    Edges(EdgeTree),
    Components(Vec<Component>),
    Note(String),
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
    /// The picture of a position of this game, after the position `before`; `start` sets the scale
    /// of the bars.
    pub fn of(game: GameId, position: &str, before: Option<&str>, start: &str) -> Self {
        let shape = |text: &str| Some(Position::read(game, text).ok()?.shape());
        match shape(position) {
            Some(now) => {
                let before = before.and_then(shape).unwrap_or_default();
                let start = shape(start).unwrap_or_default();
                Self::of_shape(&now, &before, &start)
            }
            // A newer server may know positions that this program does not.
            None => Self {
                parts: vec![PicturePart::Note(position.to_owned())],
                ..Self::default()
            },
        }
    }

    fn of_shape(now: &[ShapePart], before: &[ShapePart], start: &[ShapePart]) -> Self {
        let mut picture = Self {
            amounts: amounts::of(now, before, start),
            ..Self::default()
        };
        for (index, part) in now.iter().enumerate() {
            let [before, start] = [before, start].map(|shape| shape.get(index).unwrap_or(part));
            picture.parts.push(match (part, before, start) {
                (ShapePart::Ship(square), ShapePart::Ship(from), _) => {
                    picture.ship = Some(*square);
                    picture.trail = (from != square).then_some(*from);
                    continue;
                }
                (ShapePart::Row(kind, row), ShapePart::Row(_, before), _) => {
                    PicturePart::Places(Places::of(*kind, row, before))
                }
                (ShapePart::Edges(edges), ShapePart::Edges(before), _) => {
                    PicturePart::Edges(EdgeTree::of(edges, before))
                }
                (
                    ShapePart::Components(all),
                    ShapePart::Components(before),
                    ShapePart::Components(start),
                ) => PicturePart::Components(components::of(all, before, start)),
                (ShapePart::Bound(bound), ..) => PicturePart::Note(bound_text(*bound)),
                // Amounts, which `amounts` draws.
                _ => continue,
            });
        }
        picture
    }

    /// The rows of the picture without its boards, at most so many.
    pub fn rows(&self, columns: u16, rows_max: u16, theme: Theme) -> Vec<Line<'static>> {
        let full = self.drawn(columns, Detail::Full, theme);
        let most = usize::from(rows_max);
        if full.len() <= most {
            return full;
        }
        let mut rows = self.drawn(columns, Detail::Text, theme);
        if rows.len() > most {
            let hidden = rows.len() - most + 1;
            rows.truncate(most.saturating_sub(1));
            if most > 0 {
                let text = format!("… {hidden} more rows in a larger window");
                rows.push(Line::styled(text, theme.style(StyleRole::Faint)));
            }
        }
        rows
    }

    /// The number of rows that [`Self::rows`] returns.
    pub fn height(&self, columns: u16, rows_max: u16) -> u16 {
        let rows = self.rows(columns, rows_max, Theme::Plain).len();
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// The boards with the ship.
    pub fn stack(&self, form: StackForm, theme: Theme) -> Option<Stack> {
        Some(Stack {
            ship: self.ship?,
            trail: self.trail,
            form,
            theme,
        })
    }

    pub fn ship_text(&self) -> Option<String> {
        let ship = self.ship?;
        let (file, rank, board) = (char::from(b'a' + ship.file), ship.rank + 1, ship.board + 1);
        Some(format!(
            "ship {ship}: file {file}, rank {rank}, board {board}"
        ))
    }

    fn drawn(&self, columns: u16, detail: Detail, theme: Theme) -> Vec<Line<'static>> {
        let width = usize::from(columns);
        let mut rows = match detail {
            Detail::Full => amounts::bars(&self.amounts, columns, theme),
            Detail::Text => amounts::text(&self.amounts, width, theme),
        };
        for part in &self.parts {
            match part {
                PicturePart::Places(places) => rows.extend(places.rows(width, theme)),
                PicturePart::Edges(graph) => rows.extend(graph.rows(width, theme)),
                PicturePart::Components(all) => {
                    rows.extend(components::rows(all, columns, detail, theme));
                }
                PicturePart::Note(text) => {
                    let lines = wrapped(text, width).into_iter();
                    rows.extend(
                        lines.map(|line| Line::styled(line, theme.style(StyleRole::Plain))),
                    );
                }
            }
        }
        rows
    }
}

/// A bound on the next move as a sentence.
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
