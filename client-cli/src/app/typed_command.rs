//! The typed commands, and moves.

/// A typed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedCommand<'a> {
    /// An empty line.
    Empty,
    /// A move, in the game's notation.
    Move(&'a str),
    /// Choose to move first.
    First,
    /// Choose to move second.
    Second,
    /// Ask for one's newest move back.
    Takeback,
    /// Agree to the opponent's takeback.
    Yes,
    /// Decline the opponent's takeback.
    No,
    /// Claim the match because the opponent is away.
    Claim,
    /// Send this chat line; an empty one lists the phrases.
    Say(&'a str),
    /// Hide the chat.
    Mute,
    /// Show the chat again.
    Unmute,
    /// Resign the match.
    Resign,
    /// Offer a rematch, or accept the opponent's offer.
    Rematch,
    /// Accept the opponent's offer.
    Accept,
    /// Withdraw a match that nobody has joined.
    Withdraw,
    /// Leave the program; the seat is kept.
    Quit,
    /// Show the help.
    Help,
}

impl<'a> TypedCommand<'a> {
    /// Parses a line.
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

    /// Returns true for a command that answers nothing: a script's line with it need not wait for a
    /// question or a turn.
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

/// The commands with their explanations, for the help.
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

/// The commands as they are typed, for completion.
pub const WORDS: [&str; 15] = [
    "first", "second", "takeback", "yes", "no", "claim", "say", "mute", "unmute", "resign",
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
        assert_eq!(TypedCommand::read("say"), TypedCommand::Say(""));
        assert_eq!(
            TypedCommand::read("sayonara"),
            TypedCommand::Move("sayonara")
        );
    }
}
