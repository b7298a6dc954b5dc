//! Nothing acknowledged or shown is lost and nothing counts twice, however often the server is
//! killed while commands are in flight.

use fibfob_tests::crash_test::{CrashTestPlan, crash_test};

/// Rounds of the run that is part of all tests; the program `crash-test` takes any number.
const ROUNDS: u32 = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_or_shown_is_lost_and_nothing_counts_twice() {
    let seed = rand::random();
    println!(
        "repeat with: cargo run -p fibfob-tests --bin crash-test -- --rounds {ROUNDS} --seed {seed}"
    );
    let report = crash_test(CrashTestPlan::new(seed, ROUNDS), |_, _| {}).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "see the report above");
    assert_eq!(report.kills.len(), ROUNDS as usize);
    let (most, _) = report.in_flight();
    assert!(
        most >= 200,
        "several hundred commands are in flight at a kill"
    );
    let stored: usize = report.kills.iter().map(|kill| kill.stored).sum();
    let in_flight: usize = report.kills.iter().map(|kill| kill.in_flight).sum();
    assert!(
        0 < stored && stored < in_flight,
        "kills meet commands before they are stored and after it"
    );
    assert!(report.resent > 0 && report.doubled > 0 && report.refused > 0);
    assert!(0 < report.over && report.over < report.matches);
    assert!(
        report.charges_over_restarts > 0,
        "kills meet running clocks"
    );
}
