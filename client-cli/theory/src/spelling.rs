//! Suggestions for misspelt words.

use std::fmt::Write;

/// The least likeness of a suggestion, from 0 to 1.
const LIKENESS_MIN: f64 = 0.6;

/// The most suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Returns a question for the words that are much like a text, such as "did you mean `one` or `two`?"; none
/// where nothing is.
pub fn suggestion<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    question(&nearest(text, words))
}

/// The words most like a text, the likest first.
fn nearest<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<&'w str> {
    let text = text.to_lowercase();
    let likeness = |word: &'w str| {
        let likeness = strsim::normalized_damerau_levenshtein(&text, &word.to_lowercase());
        (likeness >= LIKENESS_MIN).then_some((likeness, word))
    };
    let mut found: Vec<(f64, &str)> = words.into_iter().filter_map(likeness).collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found.dedup_by_key(|(_, word)| *word);
    found.truncate(SUGGESTIONS_MAX);
    found.into_iter().map(|(_, word)| word).collect()
}

fn question(suggestions: &[&str]) -> Option<String> {
    let (first, rest) = suggestions.split_first()?;
    let mut text = format!("did you mean `{first}`");
    for (index, word) in (1..).zip(rest) {
        let between = if index == rest.len() { " or" } else { "," };
        write!(text, "{between} `{word}`").expect("a string accepts all");
    }
    text.push('?');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_words_are_suggested_and_unlike_ones_are_not() {
        let words = ["takeback", "rematch", "resign", "take 1 from 1"];
        assert_eq!(nearest("takebck", words), ["takeback"]);
        assert_eq!(nearest("Resgin", words), ["resign"]);
        assert_eq!(nearest("jump", words), [""; 0]);
        assert_eq!(
            question(&["a", "b", "c"]).as_deref(),
            Some("did you mean `a`, `b` or `c`?")
        );
        assert_eq!(question(&["a"]).as_deref(), Some("did you mean `a`?"));
        assert_eq!(question(&[]), None);
    }
}
