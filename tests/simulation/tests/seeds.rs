//! No simulated run of any seed violates a promise, and a seed repeats its run to the byte.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fibfob_history::Coverage;
use fibfob_simulation::{FailedRun, Simulation};

/// The runs of a test that names no other number.
const RUNS: u64 = 2_500;
/// The runs with several processes.
const RUNS_OF_SEVERAL: u64 = 300;
/// The numbers of processes that they have in turn.
const PROCESSES: [usize; 4] = [2, 3, 4, 5];
/// The runs at the same time.
const THREADS: usize = 2;
/// The seeds that are run twice.
const REPEATED: u64 = 20;

/// The counts that [`RUNS`] must reach: without one, that much less would be tested.
const SEEN: &[&str] = &[
    "crash",
    "crash during an append",
    "drain",
    "append met another writer",
    "append durable after it was given up",
    "snapshot",
    "won position kept by a perfect bot",
    "match with a winner",
    "watched lobby compared",
    "present match listed",
    "connection that broke unnoticed",
    "server waited for a reader",
    "closed with 1012",
    "event: created",
    "event: joined",
    "event: moved",
    "event: resigned",
    "event: withdrawn",
    "event: expired",
    "chat received",
    "loss on time checked against the uptime",
    "charge by a late server checked",
    "event: chosen",
    "event: timed-out",
    "event: first-move-missed",
    "event: claimed",
    "event: abandoned",
    "event: stopped",
    "event: takeback-offered",
    "event: taken-back",
    "event: takeback-declined",
    "event: resumed",
    "event: rematch-offered",
    "event: rematch-accepted",
    "refused: Stale",
    "refused: NotYourTurn",
    "refused: NotAPlayer",
    "refused: SeatTaken",
    "refused: Unavailable",
    "refused: ShuttingDown",
    "refused: TooFast",
    "refused: TooManyInFlight",
    "refused: FollowsTooMany",
    "refused: LeftMeanwhile",
];

/// The counts that the runs with several processes must reach.
const SEEN_OF_SEVERAL: &[&str] = &[
    "crash",
    "drain",
    "pause",
    "client of several processes",
    "append met another writer",
    "match with a winner",
];

/// Runs a failed seed again, for its transcript, and fails the test.
fn fail(failed: &FailedRun) -> ! {
    let FailedRun { simulation, reason } = failed;
    let (transcript, again) = simulation.transcribe();
    println!("{transcript}");
    assert!(
        again.is_some_and(|again| again.reason == *reason),
        "{simulation:?} does not fail the same way again: it depends on more than its seed"
    );
    panic!(
        "{simulation:?}: {reason}\nagain, with its transcript: \
         FIBFOB_SEED={} cargo test -p fibfob-simulation",
        simulation.seed
    );
}

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let value = text.parse().ok();
    Some(value.unwrap_or_else(|| panic!("{name}={text} is not a number")))
}

/// Runs these seeds, or the one of `FIBFOB_SEED`; returns whether all were run.
fn run_all(runs: Range<u64>, processes: &[usize], coverage: &Coverage) -> bool {
    let of_seed = |seed: u64| processes[seed as usize % processes.len()];
    if let Some(seed) = variable("FIBFOB_SEED") {
        let simulation = Simulation {
            seed,
            processes: of_seed(seed),
        };
        if let Err(failed) = simulation.run(coverage) {
            fail(&failed);
        }
        return false;
    }
    let seeds = variable("FIBFOB_SEEDS").map_or(runs.end, |seeds: u64| seeds * runs.end / RUNS);
    let (next, stop) = (AtomicU64::new(runs.start), AtomicBool::new(false));
    let failed: Mutex<Option<FailedRun>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= seeds {
                        return;
                    }
                    let simulation = Simulation {
                        seed,
                        processes: of_seed(seed),
                    };
                    if let Err(failure) = simulation.run(coverage) {
                        stop.store(true, Ordering::SeqCst);
                        failed.lock().unwrap().get_or_insert(failure);
                    }
                }
            });
        }
    });
    if let Some(failed) = &*failed.lock().unwrap() {
        fail(failed);
    }
    println!(
        "seeds {}..{seeds} of {processes:?}:\n{coverage}",
        runs.start
    );
    seeds >= runs.end
}

fn assert_seen(names: &[&str], coverage: &Coverage) {
    for name in names {
        assert!(coverage.get(name) > 0, "{name}: never in all runs");
    }
}

#[test]
fn no_run_violates_a_promise() {
    let coverage = Coverage::default();
    if run_all(0..RUNS, &[1], &coverage) {
        assert_seen(SEEN, &coverage);
    }
}

#[test]
fn several_processes_over_one_store_lose_double_and_reorder_no_event() {
    let coverage = Coverage::default();
    if run_all(0..RUNS_OF_SEVERAL, &PROCESSES, &coverage) {
        assert_seen(SEEN_OF_SEVERAL, &coverage);
    }
}

/// More seeds, in `tests/run all` only.
mod extended {
    use super::*;

    #[test]
    fn no_run_of_further_seeds_violates_a_promise() {
        run_all(RUNS..3 * RUNS, &[1], &Coverage::default());
    }

    #[test]
    fn several_processes_lose_double_and_reorder_no_event_of_further_seeds() {
        let further = RUNS_OF_SEVERAL..3 * RUNS_OF_SEVERAL;
        run_all(further, &PROCESSES, &Coverage::default());
    }
}

#[test]
fn a_seed_repeats_its_run_to_the_byte() {
    let digest = |seed, processes| {
        let simulation = Simulation { seed, processes };
        let digest = simulation.run(&Coverage::default());
        digest.unwrap_or_else(|failed| fail(&failed))
    };
    let mut digests = BTreeSet::new();
    for seed in 0..REPEATED {
        let processes = 1 + usize::from(seed % 4 == 3);
        let first = digest(seed, processes);
        assert_eq!(first, digest(seed, processes), "seed {seed}");
        assert!(
            digests.insert(first),
            "seed {seed} repeats another one's run"
        );
    }
}
