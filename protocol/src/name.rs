//! A player's name: shown to strangers, so it holds nothing that can disturb a screen.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use fibfob_games::Level;
use serde::{Deserialize, Deserializer, Serialize, de};
use thiserror::Error;

use crate::limits::NAME_CHARS_MAX;
use crate::skeleton::skeleton_words;
use crate::visible::is_shown;

/// Placeholder characters, which stand for something that a text could not hold.
const STAND_INS: [char; 2] = ['\u{FFFC}', '\u{FFFD}'];

/// The names of the house beside those of bots: what the page and the terminal call others than people.
const OF_THE_HOUSE: [&str; 7] = [
    "server",
    "operator",
    "admin",
    "you",
    "du",
    "a former player",
    "ein früherer Spieler",
];

/// The word that marks a bot.
const BOT: &str = "bot";

/// Articles before a name, as skeletons have them: `ein` has an `l`.
const ARTICLES: [&str; 4] = ["the", "a", "an", "eln"];

/// The skeletons of all names that only bots and the house have.
static TAKEN: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let bots = Level::ALL.map(|level| [level.to_string(), level.title().to_owned()]);
    let names = bots.into_iter().flatten();
    let names = names.chain(OF_THE_HOUSE.map(str::to_owned));
    let skeleton = |name: String| {
        let mut words = skeleton_words(&name);
        drop_article(&mut words);
        words.concat()
    };
    names.map(skeleton).collect()
});

/// A player's name: 1 to 24 visible characters, outer spaces trimmed. Names that could be chosen once are
/// still read, because logs keep them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerName(String);

/// A text that cannot be a player's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidName {
    /// It is too long, or not all of it is seen.
    #[error(
        "a name has 1 to {NAME_CHARS_MAX} visible characters and single spaces between them: no \
         controls, directions or blanks, and at most 3 combining marks on one letter"
    )]
    NotVisible,
    /// A bot or the house has it, or it looks like theirs.
    #[error("`{0}` looks like the name of a bot or of this service; choose another name")]
    Taken(String),
}

impl PlayerName {
    /// The name's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn read(text: &str) -> Result<Self, InvalidName> {
        let name = text.trim();
        match is_shown(name, NAME_CHARS_MAX) {
            true => Ok(Self(name.to_owned())),
            false => Err(InvalidName::NotVisible),
        }
    }

    /// Returns true if the name looks like one of a bot or of the house, such as `Vega (bot)` or `the Sеrver` with
    /// a Cyrillic letter.
    fn is_taken(&self) -> bool {
        let mut words = skeleton_words(&self.0);
        drop_article(&mut words);
        if words.first().is_some_and(|word| word == BOT) {
            return true;
        }
        words.pop_if(|word| *word == BOT);
        let name = words.concat();
        // Also written as one word, such as `TheAuditorBot`.
        let bare = name.strip_prefix("the").unwrap_or(&name);
        let bare = bare.strip_suffix(BOT).unwrap_or(bare);
        [name.as_str(), bare]
            .into_iter()
            .any(|name| TAKEN.contains(name))
    }
}

/// Removes an article before other words.
fn drop_article(words: &mut Vec<String>) {
    if words
        .first()
        .is_some_and(|word| ARTICLES.contains(&word.as_str()))
    {
        words.remove(0);
    }
}

impl Default for PlayerName {
    fn default() -> Self {
        Self("Co-pilot".to_owned())
    }
}

impl TryFrom<String> for PlayerName {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        let name = Self::read(&text)?;
        if name.0.contains("  ") || name.0.contains(STAND_INS) {
            return Err(InvalidName::NotVisible);
        }
        match name.is_taken() {
            true => Err(InvalidName::Taken(name.0)),
            false => Ok(name),
        }
    }
}

impl<'de> Deserialize<'de> for PlayerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map_err(de::Error::custom)
    }
}

impl From<PlayerName> for String {
    fn from(name: PlayerName) -> Self {
        name.0
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(name: &str) -> Result<PlayerName, InvalidName> {
        PlayerName::try_from(name.to_owned())
    }

    #[test]
    fn a_name_has_single_spaces_and_only_visible_characters() {
        for name in ["Ada", " Ada Lovelace ", "Ada  L"] {
            assert_eq!(chosen(name).is_ok(), name != "Ada  L", "{name}");
        }
        for name in ["A\u{FFFC}", "A\u{FFFD}", "A\u{202E}b", "\u{2800}", ""] {
            let refused = chosen(name).unwrap_err().to_string();
            assert!(
                refused.contains("visible characters"),
                "{name:?}: {refused}"
            );
        }
    }

    #[test]
    fn names_of_bots_and_of_the_server_are_reserved() {
        for name in [
            "perfect",
            "The Perfect Bot",
            "NOVICE",
            "strong-bot",
            "casual",
            "Bot",
            "Bot (Perfekt)",
            "Server",
            "the server",
            "✓ Server",
            "The Auditor",
            "TheAuditor",
            "THE AUDITOR",
            "auditor (bot)",
            "Vega",
            "VegaBot",
            "Juno",
            "Pip",
            "P|p",
            "PIP (Bot)",
            "Operator",
            "0perator",
            "a former player",
            "Former Player",
            "Ein früherer Spieler",
            "You",
            "du",
            // Cyrillic, full-width and modifier letters, mathematical ones, and capitals of other scripts.
            "S\u{435}rver",
            "\u{412}\u{41E}T",
            "\u{412}ot 7",
            "Ｓｅｒｖｅｒ",
            "ᴮᵒᵗ",
            "𝐕𝐞𝐠𝐚",
            "\u{422}\u{41D}\u{415} AUD\u{406}TOR",
            "\u{3A1}ip",
            "Végà",
            "Bót 7",
        ] {
            let refused = chosen(name).unwrap_err().to_string();
            assert!(refused.contains(&format!("`{name}`")), "{refused}");
        }
        for name in [
            "Perfect Day",
            "Strongbow",
            "My Bot",
            "Abbot",
            "The",
            "Theodor",
            "Pippa",
            "Youssef",
            "Co-pilot",
            "李小龍",
            "🚀",
        ] {
            assert!(chosen(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_stored_name_is_read_even_if_it_can_no_longer_be_chosen() {
        for name in [
            "A  B",
            "A\u{FFFD}",
            "perfect",
            "The Auditor",
            "S\u{435}rver",
        ] {
            let text = serde_json::to_string(name).unwrap();
            let read: PlayerName = serde_json::from_str(&text).unwrap();
            assert_eq!(read.as_str(), name);
        }
        assert!(serde_json::from_str::<PlayerName>("\"A\u{202E}b\"").is_err());
    }
}
