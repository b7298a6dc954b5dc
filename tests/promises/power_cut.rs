//! Nothing acknowledged is lost in a power cut, whatever the disk has of that which was not flushed.

use fibfob_tests::power_cut::power_cuts;
use fibfob_tests::program;

/// Stores of the usual run; the program `power-cut` opens any number.
const STATES: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_in_a_power_cut() {
    let seed = rand::random();
    println!("more of it: cargo run -p fibfob-tests --bin power-cut -- --seed {seed}");
    let report = power_cuts(&program("power-cut"), STATES, seed).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "see the report above");
    assert!(report.flushes > 200 && report.acknowledged > 1_000 && report.with_more > 0);
}
