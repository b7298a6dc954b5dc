//! Suggestions for misspelt words.

/// The least likeness of a suggestion, from 0 to 1.
const LIKENESS_MIN: f64 = 0.6;

/// The fewest letters that suggest a word which begins with them.
const BEGINNING_MIN: usize = 3;

/// The most suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Returns a question for words that are much like a text, such as "did you mean `one` or `two`?"; none if
/// there are no such words.
pub fn suggestion<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    match &nearest(text, words)[..] {
        [] => None,
        words => Some(format!("did you mean {}?", either(words))),
    }
}

/// Lists alternatives: `one, two or three`.
pub fn either(words: &[String]) -> String {
    match words.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// The words most like a text, quoted, the likest first.
fn nearest<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    let text = text.to_lowercase();
    let likeness = |word: &'w str| {
        let word_lower = word.to_lowercase();
        let begins = text.len() >= BEGINNING_MIN && word_lower.starts_with(&text);
        let likeness = strsim::normalized_damerau_levenshtein(&text, &word_lower);
        (begins || likeness >= LIKENESS_MIN).then_some((likeness, word))
    };
    let mut found: Vec<(f64, &str)> = words.into_iter().filter_map(likeness).collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found.dedup_by_key(|(_, word)| *word);
    found.truncate(SUGGESTIONS_MAX);
    let quoted = found.iter().map(|(_, word)| format!("`{word}`"));
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_words_are_suggested_and_unlike_ones_are_not() {
        let words = ["takeback", "rematch", "resign", "take 1 from 1"];
        let suggested = |text| suggestion(text, words);
        let takeback = suggested("takebck");
        assert_eq!(takeback.as_deref(), Some("did you mean `takeback`?"));
        assert_eq!(nearest("Resgin", words), ["`resign`"]);
        assert_eq!(suggested("jump"), None);
        let several = suggestion("takes", ["take", "takes", "taken"]);
        assert_eq!(
            several.as_deref(),
            Some("did you mean `takes`, `take` or `taken`?")
        );
    }
}
