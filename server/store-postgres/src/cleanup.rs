//! Removes what nobody reads any more, in the background: some of a table's pages at a time, so that
//! a start waits for none of it, however much there is.

use std::sync::Arc;

use fibfob_protocol::millis;
use fibfob_store::{warn_seldom, whole};
use tokio::time::sleep;
use tokio_postgres::types::ToSql;

use super::error::PostgresError;
use super::lane::Lane;
use super::notes;
use crate::limits::{
    CLEANED_EVERY, CLEANED_PAGES, CLEANING_PAUSE, RECONNECT_PAUSE_MAX, SERVER_FORGOTTEN_AFTER,
};

const PAGES: &str =
    "SELECT pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint";
/// Removes servers without a sign of life for a while, from a range of pages.
const OLD_SERVERS: &str =
    "DELETE FROM fibfob.server WHERE ctid >= $1::text::tid AND ctid < $2::text::tid
         AND beat_at < fibfob.now() - $3";
/// Removes ended notes, and notes of some kinds that end with the server they name, from a range of pages.
const OLD_NOTES: &str = "DELETE FROM fibfob.note
     WHERE ctid >= $1::text::tid AND ctid < $2::text::tid AND (until <= fibfob.now()
         OR (until IS NULL AND kind = ANY ($3) AND name NOT IN (SELECT id::text FROM fibfob.server)))";

/// Cleans up at the start and regularly from then on.
pub(super) async fn run(lane: Arc<Lane>) {
    let age = whole(millis(SERVER_FORGOTTEN_AFTER));
    let kinds = notes::passing_kinds();
    // Servers come first, so that the notes of removed ones go in the same pass.
    let old: [(&str, &str, &(dyn ToSql + Sync)); 2] = [
        ("fibfob.server", OLD_SERVERS, &age),
        ("fibfob.note", OLD_NOTES, &kinds),
    ];
    loop {
        for (table, statement, value) in old {
            while let Err(error) = clean(&lane, table, statement, value).await {
                warn_seldom!(table, %error, "cannot delete expired rows; retrying");
                sleep(RECONNECT_PAUSE_MAX).await;
            }
        }
        sleep(CLEANED_EVERY).await;
    }
}

async fn clean(
    lane: &Arc<Lane>,
    table: &'static str,
    statement: &'static str,
    value: &(dyn ToSql + Sync),
) -> Result<(), PostgresError> {
    let (_, rows) = lane.read(PAGES, &[&table]).await?;
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let (mut first, pages): (i64, i64) = (0, row.try_get(0)?);
    while first < pages {
        let next = first + CLEANED_PAGES;
        let place = |page| format!("({page},0)");
        lane.write(statement, &[&place(first), &place(next), value])
            .await?;
        first = next;
        sleep(CLEANING_PAUSE).await;
    }
    Ok(())
}
