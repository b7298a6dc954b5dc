//! A small run of each load against a real server, and against one that lies.

use std::process::{Command, Output};

use fibfob_tests::program;
use serde_json::Value;

/// Runs the program with these arguments.
fn load(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_fibfob-load"))
        .args(arguments)
        .args(["--server".as_ref(), program("fibfob-server").as_os_str()])
        .output();
    output.expect("the program runs")
}

/// The figures of a run that must succeed.
fn figures(arguments: &[&str]) -> Value {
    let output = load(&[arguments, &["--json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("the figures are JSON")
}

fn assert_positive(figures: &Value, names: &[&str]) {
    for name in names {
        let value = figures[name].as_f64();
        assert!(value.is_some_and(|value| value > 0.0), "{name}: {figures}");
    }
}

#[test]
fn play_measures_every_ply() {
    for (store, game) in [("sqlite", "fib-fob"), ("memory", "nim")] {
        let size = ["play", "--matches=4", "--plies=12", "--waves=2"];
        let found = figures(&[&size[..], &["--store", store, "--game", game]].concat());
        assert_eq!(found["plies"], 96.0);
        assert_positive(
            &found,
            &[
                "server_CPU_per_ply_µs",
                "bytes_per_ply_and_viewer_B",
                "latency_p99_ms",
                "server_memory_MiB",
            ],
        );
    }
}

#[test]
fn paced_keeps_the_rate() {
    let found = figures(&[
        "paced",
        "--matches=4",
        "--plies=10",
        "--waves=1",
        "--rate=80",
    ]);
    assert_eq!(found["plies"], 40.0);
    // Forty plies at eighty a second: the last one is due 39/80 s after the first.
    let time = found["time_s"].as_f64().unwrap();
    assert!(time >= 39.0 / 80.0, "{found}");
    assert_positive(&found, &["latency_p50_ms", "latency_p99_ms"]);
}

#[test]
fn watch_measures_every_delivered_frame() {
    let size = ["watch", "--spectators=10", "--plies=12", "--rate=50"];
    let found = figures(&size);
    assert_eq!(found["frames_delivered"], 144.0);
    assert_positive(
        &found,
        &[
            "server_CPU_per_frame_µs",
            "latency_alone_p99_ms",
            "latency_p99_ms",
        ],
    );
}

#[test]
fn idle_measures_connected_players() {
    let found = figures(&["idle", "--connections=40", "--seconds=1"]);
    assert_eq!(found["players"], 40.0);
    assert_positive(&found, &["server_memory_MiB", "opened_in_s"]);
}

#[test]
fn recover_reads_every_stored_match_again() {
    let found = figures(&["recover", "--stored=20", "--plies=3", "--game=nim"]);
    assert_eq!(found["matches_read_again"], 20.0);
    assert_eq!(found["events_stored"], 100.0);
    assert_positive(
        &found,
        &[
            "ready_after_ms",
            "memory_when_ready_MiB",
            "store_per_event_B",
        ],
    );
}

#[test]
fn a_match_has_more_plies_than_a_connection_may_send_at_once_by_default() {
    let found = figures(&[
        "play",
        "--matches=1",
        "--waves=1",
        "--plies=300",
        "--game=nim",
    ]);
    assert_eq!(found["plies"], 300.0);
}
