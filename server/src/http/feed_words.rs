//! The sentences of a guest's feed, in the languages of the page, and the names of players.

use fibfob_games::Level;
use fibfob_protocol::{Code, EndReason, GuestId, Player, PlayerName};

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
    /// The two lists of words of friendly names, as the page has them.
    friendly: [&'static str; 2],
}

impl FeedWords {
    /// German or English.
    pub(super) const fn of(german: bool) -> &'static Self {
        if german { &GERMAN } else { &ENGLISH }
    }

    /// The name of a player.
    pub(super) fn name(&self, player: &Player) -> String {
        match player {
            Player::Human { guest, name } | Player::Program { guest, name, .. } => {
                self.guest_name(*guest, name)
            }
            Player::Bot { level } => (self.bot)(*level).to_owned(),
        }
    }

    /// The name that a guest chose, or the friendly one that the page shows (`server/web/views/player_names.js`).
    fn guest_name(&self, guest: GuestId, name: &PlayerName) -> String {
        if *name != PlayerName::default() {
            return name.to_string();
        }
        let mut number = hash(&guest.to_string());
        let [first, second] = self.friendly.map(|words| {
            let words: Vec<&str> = words.split(' ').collect();
            let word = words[number % words.len()];
            number /= words.len();
            word
        });
        format!("{first} {second}")
    }
}

/// A number that follows from a text (FNV-1a, as the page computes it).
fn hash(text: &str) -> usize {
    let step = |value: u32, byte: u8| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, step);
    (value ^ (value >> 15)) as usize
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
    friendly: [
        "Amber Brave Calm Clever Copper Cosmic Daring Dusty Gentle Golden Happy Indigo Jolly Lucky Lunar \
         Merry Misty Nimble Quiet Rapid Silver Sunny Velvet Witty",
        "Badger Beaver Comet Falcon Ferret Finch Fox Gecko Hedgehog Heron Kestrel Lynx Marten Meteor Moth \
         Otter Owl Panda Puffin Raven Robin Seal Swift Wombat",
    ],
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
        Level::Casual => "den Hobby-Bot",
        Level::Novice => "den Anfänger-Bot",
    },
    reason: |reason| match reason {
        EndReason::NoMoveLeft => "kein Zug mehr",
        EndReason::Resigned => "aufgegeben",
        EndReason::OutOfTime => "Zeit abgelaufen",
        EndReason::Away => "zu lange fort",
        EndReason::Abandoned => "beide sind gegangen",
    },
    friendly: [
        "Blauer Bunter Edler Feiner Flinker Fröhlicher Goldener Heiterer Kluger Kühner Leiser Lustiger \
         Mutiger Netter Ruhiger Sanfter Schlauer Schneller Silberner Sonniger Stiller Tapferer Wacher Weiser",
        "Adler Bär Biber Dachs Falke Fink Fuchs Gecko Hase Hecht Igel Käfer Komet Kranich Luchs Marder Mond \
         Otter Panda Rabe Reiher Spatz Uhu Wal",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unnamed_have_the_pages_friendly_names() {
        for (words, page) in [
            (&ENGLISH, include_str!("../../web/words/en/start.js")),
            (&GERMAN, include_str!("../../web/words/de/start.js")),
        ] {
            let page = page.replace("\" +\n    \"", "");
            for list in words.friendly {
                assert!(page.contains(&format!("\"{list}\"")), "{list}");
            }
        }
        // As `guest_name` of the page answers.
        let guest: GuestId =
            serde_json::from_str("\"aaaaaaaa-0000-4000-8000-000000000000\"").unwrap();
        let unnamed = PlayerName::default();
        assert_eq!(ENGLISH.guest_name(guest, &unnamed), "Calm Heron");
        let ada = PlayerName::try_from("Ada".to_owned()).unwrap();
        assert_eq!(GERMAN.guest_name(guest, &ada), "Ada");
    }
}
