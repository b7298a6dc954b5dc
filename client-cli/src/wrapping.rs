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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_only_where_they_are_longer_than_a_line() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(wrapped("time -13", 6), ["time", "-13"]);
        assert_eq!(wrapped("0-1,1-2", 7), ["0-1,1-2"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
    }
}
