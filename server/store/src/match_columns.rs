//! The columns of a match's row in an engine's index.

use fibfob_protocol::{GuestId, LobbyEntry, Seat};

use super::{IndexRow, LobbyRow};

/// The columns of `match` that an index row says.
#[derive(Debug, PartialEq, Eq)]
pub struct MatchColumns {
    /// The code.
    pub code: String,
    /// The name of the phase.
    pub phase: String,
    /// The instant of the first event, in milliseconds.
    pub created_at: i64,
    /// The instant at which an open match closes by itself, in milliseconds.
    pub expires_at: Option<i64>,
    /// The guest in the creator's seat.
    pub creator: Option<GuestId>,
    /// The guest in the joiner's seat.
    pub joiner: Option<GuestId>,
    /// The entry in the lobby, if the match is listed there.
    pub entry: Option<LobbyEntry>,
}

impl MatchColumns {
    /// The columns that store `row`.
    pub fn of(row: &IndexRow) -> Self {
        let entry = match &row.lobby {
            Some(LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry }) => Some(entry),
            None => None,
        };
        let guest_in = |wanted| {
            let held = row.seated.iter().find(|(seat, _)| *seat == wanted);
            held.map(|(_, guest)| *guest)
        };
        Self {
            code: row.code.as_str().to_owned(),
            phase: row.phase.to_owned(),
            created_at: whole(row.created_at.0),
            expires_at: row.open_until.map(|until| whole(until.0)),
            creator: guest_in(Seat::Creator),
            joiner: guest_in(Seat::Joiner),
            entry: entry.cloned(),
        }
    }

    /// Returns the column `lobby`.
    pub fn lobby(&self) -> Option<String> {
        let entry = self.entry.as_ref();
        entry.map(|entry| serde_json::to_string(entry).expect("entries have string keys"))
    }

    /// Returns the name of the first column that differs from `other`.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            ("code", self.code != other.code),
            ("phase", self.phase != other.phase),
            ("created_at", self.created_at != other.created_at),
            ("expires_at", self.expires_at != other.expires_at),
            ("creator", self.creator != other.creator),
            ("joiner", self.joiner != other.joiner),
            ("lobby", self.entry != other.entry),
        ]
        .into_iter()
        .find_map(|(column, differs)| differs.then_some(column))
    }
}

/// Converts to the signed integers of databases; times and versions never come near the bound.
pub fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
