//! One group of events into one transaction.

use rusqlite::{Connection, ErrorCode, Savepoint, TransactionBehavior, ffi};

use super::read::sum;
use super::row::{Row, whole};
use super::writer::Append;
use crate::store::AppendError;

/// One transaction. An append that meets another event undoes only itself; any other error
/// undoes everything.
pub(super) fn commit(
    connection: &mut Connection,
    batch: &[Append],
) -> rusqlite::Result<Vec<Result<(), AppendError>>> {
    let mut change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(batch.len());
    for append in batch {
        let single = change.savepoint()?;
        let outcome = insert(&single, append)?;
        if outcome.is_ok() {
            single.commit()?;
        } else {
            // Dropped without a commit, the savepoint takes back what it has written.
            drop(single);
        }
        outcomes.push(outcome);
    }
    change.commit()?;
    Ok(outcomes)
}

fn insert(single: &Savepoint<'_>, append: &Append) -> rusqlite::Result<Result<(), AppendError>> {
    let id = append.id.0.as_bytes().as_slice();
    let event = single
        .prepare_cached(
            "INSERT INTO event (match_id, version, record, sum) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((
            id,
            whole(append.version.0),
            &append.record,
            sum(append.id, append.version, &append.record),
        ));
    if violates_uniqueness(&event) {
        return Ok(Err(AppendError::Conflict));
    }
    event?;
    let Some(listing) = &append.listing else {
        return Ok(Ok(()));
    };
    let new = Row::of(listing);
    let row = single
        .prepare_cached(
            "INSERT INTO match (id, code, phase, created_at, expires_at, lobby)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE
             SET phase = excluded.phase, expires_at = excluded.expires_at, lobby = excluded.lobby",
        )?
        .execute((
            id,
            &new.code,
            &new.phase,
            new.created_at,
            new.expires_at,
            new.lobby(),
        ));
    if violates_uniqueness(&row) {
        return Ok(Err(AppendError::CodeTaken));
    }
    row.map(|_| Ok(()))
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
