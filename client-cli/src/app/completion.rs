//! Completion of typed commands, phrases and moves.

use fibfob_games::MoveSet;

use super::chat::phrase_names;
use super::typed_command::WORDS;
use crate::legal;

/// The most completions that are shown.
const CHOICES_MAX: usize = 12;

/// A line, completed as far as it is unambiguous.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    pub line: String,
    /// The possible next words; empty if the line is complete.
    pub choices: Vec<String>,
}

/// Completes a line to a command, a phrase or one of these moves; none if nothing starts with it.
/// `useless` are commands that would only be refused.
pub fn completed(line: &str, moves: &MoveSet, useless: &[&str]) -> Option<Completion> {
    let typed = line.trim_start().to_lowercase();
    let fits = |text: &str| text.starts_with(&typed);
    let mut all: Vec<String> = match typed.strip_prefix("say ") {
        Some(phrase) => {
            let phrase = phrase.trim_start();
            let fits = phrase_names().filter(|it| it.starts_with(phrase));
            fits.map(|it| format!("say {it}")).collect()
        }
        // An empty line is completed to moves alone: the commands are in the help.
        None if typed.is_empty() => Vec::new(),
        None => {
            let words = WORDS.into_iter().filter(|word| !useless.contains(word));
            words.filter(|word| fits(word)).map(str::to_owned).collect()
        }
    };
    all.extend(legal::samples(moves).filter(|text| fits(text)));
    let first = all.first()?;
    let shared = |other: &String| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(one, other)| one == other).count()
    };
    let length = all.iter().map(shared).min()?;
    let line: String = first.chars().take(length).collect();
    let choices = if all.len() > 1 {
        next_words(&all, line.len())
    } else {
        Vec::new()
    };
    Some(Completion { line, choices })
}

/// The words that the texts have after their common beginning, each with the words before it.
fn next_words(texts: &[String], shared: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for text in texts {
        // The space that ends the common part belongs to it.
        let rest = text[shared..].trim_start();
        let begin = text.len() - rest.len();
        let end = rest.find(' ').map_or(text.len(), |space| begin + space);
        let word = &text[..end];
        if words.iter().all(|known| known != word) {
            words.push(word.to_owned());
        }
    }
    if words.len() > CHOICES_MAX {
        words.truncate(CHOICES_MAX);
        words.push("…".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use fibfob_games::GameId;

    use super::*;

    #[track_caller]
    fn check(typed: &str, line: &str, choices: &[&str]) {
        let position = GameId::FibFob
            .read("c2@1 time=3 nuggets=0 fib=2 fob=0")
            .unwrap();
        let completed = completed(typed, &position.legal_moves(), &["resign"]).unwrap();
        assert_eq!(
            (completed.line.as_str(), completed.choices),
            (line, choices.iter().map(ToString::to_string).collect())
        );
    }

    #[test]
    fn commands_and_phrases_are_completed_as_far_as_they_are_unambiguous() {
        check("tak", "takeback", &[]);
        check("cl", "claim", &[]);
        check("re", "rematch", &[]);
        check("say w", "say well-played", &[]);
        check("say o", "say o", &["say oh", "say one-moment"]);
        let none = MoveSet::new();
        assert_eq!(completed("time -1", &none, &[]), None);
        assert_eq!(completed("  ", &none, &[]), None);
        assert_eq!(completed("say nothing", &none, &[]), None);
    }

    #[test]
    fn moves_are_completed_word_by_word() {
        check("", "", &["ship", "time", "spend", "eject"]);
        check("s", "s", &["second", "say", "ship", "spend"]);
        check("sh", "ship ", &["ship a2@1", "ship b2@1", "ship c1@1"]);
        check("TI", "time -", &["time -1", "time -2", "time -3"]);
        check("ship c", "ship c1@1", &[]);
        check("ej", "eject fib", &[]);
        let huge = GameId::PokerNim
            .read("time=9007199254740000 nuggets=9")
            .unwrap();
        let completed = completed("time", &huge.legal_moves(), &[]).unwrap();
        assert_eq!(completed.line, "time ");
        assert_eq!(completed.choices.len(), CHOICES_MAX + 1);
    }
}
