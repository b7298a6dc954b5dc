//! The columns of a match's row in an engine's index.

use fibfob_protocol::MatchId;
use serde::Serialize;
use serde_json::Value;

use super::index_row::{IndexRow, LobbyRow};
use super::person::{PersonColumns, without_persons};

/// The columns of `match` that an index row says.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct MatchColumns {
    /// The code.
    pub code: String,
    /// The name of the phase.
    pub phase: String,
    /// The instant of the first event, in milliseconds.
    pub created_at: i64,
    /// The instant at which an open match closes by itself, in milliseconds.
    pub expires_at: Option<i64>,
    /// The persons who sit there.
    #[serde(flatten)]
    pub persons: PersonColumns,
    /// The lobby's entry without its persons.
    pub lobby: Option<Value>,
}

impl MatchColumns {
    /// The columns that store `row` of a match.
    pub fn of(id: MatchId, row: &IndexRow) -> Self {
        Self {
            code: row.code.as_str().to_owned(),
            phase: row.phase.to_owned(),
            created_at: whole(row.created_at.0),
            expires_at: row.open_until.map(|until| whole(until.0)),
            persons: PersonColumns::of(id, &row.seated),
            lobby: row.lobby.as_ref().map(|lobby| match lobby {
                LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry } => {
                    without_persons(entry)
                }
            }),
        }
    }

    /// Returns the text of the column `lobby`.
    pub fn lobby_text(&self) -> Option<String> {
        self.lobby.as_ref().map(Value::to_string)
    }

    /// Returns the name of the first column that differs from `other`.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let (persons, others) = (&self.persons, &other.persons);
        [
            ("code", self.code != other.code),
            ("phase", self.phase != other.phase),
            ("created_at", self.created_at != other.created_at),
            ("expires_at", self.expires_at != other.expires_at),
            ("creator", persons.creator != others.creator),
            ("joiner", persons.joiner != others.joiner),
            ("persons_sum", persons != others),
            ("lobby", self.lobby != other.lobby),
        ]
        .into_iter()
        .find_map(|(column, differs)| differs.then_some(column))
    }
}

/// Converts to the signed integers of databases; times and versions never come near the bound.
pub fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
