//! One hostile address costs others neither places, memory, nor time: the attack test at a small
//! size. `cargo run --release --bin attack` is the long run.

use std::time::Duration;

use fibfob_tests::attack::{AttackKind, AttackPlan, AttackReport, attack};
use fibfob_tests::{allow_connections, skipped};

/// The memory that a short attack may add to the server, in KiB; the first review of a game builds
/// its tables, and each connection has its buffers.
const ADDED_KIB_MAX: u64 = 96 * 1024;

/// The stated ceiling of the server's memory, in KiB (SECURITY.md).
const CEILING_KIB: u64 = 1_536 * 1024;
/// The memory that each connection of an attacker may add to the server, in KiB: the stated estimate
/// of a connection, a match with its log, and answers that nobody reads.
const CONNECTION_KIB_MAX: u64 = 192;

/// A short attack, in which two honest people can play.
async fn attacked(kind: AttackKind, clients: usize) -> AttackReport {
    attacked_with(kind, clients, &[]).await
}

/// The same, on a server with these options.
async fn attacked_with(kind: AttackKind, clients: usize, options: &[&str]) -> AttackReport {
    let report = attack(&AttackPlan {
        options: options.iter().map(ToString::to_string).collect(),
        kind,
        quiet: Duration::from_secs(1),
        time: Duration::from_secs(3),
        clients,
        program: None,
        realtime: false,
    })
    .await;
    println!("{}\n{report}", AttackReport::HEAD);
    assert_eq!(report.attacked.failures, 0, "no honest match is cut off");
    assert!(report.attacked.moves() > 10, "honest people go on playing");
    let added = report.peak_kib.saturating_sub(report.quiet_kib);
    assert!(added < ADDED_KIB_MAX, "{added} KiB were added");
    report
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_makes_a_bounded_number_of_matches() {
    let report = attacked(AttackKind::Creates, 32).await;
    assert!(report.refused > 0, "the bound was reached");
    // Those that may wait for a player; the ones of a bot or of two would be twice as many at once.
    assert!(report.made <= 64, "{} matches were made", report.made);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_holds_a_bounded_number_of_connections() {
    let report = attacked(AttackKind::Connections, 32).await;
    assert!(report.refused > 0, "the bound was reached");
    assert!(report.held <= 256, "{} connections were held", report.held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_sent_a_bounded_number_of_bytes() {
    // A slow machine reaches these bounds, too: 400 KiB a second, and 1.6 MiB at once.
    let options = ["--messages-per-address", "50"];
    for kind in [AttackKind::Resumes, AttackKind::Pages] {
        let report = attacked_with(kind, 16, &options).await;
        assert!(report.refused_for_bytes > 0, "the bound was reached");
        // The burst, the rate, and what is under way when the bound is reached.
        let most = 400 * 1024 * (4 + report.seconds.ceil() as u64) + 2 * 1024 * 1024;
        assert!(report.bytes <= most, "{} bytes were sent", report.bytes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reviews_of_an_address_are_bounded_and_the_bot_goes_on() {
    // A slow machine reaches the bound, too.
    let options = ["--messages-per-address", "50"];
    let report = attacked_with(AttackKind::Thinking, 32, &options).await;
    assert!(report.refused > 0, "the bound was reached");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_cannot_hide_an_honest_match_in_the_lobby() {
    let report = attacked(AttackKind::Lobby, 32).await;
    assert!(report.made > 16, "only {} matches were made", report.made);
    assert!(report.listed, "the honest match is listed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_that_many_addresses_take_stays_below_the_stated_ceiling() {
    // Each of the addresses takes as many as one may have.
    if let Err(reason) = allow_connections(16 * 256) {
        return skipped(&reason);
    }
    let report = attack(&AttackPlan {
        options: Vec::new(),
        kind: AttackKind::Memory,
        quiet: Duration::from_secs(1),
        time: Duration::from_secs(6),
        clients: 16,
        program: None,
        realtime: false,
    })
    .await;
    println!("{}\n{report}", AttackReport::HEAD);
    assert_eq!(report.attacked.failures, 0, "no honest match is cut off");
    assert!(report.held >= 64, "{} connections were held", report.held);
    assert!(report.peak_kib < CEILING_KIB, "{} KiB", report.peak_kib);
    // An attack this short stays far from the ceiling; its share tells whether a long one would.
    let added = report.peak_kib.saturating_sub(report.quiet_kib);
    let most = report.held as u64 * CONNECTION_KIB_MAX;
    assert!(added < most, "{added} KiB for {} connections", report.held);
}
