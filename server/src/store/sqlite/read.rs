//! Reading of the tables, which recognises values that are not what was written.

use fibfob_protocol::{MatchId, Record, Version};
use rusqlite::{Connection, OptionalExtension, Row};

use super::journal::{Tail, Tails, unknown_tail};
use super::row::{person_columns, whole};
use super::value::{match_id, timestamp, version};
use super::{SqliteError, checksum, chunk};
use crate::identity::ServerKey;
use crate::limits::{TAIL_PAUSE, TAIL_TRIES};
use crate::store::person::{entry_of, record_of};
use crate::store::{DataError, LobbyRow, SeatedPerson};

/// Reads the whole log of a match, in one transaction.
///
/// A record that is committed after its tail was read is in the file before the writer has noted
/// it: the log then seems to lack its end, and is read again.
pub(super) fn read_log(
    reader: &Connection,
    tails: &Tails,
    id: MatchId,
) -> Result<Vec<Record>, SqliteError> {
    for _ in 1..TAIL_TRIES {
        match read_log_once(reader, tails, id) {
            Err(SqliteError::Data(DataError::Truncated { .. })) => std::thread::sleep(TAIL_PAUSE),
            read => return read,
        }
    }
    read_log_once(reader, tails, id)
}

fn read_log_once(
    reader: &Connection,
    tails: &Tails,
    id: MatchId,
) -> Result<Vec<Record>, SqliteError> {
    // Before the transaction: what is moved from here on is then in a chunk.
    let (tail, unknown) = (tails.of(id), tails.unknown());
    let transaction = reader.unchecked_transaction()?;
    let indexed = indexed(reader, id)?;
    if unknown
        && !indexed
            .as_ref()
            .is_some_and(|row| row.is_whole_in_chunks(reader))
    {
        return Err(unknown_tail());
    }
    let mut records = Vec::new();
    each_record(
        reader,
        id,
        indexed.as_ref(),
        &tail.unwrap_or_default(),
        |record| {
            records.push(record);
            Ok::<_, SqliteError>(())
        },
    )?;
    // It has only read; nothing is lost whether it commits or not.
    drop(transaction);
    Ok(records)
}

/// The columns of a match's row that say where its log is.
pub(super) struct IndexedLog {
    pub number: i64,
    /// A version that the log has reached.
    pub version: Version,
    /// Whether the match is over or closed.
    pub finished: bool,
}

impl IndexedLog {
    /// Returns whether the log has reached its end, and all of it is in chunks.
    pub(super) fn is_whole_in_chunks(&self, reader: &Connection) -> bool {
        self.finished
            && chunk::end_of_chunks(reader, self.number).is_ok_and(|end| end >= self.version)
    }
}

/// Reads where the log of a match is; none if the match is not in the index.
pub(super) fn indexed(reader: &Connection, id: MatchId) -> Result<Option<IndexedLog>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT number, version, phase IN ('over', 'closed') FROM match WHERE id = ?1",
    )?;
    let mut rows = found.query([id.0.as_bytes().as_slice()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(IndexedLog {
        number: row.get(0)?,
        version: version(row, 1)?,
        finished: row.get(2)?,
    }))
}

/// Reads the newest version of a log; none of a match that does not exist.
pub(super) fn end_of_log(
    reader: &Connection,
    tails: &Tails,
    id: MatchId,
) -> Result<Option<Version>, SqliteError> {
    if let Some(end) = tails.end(id) {
        return Ok(Some(end));
    }
    let indexed = indexed(reader, id)?;
    indexed
        .map(|row| chunk::end_of_chunks(reader, row.number))
        .transpose()
}

/// Reads the persons that a match's row names; nobody without a row.
fn read_persons(reader: &Connection, id: MatchId) -> Result<Vec<SeatedPerson>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT creator, creator_name, joiner, joiner_name, persons_sum FROM match WHERE id = ?1",
    )?;
    let mut rows = found.query([id.0.as_bytes().as_slice()])?;
    match rows.next()? {
        Some(row) => Ok(person_columns(row, 0)?.persons(id)?),
        None => Ok(Vec::new()),
    }
}

