//! Single values of a row, and the errors of those that are not what was written.

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::DataError;
use rusqlite::Row;
use uuid::Uuid;

use super::error::SqliteError;

/// Reads a time, or none.
pub(super) fn timestamp(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    Ok(millis.map(|millis| Timestamp(u64::try_from(millis).unwrap_or_default())))
}

/// Reads a version; one that no record can have reads as zero.
pub(super) fn version(row: &Row<'_>, column: usize) -> Result<Version, SqliteError> {
    let version: i64 = row.get(column)?;
    Ok(Version(u64::try_from(version).unwrap_or_default()))
}

pub(super) fn match_id(bytes: Vec<u8>) -> Result<MatchId, DataError> {
    match Uuid::from_slice(&bytes) {
        Ok(id) => Ok(MatchId(id)),
        Err(error) => Err(DataError::Unreadable {
            what: "a match id",
            reason: error.to_string(),
        }),
    }
}
