//! Completion of typed commands and phrases.

use super::chat::phrase_names;
use super::typed_command::WORDS;

/// A line, completed as far as it is unambiguous.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    /// The completed line.
    pub line: String,
    /// The possible completions; empty if there is only one.
    pub choices: Vec<String>,
}

/// Completes a line; none if no command or phrase starts with it.
pub fn completed(line: &str) -> Option<Completion> {
    let typed = line.trim_start();
    if typed.is_empty() {
        return None;
    }
    let all: Vec<String> = match typed.strip_prefix("say ") {
        Some(phrase) => {
            let phrase = phrase.trim_start();
            let fits = phrase_names().filter(|it| it.starts_with(phrase));
            fits.map(|it| format!("say {it}")).collect()
        }
        None => {
            let fits = WORDS.into_iter().filter(|it| it.starts_with(typed));
            fits.map(str::to_owned).collect()
        }
    };
    let first = all.first()?;
    let shared = |other: &String| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(one, other)| one == other).count()
    };
    let length = all.iter().map(shared).min()?;
    let line = first.chars().take(length).collect();
    let choices = if all.len() > 1 { all } else { Vec::new() };
    Some(Completion { line, choices })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, line: &str, choices: &[&str]) {
        let completed = completed(typed).unwrap();
        assert_eq!(
            (completed.line.as_str(), completed.choices),
            (line, choices.iter().map(ToString::to_string).collect())
        );
    }

    #[test]
    fn commands_and_phrases_are_completed_as_far_as_they_are_unambiguous() {
        check("tak", "takeback", &[]);
        check("cl", "claim", &[]);
        check("re", "re", &["resign", "rematch"]);
        check("say w", "say well-played", &[]);
        check("say o", "say o", &["say oh", "say one-moment"]);
        assert_eq!(completed("time -1"), None);
        assert_eq!(completed("  "), None);
        assert_eq!(completed("say nothing"), None);
    }
}
