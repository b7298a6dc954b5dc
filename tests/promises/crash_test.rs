//! Nothing acknowledged or shown is lost and nothing counts twice, however often the server is
//! killed while commands are in flight.

use fibfob_tests::crash_test::{CrashTestPlan, cluster_crash_test, crash_test, patroni_crash_test};

/// Rounds of the usual run; the program `crash-test` takes any number.
const ROUNDS: u32 = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_or_shown_is_lost_and_nothing_counts_twice() {
    killed_again_and_again(ROUNDS).await;
}

async fn killed_again_and_again(rounds: u32) {
    let seed = rand::random();
    println!(
        "repeat with: cargo run -p fibfob-tests --bin crash-test -- --rounds {rounds} --seed {seed}"
    );
    let report = crash_test(CrashTestPlan::new(seed, rounds), |_, _| {}).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "see the report above");
    assert_eq!(report.kills.len(), rounds as usize);
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

/// The rounds of the cluster's test, each with all kinds of failures; the program `crash-test` takes
/// any number.
const CLUSTER_ROUNDS: u32 = 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_in_a_cluster_whose_servers_and_database_are_killed() {
    cluster_killed(CLUSTER_ROUNDS).await;
}

async fn cluster_killed(rounds: u32) {
    let seed = rand::random();
    println!(
        "more of it: cargo run -p fibfob-tests --bin crash-test -- --cluster --rounds 5 --seed {seed}"
    );
    let plan = CrashTestPlan::of_cluster(seed, rounds);
    let report = cluster_crash_test(plan, |failure| println!("{failure}")).await;
    println!("{report}");
    assert!(report.report.violations.is_empty(), "see the report above");
    assert!(report.report.acknowledged > 1_000 && report.report.over > 0);
}

/// Longer runs, and those that need Patroni and etcd: in `tests/run all` only.
mod extended {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_in_many_kills() {
        killed_again_and_again(5 * ROUNDS).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_in_a_cluster_over_several_rounds() {
        cluster_killed(2 * CLUSTER_ROUNDS).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_or_doubled_when_patroni_promotes_another_database() {
        let seed = rand::random();
        println!(
            "more of it: cargo run -p fibfob-tests --bin crash-test -- --patroni --rounds 5 --seed {seed}"
        );
        let plan = CrashTestPlan::of_patroni(seed, CLUSTER_ROUNDS);
        let report = patroni_crash_test(plan, |failure| println!("{failure}")).await;
        println!("{report}");
        assert!(report.report.violations.is_empty(), "see the report above");
        assert!(report.report.acknowledged > 300 && report.report.over > 0);
    }
}
