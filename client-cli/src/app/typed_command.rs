//! What the user types: a command of this client, or a move.

/// What a typed line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedCommand<'a> {
    /// Nothing.
    Empty,
    /// A move, in the game's notation.
    Move(&'a str),
    /// Make the first move, in a match where that is ours to choose.
    First,
    /// Let the other one make it.
    Second,
    /// Ask for our newest move back.
    Takeback,
    /// Give the other one's move back.
    Yes,
    /// Do not.
    No,
    /// Have the match because the other one is away.
    Claim,
    /// Say this; nothing asks what can be said.
    Say(&'a str),
    /// Hear nothing more of what is said.
    Mute,
    /// Hear it again.
    Unmute,
    /// Give up.
    Resign,
    /// Offer a rematch, or accept the other's offer.
    Rematch,
    /// Accept the other's offer.
    Accept,
    /// Take back a match that nobody has joined.
    Withdraw,
    /// Leave the program; the seat is kept.
    Quit,
    /// Show what can be typed.
    Help,
}

impl<'a> TypedCommand<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        if let Some(said) = line.strip_prefix("say")
            && (said.is_empty() || said.starts_with(char::is_whitespace))
        {
            return Self::Say(said.trim());
        }
        match line {
            "" => Self::Empty,
            "first" => Self::First,
            "second" => Self::Second,
            "takeback" => Self::Takeback,
            "yes" => Self::Yes,
            "no" => Self::No,
            "claim" => Self::Claim,
            "mute" => Self::Mute,
            "unmute" => Self::Unmute,
            "resign" => Self::Resign,
            "rematch" => Self::Rematch,
            "accept" => Self::Accept,
            "withdraw" => Self::Withdraw,
            "quit" | "exit" | "q" => Self::Quit,
            "help" | "?" => Self::Help,
            text => Self::Move(text),
        }
    }

    /// Whether it answers nothing, so that a script's line of it need not wait for a question
    /// or a turn.
    pub fn is_unasked(self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::Takeback
                | Self::Claim
                | Self::Say(_)
                | Self::Mute
                | Self::Unmute
                | Self::Help
        )
    }
}

/// The commands and what they do, for the help.
pub const COMMANDS: [(&str, &str); 11] = [
    ("first, second", "move first or second, where you choose"),
    ("takeback", "ask to take back your newest move"),
    ("yes, no", "allow or refuse a takeback"),
    ("claim", "win the match if the other player stays away"),
    ("say …", "hello, good-luck …; `say` lists all phrases"),
    ("mute, unmute", "hide or show the chat"),
    ("resign", "give up the match"),
    ("rematch, accept", "offer a rematch; accept an offer"),
    ("withdraw", "cancel a match that nobody has joined"),
    ("help, ?", "show this help"),
    ("quit, q", "leave; your seat is kept for --resume"),
];

/// The commands as they are typed, for completing them.
pub const WORDS: [&str; 15] = [
    "first", "second", "takeback", "yes", "no", "claim", "say", "mute", "unmute", "resign",
    "rematch", "accept", "withdraw", "help", "quit",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_command_and_stands_in_the_help() {
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
        assert_eq!(TypedCommand::read("say"), TypedCommand::Say(""));
        assert_eq!(
            TypedCommand::read("sayonara"),
            TypedCommand::Move("sayonara")
        );
    }
}
