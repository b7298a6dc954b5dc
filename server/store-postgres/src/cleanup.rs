//! Removes what nobody reads any more, in the background: some of a table's pages at a time, so that
//! a start waits for none of it, however much there is.

use std::sync::Arc;

use fibfob_protocol::millis;
use fibfob_store::{warn_seldom, whole};
use tokio::time::sleep;

use super::error::PostgresError;
use super::lane::Lane;
use crate::limits::{
    CLEANED_EVERY, CLEANED_PAGES, CLEANING_PAUSE, RECONNECT_PAUSE_MAX, SERVER_FORGOTTEN_AFTER,
};

const PAGES: &str =
    "SELECT pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint";
/// Tables, and how the old rows are removed that lie between two pages of them. Servers come first: the
/// notes of those that are forgotten go with them.
const OLD: [(&str, &str); 2] = [
    (
        "fibfob.server",
        "DELETE FROM fibfob.server WHERE ctid >= $1::text::tid AND ctid < $2::text::tid
             AND beat_at < fibfob.now() - $3",
    ),
    (
        "fibfob.note",
        "DELETE FROM fibfob.note WHERE ctid >= $1::text::tid AND ctid < $2::text::tid
             AND $3::bigint > 0 AND (until <= fibfob.now()
                 OR (kind IN (2, 3) AND name NOT IN (SELECT id::text FROM fibfob.server)))",
    ),
];

/// Cleans up at the start and regularly from then on.
pub(super) async fn run(lane: Arc<Lane>) {
    loop {
        for (table, statement) in OLD {
            while let Err(error) = clean(&lane, table, statement).await {
                warn_seldom!(table, %error, "old rows stay in the database for now");
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
) -> Result<(), PostgresError> {
    let (_, rows) = lane.read(PAGES, &[&table]).await?;
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let (mut first, pages): (i64, i64) = (0, row.try_get(0)?);
    let age = whole(millis(SERVER_FORGOTTEN_AFTER));
    while first < pages {
        let next = first + CLEANED_PAGES;
        let place = |page| format!("({page},0)");
        lane.write(statement, &[&place(first), &place(next), &age])
            .await?;
        first = next;
        sleep(CLEANING_PAUSE).await;
    }
    Ok(())
}
