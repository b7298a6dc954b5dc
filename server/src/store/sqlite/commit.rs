//! The transaction of one group of appends.

use fibfob_protocol::{MatchId, Version};
use rusqlite::{Connection, ErrorCode, Savepoint, TransactionBehavior, ffi};

use tokio::sync::oneshot;

use super::read::checksum;
use super::row::{MatchColumns, whole};
use crate::store::{AppendError, IndexRow};

/// One event that waits for the writer.
pub(super) struct QueuedAppend {
    pub id: MatchId,
    pub version: Version,
    pub record: String,
    /// The match's index row, if it changes.
    pub row: Option<IndexRow>,
    pub reply: oneshot::Sender<Result<(), AppendError>>,
}

/// Commits a batch in one transaction. An append that meets another event undoes only itself; any
/// other error undoes the batch.
pub(super) fn commit(
    connection: &mut Connection,
    batch: &[QueuedAppend],
) -> rusqlite::Result<Vec<Result<(), AppendError>>> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(batch.len());
    for append in batch {
        let savepoint = transaction.savepoint()?;
        let outcome = insert(&savepoint, append)?;
        if outcome.is_ok() {
            savepoint.commit()?;
        } else {
            // Dropped without a commit, the savepoint takes back what it has written.
            drop(savepoint);
        }
        outcomes.push(outcome);
    }
    transaction.commit()?;
    Ok(outcomes)
}

fn insert(
    savepoint: &Savepoint<'_>,
    append: &QueuedAppend,
) -> rusqlite::Result<Result<(), AppendError>> {
    let id = append.id.0.as_bytes().as_slice();
    let event = savepoint
        .prepare_cached(
            "INSERT INTO event (match_id, version, record, sum) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((
            id,
            whole(append.version.0),
            &append.record,
            checksum(append.id, append.version, &append.record),
        ));
    if violates_uniqueness(&event) {
        return Ok(Err(AppendError::Conflict));
    }
    event?;
    let Some(row) = &append.row else {
        return Ok(Ok(()));
    };
    let columns = MatchColumns::of(row);
    let written = savepoint
        .prepare_cached(
            "INSERT INTO match (id, code, phase, created_at, expires_at, lobby)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE
             SET phase = excluded.phase, expires_at = excluded.expires_at, lobby = excluded.lobby",
        )?
        .execute((
            id,
            &columns.code,
            &columns.phase,
            columns.created_at,
            columns.expires_at,
            columns.lobby(),
        ));
    if violates_uniqueness(&written) {
        return Ok(Err(AppendError::CodeTaken));
    }
    written.map(|_| Ok(()))
}

fn violates_uniqueness(outcome: &rusqlite::Result<usize>) -> bool {
    matches!(
        outcome,
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error {
                code: ErrorCode::ConstraintViolation,
                extended_code: ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE,
            },
            _
        ))
    )
}
