//! What the user types: a command of this client, or a move.

/// What a typed line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Nothing.
    Empty,
    /// A move, in the game's notation.
    Move(&'a str),
    /// Make the first move, in a match where that is ours to choose.
    Begin,
    /// Let the other one make it.
    Answer,
    /// Ask for our newest move back.
    Takeback,
    /// Give the other one's move back.
    Yes,
    /// Do not.
    No,
    /// Have the match because the other one is away.
    Claim,
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

impl<'a> Typed<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> Self {
        match line.trim() {
            "" => Self::Empty,
            "begin" => Self::Begin,
            "answer" => Self::Answer,
            "takeback" => Self::Takeback,
            "yes" => Self::Yes,
            "no" => Self::No,
            "claim" => Self::Claim,
            "resign" => Self::Resign,
            "rematch" => Self::Rematch,
            "accept" => Self::Accept,
            "withdraw" => Self::Withdraw,
            "quit" | "exit" | "q" => Self::Quit,
            "help" | "?" => Self::Help,
            text => Self::Move(text),
        }
    }
}

/// The commands and what they do, for the help.
pub const COMMANDS: [(&str, &str); 10] = [
    ("begin, answer", "where you choose: move first, or second"),
    ("takeback", "ask for your newest move back"),
    ("yes, no", "whether the other one gets a move back"),
    ("claim", "have the match; the other one is away too long"),
    ("resign", "give the match up"),
    ("rematch", "after the end: offer another one, sides swapped"),
    ("accept", "accept the other's offer"),
    ("withdraw", "take back a match that nobody has joined"),
    ("help, ?", "what can be typed"),
    ("quit, q", "leave; your seat is kept for --resume"),
];
