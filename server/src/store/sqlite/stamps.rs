//! The stamps of the tokens of guests that have renewed them.

use fibfob_protocol::GuestId;
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

use super::row::whole;
use super::{SqliteError, checksum};
use crate::identity::TokenStamp;
use crate::store::{AppendError, DataError};

/// Reads the stamp of a guest; the default one without a row.
pub(super) fn read(reader: &Connection, guest: GuestId) -> Result<TokenStamp, SqliteError> {
    let sql = "SELECT generation, nonce, sum FROM guest WHERE id = ?1";
    let mut found = reader.prepare_cached(sql)?;
    let found = found.query_row([guest.0.as_bytes().as_slice()], columns);
    let stamp = found.optional()?.map(|columns| checked(guest, columns));
    Ok(stamp.transpose()?.unwrap_or_default())
}

/// Reads the stamps of the first guests after this one in the order of ids.
pub(super) fn read_after(
    reader: &Connection,
    after: Option<GuestId>,
    limit: usize,
) -> Result<Vec<(GuestId, TokenStamp)>, SqliteError> {
    let sql = "SELECT generation, nonce, sum, id FROM guest WHERE id > ?1 ORDER BY id LIMIT ?2";
    let mut found = reader.prepare_cached(sql)?;
    let after = after.map_or_else(Vec::new, |guest| guest.0.as_bytes().to_vec());
    let mut rows = found.query((after, whole(limit as u64)))?;
    let mut stamps = Vec::new();
    while let Some(row) = rows.next()? {
        let id = Uuid::from_slice(&row.get::<_, Vec<u8>>(3)?);
        let id = id.map_err(|error| DataError::Unreadable {
            what: "a guest's id",
            reason: error.to_string(),
        })?;
        let guest = GuestId(id);
        stamps.push((guest, checked(guest, columns(row)?)?));
    }
    Ok(stamps)
}

/// Writes a stamp in place of one of an earlier generation. An error undoes the transaction; a row
/// that is not what was written is left as it is.
pub(super) fn renew(
    connection: &Connection,
    guest: GuestId,
    stamp: TokenStamp,
) -> Result<Result<(), AppendError>, SqliteError> {
    let stored = match read(connection, guest) {
        Err(SqliteError::Data(error)) => {
            tracing::warn!(%guest, %error, "a guest's token cannot be renewed");
            return Ok(Err(AppendError::Unknown));
        }
        stored => stored?,
    };
    let Some(stamp) = stored.renewed_by(stamp) else {
        return Ok(Err(AppendError::Conflict));
    };
    if stamp == stored {
        return Ok(Ok(()));
    }
    let sql = "INSERT OR REPLACE INTO guest (id, generation, nonce, sum) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute((
        guest.0.as_bytes().as_slice(),
        stamp.generation,
        stamp.nonce.cast_signed(),
        checksum::of_stamp(guest, stamp),
    ))?;
    Ok(Ok(()))
}

/// Counts the rows that are not what was written.
pub(super) fn count_damaged(reader: &Connection) -> Result<u64, SqliteError> {
    let mut found = reader.prepare_cached("SELECT generation, nonce, sum, id FROM guest")?;
    let mut rows = found.query([])?;
    let mut damaged = 0;
    while let Some(row) = rows.next()? {
        let guest = Uuid::from_slice(&row.get::<_, Vec<u8>>(3)?).map(GuestId);
        let read = guest.map(|guest| columns(row).map(|columns| checked(guest, columns)));
        damaged += u64::from(!matches!(read, Ok(Ok(Ok(_)))));
    }
    Ok(damaged)
}

/// Generation, nonce and checksum of a row.
fn columns(row: &Row<'_>) -> rusqlite::Result<(i64, i64, i64)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn checked(
    guest: GuestId,
    (generation, nonce, sum): (i64, i64, i64),
) -> Result<TokenStamp, DataError> {
    let unreadable = |reason: &str| DataError::Unreadable {
        what: "the stamp of a guest's tokens",
        reason: reason.to_owned(),
    };
    let generation = u32::try_from(generation).map_err(|_| unreadable("no such generation"))?;
    let stamp = TokenStamp {
        generation,
        nonce: nonce.cast_unsigned(),
    };
    match checksum::of_stamp(guest, stamp) == sum {
        true => Ok(stamp),
        false => Err(unreadable("its checksum differs")),
    }
}
