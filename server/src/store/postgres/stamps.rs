//! The stamps of the tokens of guests that have renewed them.

use std::sync::Arc;

use fibfob_protocol::GuestId;
use tokio_postgres::Row;

use super::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use crate::identity::TokenStamp;
use crate::store::{AppendError, DataError, checksum};

/// The stamp of a guest.
pub(super) const STAMP: &str = "SELECT generation, nonce, sum FROM fibfob.guest WHERE id = $1";
/// The generations of these guests who have renewed their tokens.
pub(super) const GENERATIONS: &str = "SELECT id, generation FROM fibfob.guest WHERE id = ANY ($1)";
/// Stores a stamp in place of one of an earlier generation, or of itself.
const RENEW: &str = "INSERT INTO fibfob.guest AS stored (id, generation, nonce, sum)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE
     SET generation = excluded.generation, nonce = excluded.nonce, sum = excluded.sum
     WHERE stored.generation < excluded.generation
        OR (stored.generation = excluded.generation AND stored.nonce = excluded.nonce)
     RETURNING id";

/// The stamps of the first guests from an id on in the order of ids.
pub(super) const STAMPS: &str = "SELECT generation, nonce, sum, id FROM fibfob.guest
     WHERE id >= $1 ORDER BY id LIMIT $2";

/// The stamps of all guests.
pub(super) const ALL_STAMPS: &str = "SELECT generation, nonce, sum, id FROM fibfob.guest";

/// Reads the rows of [`STAMPS`].
pub(super) fn stamps(rows: &[Row]) -> Result<Vec<(GuestId, TokenStamp)>, PostgresError> {
    rows.iter().map(stamp_of_row).collect()
}

/// Reads a row of [`STAMPS`] or [`ALL_STAMPS`].
pub(super) fn stamp_of_row(row: &Row) -> Result<(GuestId, TokenStamp), PostgresError> {
    let guest = GuestId(row.try_get(3)?);
    Ok((guest, stamp(std::slice::from_ref(row), guest)?))
}

/// Reads the rows of [`STAMP`].
pub(super) fn stamp(rows: &[Row], guest: GuestId) -> Result<TokenStamp, PostgresError> {
    let Some(row) = rows.first() else {
        return Ok(TokenStamp::default());
    };
    let unreadable = |reason: &str| DataError::Unreadable {
        what: "the stamp of a guest's tokens",
        reason: reason.to_owned(),
    };
    let (generation, nonce, sum): (i64, i64, i64) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let generation = u32::try_from(generation).map_err(|_| unreadable("no such generation"))?;
    let stamp = TokenStamp {
        generation,
        nonce: nonce.cast_unsigned(),
    };
    match checksum::of_stamp(guest, stamp) == sum {
        true => Ok(stamp),
        false => Err(unreadable("its checksum differs").into()),
    }
}

/// Reads the rows of [`GENERATIONS`].
pub(super) fn generations(rows: &[Row]) -> Result<Vec<(GuestId, u32)>, PostgresError> {
    let renewed = |row: &Row| {
        let generation: i64 = row.try_get(1)?;
        let generation = u32::try_from(generation).unwrap_or(u32::MAX);
        Ok((GuestId(row.try_get(0)?), generation))
    };
    rows.iter().map(renewed).collect()
}

/// Stores a stamp, unless another one is there that is not earlier. A row that is not what was
/// written is left as it is.
pub(super) async fn renew(
    lane: &Arc<Lane>,
    guest: GuestId,
    renewed: TokenStamp,
) -> Result<Result<(), AppendError>, PostgresError> {
    let stored = stamp(&lane.read(STAMP, &[&guest.0]).await?, guest)?;
    match stored.renewed_by(renewed) {
        None => return Ok(Err(AppendError::Conflict)),
        Some(stamp) if stamp == stored => return Ok(Ok(())),
        Some(_) => {}
    }
    let generation = i64::from(renewed.generation);
    let nonce = renewed.nonce.cast_signed();
    let sum = checksum::of_stamp(guest, renewed);
    let parameters: Parameters<'_> = &[&guest.0, &generation, &nonce, &sum];
    let rows = lane.write(RENEW, parameters).await?;
    Ok(match rows.is_empty() {
        true => Err(AppendError::Conflict),
        false => Ok(()),
    })
}
