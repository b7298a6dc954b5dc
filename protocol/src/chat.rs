//! Chat beside a match. A chat line is no event: it is not in the match's log and has no version. The store
//! keeps a bounded number of lines for each channel, so they survive a restart.
//!
//! Players and spectators have separate channels, so that spectators cannot prompt players.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{GuestId, MatchId, Timestamp};
use crate::limits::CHAT_CHARS_MAX;
use crate::name::PlayerName;
use crate::visible::is_shown;

/// The phrases allowed in every match: a closed list, so that strangers cannot insult.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatPhrase {
    /// A greeting.
    Hello,
    /// Good luck.
    GoodLuck,
    /// Well played.
    WellPlayed,
    /// An expression of surprise.
    Oh,
    /// One moment, please.
    OneMoment,
    /// An apology.
    Sorry,
    /// Thank you.
    Thanks,
    /// Another match?
    Again,
    /// A farewell.
    Bye,
}

impl ChatPhrase {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Hello,
        Self::GoodLuck,
        Self::WellPlayed,
        Self::Oh,
        Self::OneMoment,
        Self::Sorry,
        Self::Thanks,
        Self::Again,
        Self::Bye,
    ];
}

/// Free text: 1 to 140 visible characters, outer spaces trimmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct ChatText(String);

/// A text that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "a chat line has 1 to {CHAT_CHARS_MAX} visible characters: no controls, directions or blanks, \
     and at most 3 combining marks on one letter"
)]
pub struct InvalidChat;

impl TryFrom<String> for ChatText {
    type Error = InvalidChat;

    fn try_from(text: String) -> Result<Self, InvalidChat> {
        let said = text.trim();
        match is_shown(said, CHAT_CHARS_MAX) {
            true => Ok(Self(said.to_owned())),
            false => Err(InvalidChat),
        }
    }
}

impl fmt::Display for ChatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ChatText> for String {
    fn from(text: ChatText) -> Self {
        text.0
    }
}

/// The content of a chat request. Free text is not checked here, so that an invalid text is refused as such
/// and not as malformed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatDraft {
    /// One of the fixed phrases.
    Phrase(ChatPhrase),
    /// Free text; only in private matches.
    Text(String),
}

/// The content of a chat line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatContent {
    /// One of the fixed phrases.
    Phrase(ChatPhrase),
    /// Free text.
    Text(ChatText),
}

/// The audience of a chat line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatChannel {
    /// The players.
    Players,
    /// The spectators.
    Spectators,
}

/// New chat lines of a followed match, in the recipient's channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chat {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The channel.
    pub channel: ChatChannel,
    /// The lines that are new to this connection, the oldest first.
    pub lines: Vec<ChatLine>,
}

/// A chat line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChatLine {
    /// The line's number, greater than those of all earlier lines of the match.
    pub number: u64,
    /// The instant of sending.
    pub at: Timestamp,
    /// The author.
    pub guest: GuestId,
    /// The author's name.
    pub name: PlayerName,
    /// The content.
    #[serde(flatten)]
    pub content: ChatContent,
}
