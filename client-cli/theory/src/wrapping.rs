//! Running text broken into lines.

use std::borrow::Cow;

use textwrap::{Options, WordSplitter};

/// Breaks a text into lines of at most `columns` columns: at spaces, and within a word only if the word is
/// longer than a line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    break_lines(text, Options::new(columns))
}

/// Breaks the lines of a text where the window ends, if standard output is a terminal.
#[must_use]
pub fn in_window(text: &str) -> String {
    columns().map_or_else(|| text.to_owned(), |columns| within(text, columns))
}

/// The columns of the window, if standard output is a terminal.
pub fn columns() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns.into())
}

fn within(text: &str, columns: usize) -> String {
    let fit = |line: &str| match line.chars().count() > columns {
        true => wrap_indented(line, columns).join("\n"),
        false => line.to_owned(),
    };
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// Breaks a text into lines as [`wrap`] does. Later lines are indented to the text's last column of two or
/// more spaces, if that leaves most of a line; otherwise as the text's beginning is.
pub fn wrap_indented(text: &str, columns: usize) -> Vec<String> {
    let own = text.len() - text.trim_start().len();
    let last = text.rfind("  ").map_or(own, |at| own.max(at + 2));
    let indent = if 3 * last > 2 * columns { own } else { last };
    let (head, rest) = text.split_at(indent);
    let blank = " ".repeat(head.chars().count());
    let options = Options::new(columns).initial_indent(head);
    break_lines(rest, options.subsequent_indent(&blank))
}

fn break_lines(text: &str, options: Options<'_>) -> Vec<String> {
    // Notation has hyphens, and a move is not to be broken there.
    let options = options.word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_only_where_they_are_longer_than_a_line() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(wrap("time -13", 6), ["time", "-13"]);
        assert_eq!(wrap("0-1,1-2", 7), ["0-1,1-2"]);
        assert_eq!(
            wrap_indented("  ab  one two", 10),
            ["  ab  one", "      two"]
        );
        assert_eq!(wrap_indented("one two", 4), ["one", "two"]);
        assert_eq!(
            wrap_indented("  one two  three", 9),
            ["  one two", "  three"]
        );
        let lines = "kayles\n  one two three\n";
        assert_eq!(within(lines, 9), "kayles\n  one two\n  three\n");
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("ab", 0), ["a", "b"]);
    }
}
