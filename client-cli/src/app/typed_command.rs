//! The typed commands, and the completion of commands, phrases and moves.

use fibfob_games::MoveSet;
use fibfob_protocol::{Action, MoveOrder};

use super::chat::phrase_names;
use crate::legal;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedCommand<'a> {
    Empty,
    Move(&'a str),
    /// An action of one's seat that needs no more than its word.
    Act(Action),
    /// Send this chat line; an empty one lists the phrases.
    Say(&'a str),
    /// Take this name; an empty one tells the present one.
    Name(&'a str),
    Mute(bool),
    /// Analyse a position: the recorder's, any other one, or that of a match where this is allowed.
    Analyse(AnalysisWord<'a>),
    /// Offer a rematch, or accept the opponent's offer.
    Rematch,
    Withdraw,
    /// Leave the program; the seat is kept.
    Quit,
    Help,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisWord<'a> {
    Hint,
    Why,
    /// The values that the moves lead to.
    Options,
    /// The effect of this move; an empty one asks for the one that would have kept the win.
    Try(&'a str),
    Back,
    Forward,
    /// Go on from here against a bot of this level.
    Play(&'a str),
    Position(&'a str),
    /// Another match of the same kind.
    New,
}

impl<'a> TypedCommand<'a> {
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match &word.to_lowercase()[..] {
            "say" => Self::Say(rest),
            "name" => Self::Name(rest),
            "try" => Self::Analyse(AnalysisWord::Try(rest)),
            "play" => Self::Analyse(AnalysisWord::Play(rest)),
            "position" => Self::Analyse(AnalysisWord::Position(rest)),
            _ if !rest.is_empty() => Self::Move(line),
            "" => Self::Empty,
            "first" | "second" => Self::Act(Action::Choose {
                order: MoveOrder::first_if(word.eq_ignore_ascii_case("first")),
            }),
            "takeback" => Self::Act(Action::OfferTakeback),
            "yes" => Self::Act(Action::AnswerTakeback { agree: true }),
            "no" => Self::Act(Action::AnswerTakeback { agree: false }),
            "claim" => Self::Act(Action::Claim),
            "mute" => Self::Mute(true),
            "unmute" => Self::Mute(false),
            "resign" => Self::Act(Action::Resign),
            "hint" => Self::Analyse(AnalysisWord::Hint),
            "why" => Self::Analyse(AnalysisWord::Why),
            "options" => Self::Analyse(AnalysisWord::Options),
            "back" => Self::Analyse(AnalysisWord::Back),
            "forward" => Self::Analyse(AnalysisWord::Forward),
            "new" => Self::Analyse(AnalysisWord::New),
            "rematch" => Self::Rematch,
            "accept" => Self::Act(Action::AcceptRematch),
            "withdraw" => Self::Withdraw,
            "quit" | "exit" | "q" => Self::Quit,
            "help" | "?" => Self::Help,
            _ => Self::Move(line),
        }
    }

    /// Returns true for a command that is no answer. A script's line with it need not wait for a question or a turn.
    pub fn is_unasked(&self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::Act(Action::OfferTakeback | Action::Claim)
                | Self::Say(_)
                | Self::Analyse(_)
                | Self::Name(_)
                | Self::Mute(_)
                | Self::Help
        )
    }
}

/// The commands with their explanations, for the help.
pub const COMMANDS: [(&str, &str); 15] = [
    ("first, second", "move first or second, where you choose"),
    ("takeback", "ask to take back your newest move"),
    ("yes, no", "allow or refuse a takeback"),
    ("claim", "win the match if the other player stays away"),
    ("say …", "hello, good-luck …; `say` lists all phrases"),
    ("name …", "take another name: `name Ada`"),
    ("mute, unmute", "hide or show the chat"),
    ("resign", "give up the match; it asks once"),
    ("rematch, accept", "offer a rematch; accept an offer"),
    ("withdraw", "cancel a match that nobody has joined"),
    (
        "hint, why",
        "what to look at, and the reason, where the analysis is open",
    ),
    ("options, try …", "what all moves, or one, would lead to"),
    (
        "try, play, new",
        "after a match: find the win, go on from here, another one",
    ),
    ("help, ?", "show this help"),
    ("quit, q", "leave; your seat is kept for --resume"),
];

/// The commands as they are typed, for completion.
pub const WORDS: [&str; 22] = [
    "first", "second", "takeback", "yes", "no", "claim", "say", "name", "mute", "unmute", "resign",
    "rematch", "accept", "withdraw", "help", "quit", "hint", "why", "options", "try", "play",
    "new",
];

/// The most completions that are shown.
const CHOICES_MAX: usize = 12;

/// A line, completed as far as it is unambiguous.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    pub line: String,
    /// The possible next words; empty if the line is complete.
    pub choices: Vec<String>,
}

/// Completes a line to a command, a phrase or one of these moves; none if nothing starts with it. `useless`
/// are commands that would only be refused here.
pub fn complete_line(line: &str, moves: &MoveSet, useless: &[&str]) -> Option<Completion> {
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

/// Lists the next words of the texts after their common beginning, each with the words before it.
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

    #[test]
    fn every_command_is_parsed_and_stands_in_the_help() {
        for word in WORDS {
            assert!(
                !matches!(TypedCommand::read(word), TypedCommand::Move(_)),
                "{word}"
            );
            let mut names = COMMANDS
                .iter()
                .flat_map(|(names, _)| names.split([',', ' ']));
            assert!(names.any(|name| name == word), "{word}");
        }
        assert_eq!(
            TypedCommand::read(" say  well played "),
            TypedCommand::Say("well played")
        );
        assert_eq!(TypedCommand::read("Quit"), TypedCommand::Quit);
        assert_eq!(TypedCommand::read("say"), TypedCommand::Say(""));
        assert_eq!(
            TypedCommand::read("Name  Ada L. "),
            TypedCommand::Name("Ada L.")
        );
        assert_eq!(
            TypedCommand::read("sayonara"),
            TypedCommand::Move("sayonara")
        );
    }

    #[track_caller]
    fn check(typed: &str, line: &str, choices: &[&str]) {
        let position = GameId::FibFob
            .read("c2@1 time=3 nuggets=0 fib=2 fob=0")
            .unwrap();
        let completed = complete_line(typed, &position.legal_moves(), &["resign"]).unwrap();
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
        assert_eq!(complete_line("time -1", &none, &[]), None);
        assert_eq!(complete_line("  ", &none, &[]), None);
        assert_eq!(complete_line("say nothing", &none, &[]), None);
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
        let completed = complete_line("time", &huge.legal_moves(), &[]).unwrap();
        assert_eq!(completed.line, "time ");
        assert_eq!(completed.choices.len(), CHOICES_MAX + 1);
    }
}
