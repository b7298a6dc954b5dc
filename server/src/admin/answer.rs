//! The answers to operators.

use fibfob_protocol::{
    CHAT_CHARS_MAX, ChatLine, Code, GuestId, MatchId, MatchView, Player, PlayerName, Record,
    Refusal, ReviewedPly, Timestamp,
};
use fibfob_store::StoreError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::moderation::{Act, Ban};
use crate::persons::PersonsError;
use crate::persons::person::PersonData;

/// The answer to a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Answer {
    Matches {
        matches: Vec<MatchRow>,
        /// True if there may be more.
        more: bool,
    },
    Match(Box<MatchDetails>),
    Bans(Vec<Ban>),
    Guests {
        guests: Vec<GuestRow>,
        /// True if there may be more.
        more: bool,
    },
    Person(Box<PersonAnswer>),
    Stats(ServiceCounts),
    /// Some matches with their events.
    Export {
        matches: Vec<ExportedMatch>,
        /// The match after which the next page begins; none after the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<MatchId>,
    },
    /// Acts of operators, oldest first.
    Log(Vec<Act>),
    /// The act that was done.
    Done(String),
    /// The act that `yes` would do. Nothing was done.
    Confirm(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchRow {
    pub code: Code,
    #[serde(rename = "match")]
    pub id: MatchId,
    pub game: String,
    pub phase: String,
    pub created_at: Timestamp,
    pub newest_at: Timestamp,
    /// The moves that stand.
    pub plies: u64,
    pub creator: Player,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    pub hidden: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchDetails {
    #[serde(flatten)]
    pub row: MatchRow,
    pub state: MatchView,
    pub events: u64,
    pub moves: Vec<String>,
    pub chat: Vec<ChatLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuestRow {
    pub guest: GuestId,
    /// The guest's name, if it is known.
    pub name: PlayerName,
    /// Its seats in matches that are open or in play.
    pub seats: u64,
    pub connected: bool,
    /// The addresses it is connected from; for IPv6, the first half of each.
    pub addresses: Vec<String>,
}

/// Everything that the server knows about a guest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PersonAnswer {
    #[serde(flatten)]
    pub stored: PersonData,
    /// The addresses it is connected from, which are not stored; for IPv6, the first half of each.
    pub addresses: Vec<String>,
    /// The ban of its id.
    pub bans: Vec<Ban>,
    /// Acts of operators that name its id.
    pub acts: Vec<Act>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServiceCounts {
    pub version: String,
    pub matches: u64,
    /// Those of them that are open or in play.
    pub unfinished: u64,
    /// False if there are more than were counted.
    pub complete: bool,
    pub in_memory: u64,
    pub guests: u64,
    pub sessions: u64,
    pub bans: u64,
    pub hidden: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportedMatch {
    #[serde(rename = "match")]
    pub id: MatchId,
    pub code: Code,
    pub game: String,
    pub phase: String,
    /// Its events, as they are stored, with the players' ids and names.
    pub events: Vec<Record>,
    /// The start and the position after each move, with outcome and nimber.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<ReviewedPly>>,
}

/// A reason why a command was not done.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum AdminError {
    /// The server would refuse it to a player, too.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A guest was not changed, or not completely.
    #[error(transparent)]
    Persons(#[from] PersonsError),
    #[error(
        "a reason has 1 to {CHAT_CHARS_MAX} visible characters: no controls, directions or blanks, and at most 3 \
         combining marks on one letter"
    )]
    Reason,
    #[error(
        "guest {0} is not known here: it has no match, no connection and nothing that is stored; `admin guests \
         --name TEXT` finds a guest by a name"
    )]
    NoGuest(GuestId),
    #[error("guest {0} was forgotten, and nothing is left of it")]
    Forgotten(GuestId),
    /// A write failed, and what the store says about itself.
    #[error("{0}: {1}")]
    NotStored(String, String),
    #[error("nobody is connected, so nobody was told")]
    NobodyHere,
    #[error("there is no ban of {0}")]
    NoBan(String),
    #[error("there are {0} {1}, the most there may be; end one first")]
    Full(usize, &'static str),
}

impl AdminError {
    /// True if the store has failed.
    pub(crate) fn is_of_store(&self) -> bool {
        matches!(
            self,
            Self::Store(_)
                | Self::Persons(PersonsError::Store(_))
                | Self::Refused(Refusal::Unavailable)
        )
    }
}
