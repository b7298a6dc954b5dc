//! A match without a server while somebody sets the clock of the machine.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// By how many seconds the clock is wrong, one after the other.
const STEPS: [i64; 4] = [45, -45, 3_600, -3_600];
/// The player's time for the match, in milliseconds, and what a move may cost of it on a busy machine.
const TIME_MS: u64 = 60_000;
const MOVE_MS_MAX: u64 = 14_000;
/// How long the player thinks about each move.
const THINKS_MS: u64 = 100;

#[test]
fn a_machine_whose_clock_is_set_neither_ends_a_match_nor_stops_its_clock() {
    let folder = tempfile::tempdir().unwrap();
    let [step, library] = ["step", "clock_step.so"].map(|name| folder.path().join(name));
    fs::write(&step, "0").unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clock_step.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library);
    let built = compiler.args([source, "-ldl"]).status();
    assert!(built.expect("a C compiler").success());

    let mut program = Command::new(env!("CARGO_BIN_EXE_fibfob"))
        .args(["play", "--bot", "novice", "--offline", "--json"])
        .args(["--game", "nim", "--start", "50,50,50", "--time", "1m"])
        .env("FIBFOB_DATA", folder.path())
        .env("CLOCK_STEP", &step)
        .env("LD_PRELOAD", &library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut until_turn = || loop {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let state = &line["state"];
        assert_ne!(state["phase"], "over", "{line}");
        if state["turn"] == "creator" {
            return state.clone();
        }
    };
    let first = until_turn();
    let mut play = |state: &Value| {
        writeln!(input, "{}", state["legal"][0].as_str().unwrap()).unwrap();
        until_turn()
    };

    // No clock runs before the first move.
    let mut state = play(&first);
    let mut left_ms = TIME_MS;
    for seconds in STEPS {
        fs::write(&step, seconds.to_string()).unwrap();
        sleep(Duration::from_millis(THINKS_MS));
        state = play(&state);
        let now_ms = state["clocks"]["creator_ms"].as_u64().unwrap();
        let cost_ms = left_ms - now_ms;
        assert!(
            (THINKS_MS..MOVE_MS_MAX).contains(&cost_ms),
            "{seconds} s: {cost_ms} ms"
        );
        left_ms = now_ms;
    }
    program.kill().unwrap();
    program.wait().unwrap();
}
