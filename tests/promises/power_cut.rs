//! Nothing acknowledged is lost in a power cut, whatever the disk has of that which was not flushed.

use fibfob_tests::power_cut::{LostFlush, PowerCuts};
use fibfob_tests::program;

/// Stores of the usual run; the program `power-cut` opens any number.
const STATES: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_in_a_power_cut_unless_a_flush_is_forgotten() {
    let seed = rand::random();
    println!("more of it: cargo run -p fibfob-tests --bin power-cut -- --seed {seed}");
    let cuts = PowerCuts::record(&program("power-cut"), seed).await;
    let report = cuts.examine(STATES).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "see the report above");
    assert!(report.flushes > 200 && report.acknowledged > 1_000 && report.with_more > 0);
    for lost in [
        LostFlush::Store,
        LostFlush::Log,
        LostFlush::Folder,
        LostFlush::ForgottenList,
        LostFlush::Copies,
        LostFlush::Creation,
    ] {
        let report = cuts.clone().without(lost).examine(STATES).await;
        let states = report.states;
        assert_eq!(report.violations.len(), 1, "{lost:?} is not noticed");
        println!(
            "{lost:?}: noticed after {states} states: {}",
            report.violations[0]
        );
    }
}
