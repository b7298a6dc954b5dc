//! The clock of this machine.

use std::time::{Instant, SystemTime};

use fibfob_protocol::{Timestamp, millis};

/// The present time; a clock before 1970 stands still.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp(since.map_or(0, millis))
}

/// Waits until this time; for ever if there is none.
pub async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
