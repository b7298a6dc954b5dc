//! Text fitted into rows and columns.

use ratatui::text::Span;

use crate::wrapping::wrapped;

/// Returns the number of columns that a text accepts.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Wraps a text into at most so many rows; `…` marks a text that is cut off.
pub fn fitted(text: &str, columns: usize, rows: usize) -> Vec<String> {
    let mut fitted = wrapped(text, columns);
    if fitted.len() > rows {
        fitted.truncate(rows);
        if let Some(last) = fitted.last_mut() {
            while width(last) + 2 > columns && last.pop().is_some() {}
            last.push_str(" …");
        }
    }
    fitted
}

/// Shortens a text to at most so many columns; `…` marks a text that is cut off.
pub fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while width(&short) + 1 > columns && short.pop().is_some() {}
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsis_marks_what_is_cut_off() {
        assert_eq!(fitted("one two three four", 9, 1), ["one two …"]);
        assert_eq!(fitted("one two", 9, 1), ["one two"]);
        assert!(fitted("one two", 9, 0).is_empty());
        assert_eq!(shortened("Bartholomew", 6), "Barth…");
        assert_eq!(shortened("Bo", 2), "Bo");
    }
}
