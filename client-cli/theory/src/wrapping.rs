//! Running text broken into lines.

use std::borrow::Cow;

use textwrap::{Options, WordSplitter};

/// Breaks a text into lines of at most `columns` columns: at spaces, and within a word only where
/// the word alone is longer than a line.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    // Notation has hyphens, and a move is not to be broken there.
    let options = Options::new(columns).word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

/// Breaks a text into lines as [`wrapped`] does; the lines after the first are indented as far as
/// the text's last column of two and more spaces, or as its own beginning is.
pub fn indented(text: &str, columns: usize) -> Vec<String> {
    let body = text.trim_start();
    let own = text.len() - body.len();
    let column = body
        .rfind("  ")
        .map(|at| own + body[..at].chars().count() + 2);
    let indent = column.unwrap_or(own);
    let head: String = text.chars().take(indent).collect();
    let rest: String = text.chars().skip(indent).collect();
    let lines = wrapped(&rest, columns.saturating_sub(indent).max(1));
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(index, line)| match index {
            0 => format!("{head}{line}"),
            _ => format!("{}{line}", " ".repeat(indent)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_only_where_they_are_longer_than_a_line() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(wrapped("time -13", 6), ["time", "-13"]);
        assert_eq!(wrapped("0-1,1-2", 7), ["0-1,1-2"]);
        assert_eq!(indented("  ab  one two", 10), ["  ab  one", "      two"]);
        assert_eq!(indented("one two", 4), ["one", "two"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
    }
}
