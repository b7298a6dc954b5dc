//! The notes of a running server for the one after it: until when it ran, and who was away.

use fibfob_protocol::{LastRun, MatchId, Seat, Timestamp};
use serde::{Deserialize, Serialize};

/// The notes as a start finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uptime {
    /// The newest instant at which a server on this store is known to have run; none for a new
    /// store.
    pub at: Option<Timestamp>,
    /// The instant at which the last server on this store began to run; none before the first.
    pub began: Option<Timestamp>,
    /// The absences at the last note of them.
    pub absences: Vec<NotedAbsence>,
}

impl Uptime {
    /// The last run of a server on this store, as far as it is known; none for a new store.
    pub fn last_run(&self) -> Option<LastRun> {
        let until = self.at?;
        let began = self.began.map_or(until, |began| began.min(until));
        Some(LastRun { began, until })
    }
}

/// A note of a running server.
#[derive(Clone, Debug)]
pub struct UptimeNote {
    /// The present instant.
    pub at: Timestamp,
    /// True for the first note of a server, which began then.
    pub begins: bool,
    /// The absences in place of those noted before, if they have changed.
    pub absences: Option<Vec<NotedAbsence>>,
}

/// The absence of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedAbsence {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The player's seat.
    pub seat: Seat,
    /// The time away before `since`, in milliseconds.
    pub away_ms: u64,
    /// The instant from which more time counts; none while the match is not in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}
