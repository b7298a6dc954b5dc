//! The soak test at a small size. `cargo run --release --bin soak` is the long run.

use std::time::Duration;

use fibfob_tests::crash_test::{CrashTestPlan, Sample, SoakPlan, SoakReport, soak};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_server_ends_no_connection_and_keeps_nothing_of_clients_that_have_left() {
    let plan = SoakPlan {
        clients: CrashTestPlan {
            guests: 12,
            watchers: 4,
            ..CrashTestPlan::new(1, 0)
        },
        time: Duration::from_secs(6),
        every: Duration::from_millis(500),
    };
    let report = soak(plan, |sample| println!("{sample:?}")).await;
    assert_eq!(report.connections, report.planned_connections);
    let busy = report.busy.last().unwrap();
    assert!(busy.answers > 200, "clients play: {busy:?}");
    assert!(busy.descriptors as u64 > report.connections);
    assert!(busy.descriptors as u64 - report.rested.descriptors as u64 >= report.connections);
}

#[test]
fn growing_memory_is_found_and_noise_is_not_taken_for_it() {
    let report = |memory: fn(u64) -> u64| SoakReport {
        busy: (0..100)
            .map(|at| Sample {
                memory_kib: memory(at),
                ..Sample::default()
            })
            .collect(),
        rested: Sample::default(),
        planned_connections: 0,
        connections: 0,
    };
    assert!(report(|at| 20_000 + 300 * (at % 2)).is_good());
    assert!(
        report(|at| if at < 20 { 90_000 } else { 20_000 }).is_good(),
        "warming up"
    );
    assert!(!report(|at| 20_000 + 20 * at).is_good());
}
