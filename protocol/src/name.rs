//! A player's name: shown to strangers, so it holds nothing that can disturb a screen.

use std::fmt;

use fibfob_games::Level;
use serde::{Deserialize, Deserializer, Serialize, de};
use thiserror::Error;

use crate::limits::NAME_CHARS_MAX;
use crate::visible::is_shown;

/// Placeholder characters, which stand for something that a text could not hold.
const STAND_INS: [char; 2] = ['\u{FFFC}', '\u{FFFD}'];

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
    /// A bot or the server has it.
    #[error("only a bot or the server is called `{0}`; choose another name")]
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

    /// Returns true if the name looks like a bot's or the server's, such as `the perfect bot` or `Bot (Perfekt)`.
    fn is_taken(&self) -> bool {
        let name = self.0.to_lowercase();
        let words = name.split(|letter: char| !letter.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let is_level = |word: &str| word.parse::<Level>().is_ok();
        match words.strip_prefix(&["the"]).unwrap_or(&words) {
            ["server"] | ["bot", ..] => true,
            [level] | [level, "bot"] => is_level(level),
            _ => false,
        }
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
            "Co-pilot",
        ] {
            assert!(chosen(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_stored_name_is_read_even_if_it_can_no_longer_be_chosen() {
        for name in ["A  B", "A\u{FFFD}", "perfect"] {
            let text = serde_json::to_string(name).unwrap();
            let read: PlayerName = serde_json::from_str(&text).unwrap();
            assert_eq!(read.as_str(), name);
        }
        assert!(serde_json::from_str::<PlayerName>("\"A\u{202E}b\"").is_err());
    }
}
