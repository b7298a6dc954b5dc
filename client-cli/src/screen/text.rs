//! Text fitted into rows and columns, and drawn there.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use super::theme::Theme;
use fibfob_theory::wrap;

/// The columns between two texts in a row.
const GAP: &str = "   ";

pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Wraps a text into at most so many columns and rows; `…` marks a text that is cut off.
pub fn fit(text: &str, style: Style, (columns, rows): (u16, u16)) -> Vec<Line<'static>> {
    let [columns, rows] = [columns, rows].map(usize::from);
    let mut fitted = wrap(text, columns);
    if fitted.len() > rows {
        fitted.truncate(rows);
        if let Some(last) = fitted.last_mut() {
            while width(last) + 2 > columns && last.pop().is_some() {}
            last.push_str(" …");
        }
    }
    let lines = fitted.into_iter();
    lines.map(|line| Line::styled(line, style)).collect()
}

/// Shortens a text to at most so many columns; `…` marks a text that is cut off.
pub fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while width(&short) + 1 > columns && short.pop().is_some() {}
    short.push('…');
    short
}

/// Shortens a list of keys and commands, which commas separate, to at most so many columns. The last three
/// lead on, so those before them go first.
pub fn fitting_keys(keys: &str, columns: usize) -> String {
    let mut keys: Vec<&str> = keys.split(", ").collect();
    while keys.len() > 1 && width(&keys.join(", ")) > columns {
        keys.remove(keys.len().saturating_sub(4));
    }
    keys.join(", ")
}

/// Fills rows with texts, each in its style; only a text longer than a row is broken.
pub fn flow(
    texts: impl IntoIterator<Item = (String, Style)>,
    columns: usize,
) -> Vec<Line<'static>> {
    let mut rows: Vec<Line> = Vec::new();
    for (text, style) in texts {
        match rows.last_mut() {
            Some(row) if row.width() + GAP.len() + width(&text) <= columns => {
                row.push_span(Span::raw(GAP));
                row.push_span(Span::styled(text, style));
            }
            _ => {
                let lines = wrap(&text, columns).into_iter();
                rows.extend(lines.map(|line| Line::from(Span::styled(line, style))));
            }
        }
    }
    rows
}

/// Clears an area, to the theme's own background.
pub fn clear(frame: &mut Frame, area: Rect, theme: Theme) {
    frame.render_widget(Clear, area);
    frame.buffer_mut().set_style(area, theme.ground());
}

/// Draws a line in a row of an area, if the area has that row.
pub fn put(frame: &mut Frame, area: Rect, row: u16, line: Line) {
    if row < area.height {
        frame
            .buffer_mut()
            .set_line(area.x, area.y + row, &line, area.width);
    }
}

/// Draws a line at the right end of a row, if it fits there.
pub fn put_right(frame: &mut Frame, area: Rect, row: u16, line: Line) {
    let columns = u16::try_from(line.width()).unwrap_or(u16::MAX);
    if columns <= area.width {
        let area = Rect {
            x: area.right() - columns,
            width: columns,
            ..area
        };
        put(frame, area, row, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsis_marks_what_is_cut_off() {
        let fitted = |text, rows| {
            let lines = fit(text, Style::new(), (9, rows)).into_iter();
            lines.map(|line| line.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(fitted("one two three four", 1), ["one two …"]);
        assert_eq!(fitted("one two", 1), ["one two"]);
        assert!(fitted("one two", 0).is_empty());
        assert_eq!(shorten("Bartholomew", 6), "Barth…");
        assert_eq!(shorten("Bo", 2), "Bo");
    }

    #[test]
    fn short_of_room_the_keys_that_lead_on_stay() {
        let keys = |columns| fitting_keys("walk, `try`, `why`, `rematch`, `new`, `quit`", columns);
        assert_eq!(keys(44), "walk, `try`, `why`, `rematch`, `new`, `quit`");
        assert_eq!(keys(43), "walk, `try`, `rematch`, `new`, `quit`");
        assert_eq!(keys(24), "`rematch`, `new`, `quit`");
        assert_eq!(keys(3), "`quit`");
    }
}
