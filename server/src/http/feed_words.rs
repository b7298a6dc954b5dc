//! The sentences of a guest's feed, in the languages of the page.

use fibfob_games::Level;
use fibfob_protocol::{Code, EndReason};

/// The sentences of one language. A call begins with a small letter where its language has one.
pub(super) struct FeedWords {
    pub(super) language: &'static str,
    pub(super) title: &'static str,
    pub(super) nobody: &'static str,
    pub(super) choice: &'static str,
    /// Each with the name of the other player.
    pub(super) joined: fn(&str) -> String,
    pub(super) takeback: fn(&str) -> String,
    pub(super) turn: fn(&str) -> String,
    /// The end: whether the guest has won, against whom, and why.
    pub(super) over: fn(bool, &str, &str) -> String,
    /// The text of an item: the game, the match, and the item's title.
    pub(super) content: fn(&str, Code, &str) -> String,
    pub(super) bot: fn(Level) -> &'static str,
    pub(super) reason: fn(EndReason) -> &'static str,
}

impl FeedWords {
    /// German or English.
    pub(super) const fn of(german: bool) -> &'static Self {
        if german { &GERMAN } else { &ENGLISH }
    }
}

const ENGLISH: FeedWords = FeedWords {
    language: "en",
    title: "Fib Fob: your matches",
    nobody: "nobody",
    choice: "you choose who moves first",
    joined: |name| format!("{name} has joined"),
    takeback: |name| format!("{name} asks for a move back"),
    turn: |name| format!("it is your turn against {name}"),
    over: |won, name, why| {
        let verb = if won { "won" } else { "lost" };
        format!("You {verb} against {name} ({why})")
    },
    content: |game, code, title| format!("{game}, match {code}: {title}."),
    bot: |level| match level {
        Level::Perfect => "the perfect bot",
        Level::Strong => "the strong bot",
        Level::Casual => "the casual bot",
        Level::Novice => "the novice bot",
    },
    reason: |reason| match reason {
        EndReason::NoMoveLeft => "no move left",
        EndReason::Resigned => "resigned",
        EndReason::OutOfTime => "out of time",
        EndReason::Away => "away for too long",
        EndReason::Abandoned => "both players left",
    },
};

const GERMAN: FeedWords = FeedWords {
    language: "de",
    title: "Fib Fob: deine Partien",
    nobody: "niemanden",
    choice: "du wählst, wer anfängt",
    joined: |name| format!("{name} ist da"),
    takeback: |name| format!("{name} bittet um einen Zug zurück"),
    turn: |name| format!("du bist am Zug gegen {name}"),
    over: |won, name, why| {
        let result = if won { "gewonnen" } else { "verloren" };
        format!("Gegen {name} {result} ({why})")
    },
    content: |game, code, title| format!("{game}, Partie {code}: {title}."),
    bot: |level| match level {
        Level::Perfect => "den perfekten Bot",
        Level::Strong => "den starken Bot",
        Level::Casual => "den gelegentlichen Bot",
        Level::Novice => "den Anfänger-Bot",
    },
    reason: |reason| match reason {
        EndReason::NoMoveLeft => "kein Zug mehr",
        EndReason::Resigned => "aufgegeben",
        EndReason::OutOfTime => "Zeit abgelaufen",
        EndReason::Away => "zu lange fort",
        EndReason::Abandoned => "beide sind gegangen",
    },
};
