//! The clock of this machine.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use fibfob_protocol::{Timestamp, millis};

use crate::app::clock::ServerClock;

/// This machine's clock at the first look, continued by elapsed time. Setting it later changes no match.
pub static CLOCK: LazyLock<ServerClock> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    ServerClock::new(Timestamp(since.map_or(0, millis)), Instant::now())
});

/// The present time.
pub fn now() -> Timestamp {
    CLOCK.now(Instant::now())
}

/// Waits until this time; for ever if there is none.
pub async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
