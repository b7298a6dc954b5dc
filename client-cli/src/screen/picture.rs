//! The picture of a position, read from its notation alone, and numbered as the notation is.
//!
//! A picture knows no rules. It also knows the position before the newest move, and marks what that
//! has changed. The boards of a single ship are drawn beside it, by `stack`.

mod amounts;
mod components;
mod graph;
mod places;

use fibfob_games::GameId;
use ratatui::text::Line;

use super::square::{Square, square};
use super::theme::{StyleRole, Theme};
use crate::wrapping::wrapped;

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
    pub trail: Option<Square>,
    amounts: Vec<Amount>,
    parts: Vec<PicturePart>,
}

/// A part that is not an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PicturePart {
    /// Pins or coins in a row.
    Places(Places),
    /// Edges that hang together.
    Edges(EdgeTree),
    /// Games side by side.
    Components(Vec<Component>),
    /// A sentence about the position.
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
        let mut picture = Self::default();
        match game {
            GameId::Sum => {
                let components = components::read(position, before, start);
                picture.parts.push(PicturePart::Components(components));
            }
            GameId::Kayles | GameId::TurningTurtles => {
                let places = Places::of(position, before);
                picture.parts.push(PicturePart::Places(places));
            }
            GameId::GreenHackenbush => match EdgeTree::of(position, before) {
                Some(graph) => picture.parts.push(PicturePart::Edges(graph)),
                None => picture.parts.push(PicturePart::Note(position.to_owned())),
            },
            _ => picture.read(game, position, before, start),
        }
        picture
    }

    /// Reads squares, fields and lists of amounts.
    fn read(&mut self, game: GameId, position: &str, before: Option<&str>, start: &str) {
        self.ship = position.split(' ').find_map(square);
        let came_from = before.and_then(|before| before.split(' ').find_map(square));
        self.trail = came_from.filter(|from| Some(*from) != self.ship);
        let step = game == GameId::StaircaseNim;
        self.amounts = amounts::read(position, before, start, step);
        let field = |name: &str| {
            let mut words = position.split(' ');
            words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        };
        let number = |name: &str| field(name).and_then(|value| value.parse::<u64>().ok());
        let coins = number("coins");
        let note = |text: String| PicturePart::Note(text);
        match (coins, number("last")) {
            (Some(_), None) => self
                .parts
                .push(note("the first move takes any number but all".to_owned())),
            (Some(coins), Some(last)) if coins > 0 => {
                let most = last.saturating_mul(2).min(coins);
                self.parts.push(note(format!(
                    "the last move took {last}, so this one takes at most {most}"
                )));
            }
            _ => {}
        }
        if let Some(p) = number("p") {
            let together = p.saturating_sub(1);
            self.parts.push(note(match together {
                0 | 1 => format!("from one heap only (p={p})"),
                _ => format!("from more heaps than one: at most {together} together (p={p})"),
            }));
        }
        if let Some(q) = number("q") {
            let most = q.saturating_sub(1);
            self.parts
                .push(note(format!("from one heap: at most {most} (q={q})")));
        }
        match field("pass") {
            Some("yes") => self
                .parts
                .push(note("one pass is left, for either player".to_owned())),
            Some(_) => self.parts.push(note("the pass is used up".to_owned())),
            None => {}
        }
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

    /// The ship's square as text.
    pub fn ship_text(&self) -> Option<String> {
        let Square { file, rank, board } = self.ship?;
        let file = char::from(b'a' + file);
        let (rank, board) = (rank + 1, board + 1);
        Some(format!(
            "ship {file}{rank}@{board}: file {file}, rank {rank}, board {board}"
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

#[cfg(test)]
mod tests;
