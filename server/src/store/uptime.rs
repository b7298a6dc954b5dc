//! The notes of a running server for the one after it: until when it ran, and who was away.

use fibfob_protocol::{MatchId, Seat, Timestamp};
use serde::{Deserialize, Serialize};

/// The notes as a start finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uptime {
    /// The newest instant at which a server on this store is known to have run; none for a new
    /// store.
    pub at: Option<Timestamp>,
    /// The absences at the last note of them.
    pub absences: Vec<NotedAbsence>,
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
