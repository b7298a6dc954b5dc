//! The engine on real databases, which are killed, frozen and promoted. The contract's own tests
//! run on it too.

mod formats;
mod logs;
mod maintenance;
mod race;
mod standby;
mod start;

use std::time::Duration;

use fibfob_protocol::{Event, GuestId, MatchId, Record, Seat, Timestamp, Version};
use fibfob_store::{AppendError, Beat, Engine, FailureKind, Sign, Store, StoreError, stored_text};
use fibfob_store_contract::{index_row, joined, new_match};
use fibfob_test_postgres::Database;

use super::*;
use crate::limits::{ABANDONED_WRITES_MAX, HANDSHAKE_WITHIN, STATEMENT_WITHIN};

/// The longest wait of a test. Generous: machines are shared, and no test measures time.
const WAIT_MAX: Duration = Duration::from_secs(60);

async fn with_bound<T>(work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(WAIT_MAX, work).await;
    done.expect("it ends in time")
}

fn url(database: &Database) -> PostgresUrl {
    database.url().parse().unwrap()
}

/// An engine on a database without a standby.
async fn open(database: &Database) -> Postgres {
    Postgres::open(&url(database), true).await.unwrap()
}

/// A connector to a database without a standby.
fn connector(url: &str) -> Connector {
    Connector::new(&url.parse().unwrap(), true)
}

/// Waits until an engine has recovered by itself.
async fn until_ready(engine: &Postgres) {
    with_bound(async {
        while engine.ready().await.is_err() {
            sleep(RECOVERY_PAUSE).await;
        }
    })
    .await;
}

/// A record that changes nothing in the index.
fn note(version: u64) -> Record {
    Record {
        version: Version(version),
        at: Timestamp(version),
        command: None,
        event: Event::Resigned {
            seat: Seat::Creator,
        },
    }
}
