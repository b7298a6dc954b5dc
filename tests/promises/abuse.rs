//! Hostile addresses do not take more memory than the stated ceiling: the attack at a small size.
//! `cargo run --release --bin attack` is the long run.

use std::time::Duration;

use fibfob_tests::attack::attack;
use fibfob_tests::{allow_connections, skipped};

/// The stated ceiling of the server's memory, in KiB (SECURITY.md).
const CEILING_KIB: u64 = 1_536 * 1024;
/// The memory that each connection of an attacker may add to the server, in KiB: the stated estimate
/// of a connection, a match with its log, and answers that nobody reads.
const CONNECTION_KIB_MAX: u64 = 192;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_that_many_addresses_take_stays_below_the_stated_ceiling() {
    // Each of the addresses takes as many as one may have.
    if let Err(reason) = allow_connections(16 * 256) {
        return skipped(&reason);
    }
    let report = attack(16, Duration::from_secs(6)).await;
    println!("{report:?}");
    assert_eq!(report.failures, 0, "no honest match is cut off");
    assert!(report.moves > 0, "honest people go on playing");
    assert!(report.held >= 64, "{} connections were held", report.held);
    assert!(report.peak_kib < CEILING_KIB, "{} KiB", report.peak_kib);
    // An attack this short stays far from the ceiling; its share tells whether a long one would.
    let added = report.peak_kib.saturating_sub(report.quiet_kib);
    let most = report.held as u64 * CONNECTION_KIB_MAX;
    assert!(added < most, "{added} KiB for {} connections", report.held);
}