/// Passes each record of a match's log to `visit` in order, as long as they are what was written
/// and none is missing.
pub(super) fn each_record<E: From<SqliteError>>(
    reader: &Connection,
    id: MatchId,
    indexed: Option<&IndexedLog>,
    tail: &Tail,
    mut visit: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let persons = read_persons(reader, id)?;
    let mut end = match indexed {
        Some(row) => chunk::each_record(reader, id, row.number, &persons, &mut visit)?,
        None => Version(0),
    };
    for seq in &tail.rows {
        let Some(record) = journaled(reader, id, &persons, *seq, end)? else {
            continue;
        };
        if record.version != end.next() {
            return Err(E::from(chunk::gap(record.version, end)));
        }
        end = record.version;
        visit(record)?;
    }
    let stored = indexed.map_or(tail.end, |row| row.version.max(tail.end));
    if end < stored {
        return Err(E::from(SqliteError::Data(DataError::Truncated {
            found: end,
            expected: stored,
        })));
    }
    Ok(())
}

/// Reads a record of the journal; none if it was moved and its version is not after `end`.
fn journaled(
    reader: &Connection,
    id: MatchId,
    persons: &[SeatedPerson],
    seq: i64,
    end: Version,
) -> Result<Option<Record>, SqliteError> {
    let sql = "SELECT match_id, version, record, sum FROM journal WHERE seq = ?1";
    let mut found = reader.prepare_cached(sql)?;
    let record = found.query_row([seq], |row| {
        Ok(if row.get_ref(0)?.as_blob()? == id.0.as_bytes() {
            read_journal_row(id, persons, end, row)
        } else {
            // The row was moved, and another match has its place.
            Ok(None)
        })
    });
    record.optional()?.transpose().map(Option::flatten)
}

fn read_journal_row(
    id: MatchId,
    persons: &[SeatedPerson],
    end: Version,
    row: &Row<'_>,
) -> Result<Option<Record>, SqliteError> {
    let (version, text) = verified_row(id, row)?;
    if version <= end {
        return Ok(None);
    }
    let record = record_of(text, persons)?;
    if record.version == version {
        Ok(Some(record))
    } else {
        Err(DataError::Altered(version).into())
    }
}

/// Returns version and text of a row `_, version, record, sum`, if the checksum is right.
pub(super) fn verified_row<'row>(
    id: MatchId,
    row: &'row Row<'_>,
) -> Result<(Version, &'row str), SqliteError> {
    let version = version(row, 1)?;
    let text = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
    if row.get::<_, i64>(3)? == checksum::of_record(id, version, text) {
        Ok((version, text))
    } else {
        Err(DataError::Altered(version).into())
    }
}

/// Reads the lobby's rows of one phase, newest first.
pub(super) fn read_lobby_rows(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT id, expires_at, lobby, creator, creator_name, joiner, joiner_name, persons_sum
         FROM match WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((phase, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?)?;
        let persons = person_columns(row, 3)?.persons(id)?;
        let text = row.get_ref(2)?.as_str().unwrap_or_default();
        let entry = entry_of(text, &persons)?;
        let lobby_row = match timestamp(row, 1)? {
            Some(expires_at) => LobbyRow::Open { expires_at, entry },
            None => LobbyRow::Playing { entry },
        };
        listed.push((id, lobby_row));
    }
    Ok(listed)
}

/// Reads the first matches after this one in the order of ids.
pub(super) fn read_match_ids(
    reader: &Connection,
    after: Option<MatchId>,
    limit: usize,
) -> Result<Vec<MatchId>, SqliteError> {
    let sql = "SELECT id FROM match WHERE id > ?1 ORDER BY id LIMIT ?2";
    let mut found = reader.prepare_cached(sql)?;
    // No id is shorter than another one.
    let after = after.map_or_else(Vec::new, |id| id.0.as_bytes().to_vec());
    let mut rows = found.query((after, whole(limit as u64)))?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(match_id(row.get(0)?)?);
    }
    Ok(ids)
}

/// Reads the key that signs tokens. Another one than was written would make every token invalid.
pub(super) fn read_key(reader: &Connection) -> Result<ServerKey, SqliteError> {
    let sql = "SELECT key, sum FROM server_key";
    let (bytes, sum): (Vec<u8>, i64) =
        reader.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let unreadable = |reason| DataError::Unreadable {
        what: "a server key",
        reason,
    };
    let key = ServerKey::from_bytes(&bytes)
        .ok_or_else(|| unreadable(format!("it has {} bytes", bytes.len())))?;
    if checksum::of_key(&key) == sum {
        Ok(key)
    } else {
        Err(unreadable("its checksum differs".to_owned()).into())
    }
}
