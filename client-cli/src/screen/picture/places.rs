//! Pins and coins in a row, wrapped, with a ruler that numbers them as the notation does.

use fibfob_games::RowKind;
use ratatui::text::{Line, Span};

use crate::screen::theme::{StyleRole, Theme};

/// The places from one number of the ruler to the next; rows end at such a place.
const RULER_STEP: usize = 5;

/// Returns two lines for each row: the ruler and the places, after the row `before`.
pub fn rows(
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

/// The numbers above so many places from `first` on; the last digit of each stands above its place.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(places: &str) -> Vec<bool> {
        places.chars().map(|place| "xH".contains(place)).collect()
    }

    fn drawn(position: &str, before: Option<&str>, columns: usize) -> Vec<String> {
        let before = row(before.unwrap_or(position));
        let rows = rows(
            RowKind::Pins,
            &row(position),
            &before,
            columns,
            Theme::Plain,
        );
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn places_are_numbered_and_wrapped_at_the_ruler() {
        assert_eq!(
            drawn("xxxxx.xxxxxx.xxx.xx", None, 40),
            ["1   5   10   15", "●●●●●·●●●●●●·●●●·●●"]
        );
        assert_eq!(
            drawn("xxxxx.xxxxxx.xxx.xx", None, 14),
            ["1   5   10", "●●●●●·●●●●", "11 15", "●●·●●●·●●"]
        );
    }

    #[test]
    fn what_the_newest_move_changed_is_marked() {
        assert_eq!(drawn("x..x", Some("x.xx"), 20)[1], "●·◌●");
        let rows = rows(RowKind::Turtles, &row("HTT"), &row("HHT"), 20, Theme::Dark);
        let [one, two, three] = &rows[1].spans[..] else {
            panic!("three places")
        };
        assert_eq!(two.style, Theme::Dark.style(StyleRole::Trail));
        assert_ne!(one.style, two.style);
        assert_ne!(three.style, two.style);
    }
}
