//! The row of a match in the table `match`.

use fibfob_protocol::LobbyEntry;
use rusqlite::Row;

use super::SqliteError;
use super::read::json;
use crate::store::{IndexRow, LobbyRow};

/// The columns of `match` except the id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MatchColumns {
    pub code: String,
    pub phase: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub entry: Option<LobbyEntry>,
}

impl MatchColumns {
    /// The columns that store `row`.
    pub(super) fn of(row: &IndexRow) -> Self {
        let (expires_at, entry) = match &row.lobby {
            Some(LobbyRow::Open { expires_at, entry }) => (Some(whole(expires_at.0)), Some(entry)),
            Some(LobbyRow::Playing { entry }) => (None, Some(entry)),
            None => (None, None),
        };
        Self {
            code: row.code.as_str().to_owned(),
            phase: row.phase.to_owned(),
            created_at: whole(row.created_at.0),
            expires_at,
            entry: entry.cloned(),
        }
    }

    /// Reads the columns `code, phase, created_at, expires_at, lobby`.
    pub(super) fn read(row: &Row<'_>) -> Result<Self, SqliteError> {
        let entry: Option<String> = row.get(4)?;
        Ok(Self {
            code: row.get(0)?,
            phase: row.get(1)?,
            created_at: row.get(2)?,
            expires_at: row.get(3)?,
            entry: entry
                .map(|entry| json("a lobby entry", &entry))
                .transpose()?,
        })
    }

    /// Returns the column `lobby`.
    pub(super) fn lobby(&self) -> Option<String> {
        let entry = self.entry.as_ref();
        entry.map(|entry| serde_json::to_string(entry).expect("entries have string keys"))
    }

    /// Returns the name of the first column that differs from `other`.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            ("code", self.code != other.code),
            ("phase", self.phase != other.phase),
            ("created_at", self.created_at != other.created_at),
            ("expires_at", self.expires_at != other.expires_at),
            ("lobby", self.entry != other.entry),
        ]
        .into_iter()
        .find_map(|(column, differs)| differs.then_some(column))
    }
}

/// Converts to SQLite's signed integers; times and versions never come near the bound.
pub(super) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
