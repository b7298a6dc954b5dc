//! Simulated runs of the whole server, in virtual time, with injected faults; a seed decides
//! everything.
//!
//! One run: one or several server processes on one store, their successors after crashes and
//! drains, and some clients on unreliable connections. Sessions, directory, matches, bots and
//! lobby are the server's own; the run puts in the sockets, the store's faults, the clock,
//! randomness and the order of all tasks. Nothing depends on the machine, so that a seed repeats
//! its run to the byte:
//!
//! ```text
//! FIBFOB_SEED=123 cargo test -p fibfob-simulation       one run, and its transcript if it fails
//! FIBFOB_SEEDS=100000 cargo test -p fibfob-simulation   a long test
//! ```
//!
//! The clients record their histories, and the history checker (`fibfob-history`) compares these
//! with the stored logs, as it does for the crash test.
//!
//! Decided by the seed: the clients' requests and pauses; the delay of each message, write, read
//! and computation; broken connections, with messages under way in either direction, noticed or
//! not; requests sent twice, on one connection or two; readers that stop reading; writes that
//! fail before or after they are durable, are never answered, or become durable long after their
//! caller gave up; crashes and drains of a server; the difference between the clocks of one
//! server and the next; and, at each step, the task that goes on.
//!
//! Not simulated: bytes on sockets and WebSocket frames (`server/tests`), SQLite (the store's
//! contract tests), a real kill (the crash test), threads at the same time (tasks share state
//! only through channels and short locks), and the order in which one task polls what it waits
//! for, which the code itself says.
//!
//! # Several processes
//!
//! With more than one process, each has its own clock, tasks, randomness and store faults over
//! one shared engine, and each is crashed, drained and paused by itself. A client is at any
//! of them after each reconnection. The hints between processes are delayed, doubled and lost.
//! Checked are the stored logs, the order and completeness of what each process shows, and the
//! answers: no event is lost, counted twice or shown in another order, and after quiescence every
//! viewer has seen every event.
//!
//! Not claimed yet: that nothing is overdue after quiescence, the lobby, presence, and the charge
//! of time.

mod client;
mod client_model;
mod connection;
mod environment;
mod network;
mod run;
mod scheduler;
mod seeded_rng;
mod store_faults;
mod transcript;
mod workload;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use fibfob_history::Coverage;

use transcript::Transcript;

thread_local! {
    /// The panics of this thread. The server catches those of its tasks, and none may be missed.
    static PANICS: Cell<u64> = const { Cell::new(0) };
}

/// One run to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// The source of everything that is random.
    pub seed: u64,
    /// The number of server processes, at least 1.
    pub processes: usize,
}

/// A run with a violation, or one that did not come to its end.
#[derive(Clone, Debug)]
pub struct FailedRun {
    /// The run.
    pub simulation: Simulation,
    /// The violations, or the panic.
    pub reason: String,
}

impl Simulation {
    /// A run of this seed with one server process.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let processes = 1;
        Self { seed, processes }
    }

    /// Simulates the run and adds to `coverage`. Returns a digest of everything that was sent,
    /// received and stored.
    ///
    /// # Errors
    /// The reason why the run failed.
    pub fn run(self, coverage: &Coverage) -> Result<u64, FailedRun> {
        self.run_with(coverage, &Transcript::new(false))
    }

    /// Simulates the run again and returns the transcript of it, and the failure if it fails
    /// again.
    #[must_use]
    pub fn transcribe(self) -> (String, Option<FailedRun>) {
        let transcript = Transcript::new(true);
        let failed = self.run_with(&Coverage::default(), &transcript).err();
        (transcript.text(), failed)
    }

    fn run_with(self, coverage: &Coverage, transcript: &Transcript) -> Result<u64, FailedRun> {
        count_panics();
        let before = PANICS.get();
        let result = catch_unwind(AssertUnwindSafe(|| {
            run::simulate(self, coverage.clone(), transcript.clone());
            assert_eq!(PANICS.get(), before, "a task of the server panicked");
        }));
        match result {
            Ok(()) => Ok(transcript.digest()),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let reason = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(FailedRun {
                    simulation: self,
                    reason: reason.unwrap_or_else(|| "a panic without a message".to_owned()),
                })
            }
        }
    }
}

/// Counts panics from now on, caught or not, and still reports them as before.
fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.set(PANICS.get() + 1);
            report(panic);
        }));
    });
}
