//! The answers to operators.

use fibfob_protocol::{
    ChatLine, Code, GuestId, MatchId, MatchView, Player, PlayerName, Record, Refusal, ReviewedPly,
    Timestamp,
};
use fibfob_store::StoreError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::moderation::{Act, Ban};
use crate::persons::PersonsError;

/// The answer to a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Answer {
    Matches(MatchRows),
    Match(Box<MatchDetails>),
    Bans(Vec<Ban>),
    Guests(GuestRows),
    Stats(ServiceCounts),
    /// Some matches with their events.
    Export(ExportPage),
    /// Acts of operators, oldest first.
    Log(Vec<Act>),
    /// The act that was done.
    Done(String),
    /// The act that `yes` would do; nothing was done.
    Confirm(String),
}

/// A list of matches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MatchRows {
    pub matches: Vec<MatchRow>,
    /// True if there may be more.
    pub more: bool,
}

/// A match in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the rest is what it is called")]
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
    /// The other player, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    pub hidden: bool,
}

/// A match with all that is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchDetails {
    #[serde(flatten)]
    pub row: MatchRow,
    pub state: MatchView,
    pub events: u64,
    pub moves: Vec<String>,
    pub chat: Vec<ChatLine>,
}

/// A list of guests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GuestRows {
    pub guests: Vec<GuestRow>,
    /// True if there may be more.
    pub more: bool,
}

/// A guest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub struct GuestRow {
    pub guest: GuestId,
    /// Its name, as far as it is known.
    pub name: PlayerName,
    /// Its seats in matches that are open or in play.
    pub seats: u64,
    pub connected: bool,
    /// The addresses from which it is; of an IPv6 address the first half.
    pub addresses: Vec<String>,
}

/// Counts of a server and its store.
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

/// Some matches with their events.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub struct ExportPage {
    pub matches: Vec<ExportedMatch>,
    /// The match after which the next page begins; none after the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<MatchId>,
}

/// A match with its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the rest is what it is called")]
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

/// The reason why a command was not done.
#[derive(Debug, Error)]
pub enum AdminError {
    /// The server would refuse it to a player, too.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A person was not changed, or not to the end.
    #[error(transparent)]
    Persons(#[from] PersonsError),
    /// There is none.
    #[error("there is no ban of {0}")]
    NoBan(String),
    /// There are as many as there may be.
    #[error("there are {0} {1}, the most there may be; end one first")]
    Full(usize, &'static str),
}
