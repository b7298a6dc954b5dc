//! A player's name: shown to strangers, so it holds nothing that can disturb a screen.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::NAME_CHARS_MAX;
use crate::visible::is_visible;

/// 1 to [`NAME_CHARS_MAX`] visible characters, outer spaces trimmed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct PlayerName(String);

/// A text that cannot be a player's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "a name has 1 to {NAME_CHARS_MAX} visible characters: no controls, directions or blanks, and at \
     most 3 combining marks on one letter"
)]
pub struct InvalidName;

impl PlayerName {
    /// The name's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
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
        let name = text.trim();
        // The count stops at the bound, so that a long text costs no more than a long name.
        let length = name.chars().take(NAME_CHARS_MAX + 1).count();
        if (1..=NAME_CHARS_MAX).contains(&length) && is_visible(name) {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidName)
        }
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
