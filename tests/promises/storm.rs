//! Nothing acknowledged or shown is lost and nothing counts twice, however often the server is
//! killed while commands fly.

use fibfob_tests::storm::{Plan, storm};

/// Rounds of the run that is part of all tests; `cargo run --bin storm` has as many as wanted.
const ROUNDS: u32 = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_or_shown_is_lost_and_nothing_counts_twice() {
    let seed = rand::random();
    println!(
        "repeat with: cargo run -p fibfob-tests --bin storm -- --rounds {ROUNDS} --seed {seed}"
    );
    let report = storm(Plan::new(seed, ROUNDS), |_, _| {}).await;
    println!("{report}");
    assert!(report.faults.is_empty(), "see the report above");
    assert_eq!(report.kills.len(), ROUNDS as usize);
    let (most, _) = report.in_flight();
    assert!(most >= 200, "several hundred commands fly at a kill");
    let stored: usize = report.kills.iter().map(|kill| kill.stored).sum();
    let flying: usize = report.kills.iter().map(|kill| kill.in_flight).sum();
    assert!(
        0 < stored && stored < flying,
        "kills meet commands before they are stored and after it"
    );
    assert!(report.resent > 0 && report.doubled > 0 && report.refused > 0);
    assert!(0 < report.over && report.over < report.matches);
}
