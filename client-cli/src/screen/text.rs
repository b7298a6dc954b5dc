//! Text into rows.

use ratatui::text::Span;

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// A text in rows of at most so many columns, broken at spaces where it has any.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().expect("there is always a row");
        let joined = if row.is_empty() { 0 } else { width(row) + 1 } + width(word);
        if joined <= columns {
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
            continue;
        }
        if !row.is_empty() {
            rows.push(String::new());
        }
        // A word longer than a row is broken where the row ends.
        for letter in word.chars() {
            let row = rows.last_mut().expect("there is always a row");
            let mut longer = row.clone();
            longer.push(letter);
            if width(&longer) > columns && !row.is_empty() {
                rows.push(letter.to_string());
            } else {
                *row = longer;
            }
        }
    }
    rows
}

/// A text in at most so many rows; what does not fit is cut off visibly.
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

/// A text of at most so many columns; what does not fit is cut off visibly.
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
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn what_does_not_fit_is_cut_visibly() {
        assert_eq!(fitted("one two three four", 9, 1), ["one two …"]);
        assert_eq!(fitted("one two", 9, 1), ["one two"]);
        assert!(fitted("one two", 9, 0).is_empty());
        assert_eq!(shortened("Bartholomew", 6), "Barth…");
        assert_eq!(shortened("Bo", 2), "Bo");
    }
}
