//! The typed commands, and moves.

use fibfob_protocol::{Action, MoveOrder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedCommand<'a> {
    Empty,
    /// A move, in the game's notation.
    Move(&'a str),
    /// An action of one's seat that needs no more than its word.
    Act(Action),
    /// Send this chat line; an empty one lists the phrases.
    Say(&'a str),
    /// Take this name; an empty one tells the present one.
    Name(&'a str),
    Mute,
    Unmute,
    /// Offer a rematch, or accept the opponent's offer.
    Rematch,
    /// Withdraw a match that nobody has joined.
    Withdraw,
    /// Leave the program; the seat is kept.
    Quit,
    Help,
}

impl<'a> TypedCommand<'a> {
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match &word.to_lowercase()[..] {
            "say" => Self::Say(rest),
            "name" => Self::Name(rest),
            _ if !rest.is_empty() => Self::Move(line),
            "" => Self::Empty,
            "first" => Self::Act(Action::Choose {
                order: MoveOrder::First,
            }),
            "second" => Self::Act(Action::Choose {
                order: MoveOrder::Second,
            }),
            "takeback" => Self::Act(Action::OfferTakeback),
            "yes" => Self::Act(Action::AnswerTakeback { agree: true }),
            "no" => Self::Act(Action::AnswerTakeback { agree: false }),
            "claim" => Self::Act(Action::Claim),
            "mute" => Self::Mute,
            "unmute" => Self::Unmute,
            "resign" => Self::Act(Action::Resign),
            "rematch" => Self::Rematch,
            "accept" => Self::Act(Action::AcceptRematch),
            "withdraw" => Self::Withdraw,
            "quit" | "exit" | "q" => Self::Quit,
            "help" | "?" => Self::Help,
            _ => Self::Move(line),
        }
    }

    /// Returns true for a command that answers nothing: a script's line with it need not wait for a
    /// question or a turn.
    pub fn is_unasked(&self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::Act(Action::OfferTakeback | Action::Claim)
                | Self::Say(_)
                | Self::Name(_)
                | Self::Mute
                | Self::Unmute
                | Self::Help
        )
    }
}

/// The commands with their explanations, for the help.
pub const COMMANDS: [(&str, &str); 12] = [
    ("first, second", "move first or second, where you choose"),
    ("takeback", "ask to take back your newest move"),
    ("yes, no", "allow or refuse a takeback"),
    ("claim", "win the match if the other player stays away"),
    ("say …", "hello, good-luck …; `say` lists all phrases"),
    ("name …", "take another name: `name Ada`"),
    ("mute, unmute", "hide or show the chat"),
    ("resign", "give up the match"),
    ("rematch, accept", "offer a rematch; accept an offer"),
    ("withdraw", "cancel a match that nobody has joined"),
    ("help, ?", "show this help"),
    ("quit, q", "leave; your seat is kept for --resume"),
];

/// The commands as they are typed, for completion.
pub const WORDS: [&str; 16] = [
    "first", "second", "takeback", "yes", "no", "claim", "say", "name", "mute", "unmute", "resign",
    "rematch", "accept", "withdraw", "help", "quit",
];

#[cfg(test)]
mod tests {
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
}
