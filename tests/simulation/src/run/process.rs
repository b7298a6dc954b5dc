//! One server process of a run: its start, crash and drain, its clock, and its view of the store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fibfob_history::Coverage;
use fibfob_protocol::Timestamp;
use fibfob_server::limits::{DRAIN_WITHIN, STOP_WITHIN};
use fibfob_server::{Clock, Config, Randomness, Rate, Server, Tasks};
use fibfob_store::limits::SERVICE_GAP;
use fibfob_store::{Memory, Store};
use fibfob_store_contract::faulty::Faulty;
use rand::RngExt;
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::SimulationRun;
use crate::scheduler::{Host, Scheduler};
use crate::seeded_rng::SeededRng;
use crate::store_faults::StoreFaults;

/// The time at which every run starts.
const START: u64 = 1_795_176_000_000;
/// The longest time without a server, in milliseconds.
const DOWN_MS_MAX: u64 = 8_000;
/// The largest difference between the clocks of one server and the next, in milliseconds.
const CLOCK_SKEW_MS_MAX: u64 = 2_000;

/// A process: one server after the other, each on the same store.
pub(super) struct Process {
    number: usize,
    pub faults: StoreFaults,
    store: Store,
    pub config: Config,
    /// The milliseconds by which its clock is ahead.
    ahead: Arc<AtomicU64>,
    server: Mutex<Option<RunningServer>>,
}

/// A running server and its host.
#[derive(Clone)]
pub(super) struct RunningServer {
    pub server: Arc<Server>,
    pub host: Host,
}

/// The clock of a store that several servers share.
pub(super) fn store_clock() -> Clock {
    clock_ahead(Arc::new(AtomicU64::new(CLOCK_SKEW_MS_MAX)))
}

/// A clock that is ahead by so many milliseconds.
fn clock_ahead(ahead: Arc<AtomicU64>) -> Clock {
    let start = Instant::now();
    Clock::from_fn(move || {
        let passed = u64::try_from(start.elapsed().as_millis()).expect("hours, not ages");
        Timestamp(START + passed + ahead.load(Ordering::SeqCst))
    })
}

impl Process {
    pub(super) fn new(
        number: usize,
        memory: &Memory,
        scheduler: &Scheduler,
        abandoned_after: Duration,
        rng: SeededRng,
        coverage: Coverage,
    ) -> Self {
        let host = Host::Store(number);
        let faults = StoreFaults::new(host, scheduler.clone(), rng.fork(), coverage);
        let ahead = Arc::new(AtomicU64::new(CLOCK_SKEW_MS_MAX));
        let clock = clock_ahead(Arc::clone(&ahead));
        let mut bounds = Config::default().bounds;
        bounds.sweep_every = rng.millis(500..=20_000);
        let config = Config {
            bounds,
            abandoned_after,
            bot_pause: rng.mostly_short(3_000),
            idle_after: rng.millis(500..=60_000),
            open_for: rng.millis(5_000..=600_000),
            snapshot_after: rng.below(40) + 1,
            rate: match rng.permille(100) {
                true => Rate {
                    per_second: 2,
                    burst: 5,
                },
                false => Config::default().rate,
            },
            randomness: Randomness::seeded(rng.draw(RngExt::random)),
            clock,
            // Keys of push services are drawn by the operating system.
            push_services: Vec::new(),
            ..Config::default()
        };
        Self {
            number,
            store: Store::new(Faulty::new(memory.clone(), faults.clone())),
            faults,
            config,
            ahead,
            server: Mutex::new(None),
        }
    }

    /// The running server; none between a crash and the next start.
    pub(super) fn server(&self) -> Option<RunningServer> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<RunningServer>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host of its writes.
    pub(super) fn store_host(&self) -> Host {
        Host::Store(self.number)
    }
}

impl SimulationRun {
    pub(super) async fn start_server(&self, process: &Process) {
        let host = {
            let mut state = self.state();
            state.servers += 1;
            Host::Server(state.servers)
        };
        self.note(process, "starts");
        if self.clocks_differ {
            let ahead = self.rng.number(0..=2 * CLOCK_SKEW_MS_MAX);
            process.ahead.store(ahead, Ordering::SeqCst);
        }
        self.note_running(process, true);
        let tasks = Tasks::on(self.scheduler.executor(host, self.rng.fork()));
        let server = Server::start(process.store.clone(), &process.config, tasks).await;
        let server = Arc::new(server.expect("the store is read at the start"));
        *process.lock() = Some(RunningServer { server, host });
    }

    /// Notes that a process begins to run, or ends or stands still.
    pub(super) fn note_running(&self, process: &Process, runs: bool) {
        let mut state = self.state();
        if self.processes.len() == 1 {
            let now = process.config.clock.now();
            match runs {
                true => state.uptime.started(now),
                false => state.uptime.stopped(now),
            }
            return;
        }
        let now = self.clock.now();
        let gap = u64::try_from(SERVICE_GAP.as_millis()).expect("seconds");
        match (state.running, runs) {
            (0, true) => state.uptime.started_within(gap, now),
            (1, false) => state.uptime.stopped(now),
            _ => {}
        }
        state.running = match runs {
            true => state.running + 1,
            false => state.running - 1,
        };
    }

    fn note(&self, process: &Process, what: &str) {
        let number = self.state().servers;
        let text = format!("process {} {what}", process.number);
        self.transcript.note("server", number, &text);
    }

    /// Ends a server from one instant to the next.
    pub(super) async fn crash(&self, process: &Process) {
        if self.rng.permille(500) {
            self.until_something_is_written(process).await;
        }
        let Some(RunningServer { host, .. }) = process.lock().take() else {
            return;
        };
        self.note(process, "crashes");
        self.coverage.count("crash");
        if self.scheduler.running_on(process.store_host()) > 0 {
            self.coverage.count("crash during an append");
        }
        self.scheduler.kill(host);
        self.note_running(process, false);
        // An unfinished write is lost, or becomes durable all the same.
        if self.rng.permille(700) {
            self.scheduler.kill(process.store_host());
        }
        sleep(self.rng.mostly_short(DOWN_MS_MAX)).await;
        self.start_server(process).await;
    }

    /// Drains a server, and starts another one in its place.
    pub(super) async fn restart(&self, process: &Process) {
        let Some(RunningServer { server, host }) = process.server() else {
            return;
        };
        self.note(process, "drains");
        self.coverage.count("drain");
        let start = Instant::now();
        let ended = server.drain(&TaskTracker::new()).await;
        assert!(
            start.elapsed() <= DRAIN_WITHIN + STOP_WITHIN,
            "a drain is bounded"
        );
        if ended {
            let left = self.scheduler.running_on(host);
            assert_eq!(left, 0, "tasks of a drained server");
        } else {
            self.coverage.count("drain that was cut short");
        }
        self.scheduler.kill(host);
        self.scheduler.kill(process.store_host());
        self.note_running(process, false);
        *process.lock() = None;
        drop(server);
        sleep(self.rng.mostly_short(DOWN_MS_MAX)).await;
        self.start_server(process).await;
    }
}
