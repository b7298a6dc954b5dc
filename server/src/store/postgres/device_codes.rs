//! Codes that carry a guest to another device. Their table has no log of the database: a crash of it
//! ends them before their time.

use std::sync::Arc;

use fibfob_protocol::{CommandId, GuestId, Timestamp};
use tokio_postgres::Row;

use super::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use super::schema::{timestamp, whole};
use crate::identity::TokenStamp;
use crate::store::error::parsed;
use crate::store::{CodeDigest, StoredDeviceCode};

/// Keeps a code in place of the guest's one before, and removes those whose time is over.
const PUT: &str = "WITH over AS (
         DELETE FROM fibfob.device_code WHERE until <= fibfob.now() AND guest <> $1
     )
     INSERT INTO fibfob.device_code (guest, digest, generation, nonce, name, until)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (guest) DO UPDATE
     SET digest = excluded.digest, generation = excluded.generation, nonce = excluded.nonce,
         name = excluded.name, until = excluded.until, used_by = NULL, used_command = NULL";
/// Uses a code, unless another request has done so. By nobody it stays as it is.
const TAKE: &str = "UPDATE fibfob.device_code SET used_by = $2, used_command = $3
     WHERE digest = $1 AND until > $4
       AND (used_by IS NULL OR (used_by = $2 AND used_command = $3))
     RETURNING guest, generation, nonce, name, until";

/// Keeps a code.
pub(super) async fn put(lane: &Arc<Lane>, code: StoredDeviceCode) -> Result<(), PostgresError> {
    let (generation, nonce) = (
        i64::from(code.stamp.generation),
        code.stamp.nonce.cast_signed(),
    );
    let name = serde_json::to_string(&code.name).expect("a name is a string");
    let digest = code.digest.0.as_slice();
    let until = whole(code.until.0);
    let parameters: Parameters<'_> = &[&code.guest.0, &digest, &generation, &nonce, &name, &until];
    lane.write(PUT, parameters).await.map(drop)
}

/// Uses a code that is good at `now`.
pub(super) async fn take(
    lane: &Arc<Lane>,
    digest: CodeDigest,
    by: Option<(GuestId, CommandId)>,
    now: Timestamp,
) -> Result<Option<StoredDeviceCode>, PostgresError> {
    let (bytes, now) = (digest.0.as_slice(), whole(now.0));
    let guest = by.as_ref().map(|(guest, _)| guest.0);
    let command = by.as_ref().map(|(_, command)| command.as_str());
    let parameters: Parameters<'_> = &[&bytes, &guest, &command, &now];
    let rows = lane.write(TAKE, parameters).await?;
    rows.first().map(|row| code(row, digest)).transpose()
}

fn code(row: &Row, digest: CodeDigest) -> Result<StoredDeviceCode, PostgresError> {
    let (generation, nonce): (i64, i64) = (row.try_get(1)?, row.try_get(2)?);
    Ok(StoredDeviceCode {
        digest,
        guest: GuestId(row.try_get(0)?),
        stamp: TokenStamp {
            generation: u32::try_from(generation).unwrap_or_default(),
            nonce: nonce.cast_unsigned(),
        },
        name: parsed("a guest's name", row.try_get(3)?)?,
        until: timestamp(row.try_get(4)?),
    })
}
