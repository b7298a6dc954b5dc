//! The trial of a database that has failed: whether it takes writes again.

use std::sync::Arc;

use tokio::time::sleep;

use super::connector::BARRIER;
use super::lane::Lane;
use super::writer::Written;
use crate::limits::RECOVERY_PAUSE;

/// Tries, as long as it is polled and writes fail.
pub(super) async fn run(lane: Arc<Lane>, written: Arc<Written>) {
    loop {
        sleep(RECOVERY_PAUSE).await;
        if written.health.check(std::time::Instant::now()).is_ok() {
            continue;
        }
        match lane.write(BARRIER, &[]).await {
            Ok(_) => written.succeeded(),
            Err(error) => written.failed(&error, 0),
        }
    }
}
