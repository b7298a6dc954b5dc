//! What people say to each other beside a match. No event: it is not stored, has no version,
//! and a restart of the server forgets it.
//!
//! Players and spectators talk in rooms apart, so that nobody who watches can prompt.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{GuestId, MatchId, Timestamp};
use crate::limits::CHAT_CHARS_MAX;
use crate::name::{PlayerName, disturbs};

/// What can be said in every match: a closed list, so that a stranger cannot insult.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatPhrase {
    /// Hello.
    Hello,
    /// Good luck.
    GoodLuck,
    /// Well played.
    WellPlayed,
    /// Oh.
    Oh,
    /// One moment, please.
    OneMoment,
    /// Sorry.
    Sorry,
    /// Thank you.
    Thanks,
    /// Another match?
    Again,
    /// Goodbye.
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

/// Free words: 1 to [`CHAT_CHARS_MAX`] visible characters, outer spaces trimmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChatText(String);

/// A text that cannot be said.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "what is said has 1 to {CHAT_CHARS_MAX} characters, no control or direction characters among them"
)]
pub struct InvalidChat;

impl TryFrom<String> for ChatText {
    type Error = InvalidChat;

    fn try_from(text: String) -> Result<Self, InvalidChat> {
        let said = text.trim();
        let length = said.chars().take(CHAT_CHARS_MAX + 1).count();
        if (1..=CHAT_CHARS_MAX).contains(&length) && !said.chars().any(disturbs) {
            Ok(Self(said.to_owned()))
        } else {
            Err(InvalidChat)
        }
    }
}

impl From<ChatText> for String {
    fn from(text: ChatText) -> String {
        text.0
    }
}

/// Something to say, as a client asks for it. A free text stays text here, so that a wrong one
/// is refused as itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatDraft {
    /// One of the fixed phrases.
    Phrase(ChatPhrase),
    /// Words of one's own; only in private matches.
    Text(String),
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatContent {
    /// One of the fixed phrases.
    Phrase(ChatPhrase),
    /// Words of one's own.
    Text(ChatText),
}

/// Who hears each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChatChannel {
    /// Who has a seat.
    Players,
    /// Who only watches.
    Spectators,
}

/// What was said in a followed match, in the room of the one who is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// Where.
    pub channel: ChatChannel,
    /// What is new to this connection, the oldest first.
    pub lines: Vec<ChatLine>,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatLine {
    /// Greater than that of everything said in this match before.
    pub number: u64,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub guest: GuestId,
    /// Under which name.
    pub name: PlayerName,
    /// What.
    #[serde(flatten)]
    pub content: ChatContent,
}
