//! The lobby, and its changes.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::ids::{Code, Timestamp};
use crate::seat::{FirstMove, Player};
use crate::time::TimeControl;

/// A page of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyList {
    /// Public matches with a free seat for anybody, whose creators are connected: those of people
    /// first, then by round, each newest first.
    pub open: Vec<LobbyEntry>,
    /// Public matches in play that somebody follows: those between people first, then by round, each newest first.
    pub playing: Vec<LobbyEntry>,
    /// The number of the page, from 0.
    #[serde(default, skip_serializing_if = "crate::message::is_first")]
    pub page: u32,
    /// True if there was a next page when this one was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// A change of the first page of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyChange {
    /// The matches to remove, from either list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Code>,
    /// Entries to add to the matches with a free seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<LobbyEntry>,
    /// Entries to add to the matches in play.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub playing: Vec<LobbyEntry>,
}

impl LobbyList {
    /// Applies a change, and orders both lists.
    pub fn apply(&mut self, change: &LobbyChange) {
        for (list, added) in [
            (&mut self.open, &change.open),
            (&mut self.playing, &change.playing),
        ] {
            let is_gone = |entry: &LobbyEntry| {
                let code = entry.code;
                change.gone.contains(&code) || added.iter().any(|new| new.code == code)
            };
            list.retain(|entry| !is_gone(entry));
            list.extend(added.iter().cloned());
            list.sort_by_key(LobbyEntry::rank);
        }
    }

    /// Returns the change from this page to `next`.
    #[must_use]
    pub fn change_to(&self, next: &Self) -> LobbyChange {
        let stays = |entry: &&LobbyEntry| next.open.contains(entry) || next.playing.contains(entry);
        let before = self.open.iter().chain(&self.playing);
        let gone = before.filter(|entry| !stays(entry)).map(|entry| entry.code);
        let new = |before: &[LobbyEntry], list: &[LobbyEntry]| {
            let new = list.iter().filter(|entry| !before.contains(entry));
            new.cloned().collect()
        };
        LobbyChange {
            gone: gone.collect(),
            open: new(&self.open, &next.open),
            playing: new(&self.playing, &next.playing),
        }
    }
}

impl LobbyChange {
    /// Returns true if it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.open.is_empty() && self.playing.is_empty()
    }
}

impl LobbyEntry {
    /// Returns true if a bot or a program has a seat.
    #[must_use]
    pub fn has_program(&self) -> bool {
        let players = [Some(&self.creator), self.joiner.as_ref()];
        let mut players = players.into_iter().flatten();
        players.any(|player| !matches!(player, Player::Human { .. }))
    }

    /// Returns the key by which a list is ordered: matches between people first, then by round, age and code.
    #[must_use]
    pub fn rank(&self) -> (bool, u32, Reverse<Timestamp>, Code) {
        (
            self.has_program(),
            self.round,
            Reverse(self.created_at),
            self.code,
        )
    }
}

/// A match in the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyEntry {
    /// The match's short name.
    pub code: Code,
    /// The game's id.
    pub game: String,
    /// The first position.
    pub start: String,
    /// Its author.
    pub creator: Player,
    /// The opponent, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    /// The seat that moves first, or the one that chooses it.
    pub first: FirstMove,
    /// The time control.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// True if analysis is open during play; a joining player agrees to it.
    pub learning: bool,
    /// True if a program may take the free seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub programs: bool,
    /// The instant of its creation.
    pub created_at: Timestamp,
    /// The number of older matches in the list that were made from the same address.
    #[serde(default, skip_serializing_if = "crate::message::is_first")]
    pub round: u32,
}
