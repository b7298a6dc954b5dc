//! What the user types: a command of this client, or a move.

/// What a typed line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Nothing.
    Empty,
    /// A move, in the game's notation.
    Move(&'a str),
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
pub const COMMANDS: [(&str, &str); 6] = [
    ("resign", "give the match up"),
    ("rematch", "after the end: offer another one, sides swapped"),
    ("accept", "accept the other's offer"),
    ("withdraw", "take back a match that nobody has joined"),
    ("help, ?", "what can be typed"),
    ("quit, q", "leave; your seat is kept for --resume"),
];
