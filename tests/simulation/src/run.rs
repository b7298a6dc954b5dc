//! One simulated run: server processes and their successors on one store, clients, connections,
//! and injected faults; then quiescence, in which everything must be answered and shown; then the
//! end, after which nothing may be left.

mod process;
mod quiescence;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fibfob_history::{Coverage, Evidence, Logs, Recorder, Uptime, check};
use fibfob_protocol::{Code, CommandId, Event};
use fibfob_server::Clock;
use fibfob_server::admin::Command;
use fibfob_store::Memory;
use fibfob_store::identity::ServerKey;
use rand::RngExt;
use tokio::time::{Instant, sleep};

use crate::Simulation;
use crate::client::SimulatedClient;
use crate::client_model::SharedCodes;
use crate::environment::{ClientEnvironment, ClientStatus, Phase, Work};
use crate::network::{ClientEnd, Network};
use crate::scheduler::{Host, Scheduler};
use crate::seeded_rng::SeededRng;
use crate::transcript::Transcript;
use process::{Process, RunningServer};

/// The violations that a failed run names.
const NAMED_MAX: usize = 5;

/// A run.
pub(super) struct SimulationRun {
    recorder: Recorder,
    coverage: Coverage,
    codes: SharedCodes,
    scheduler: Scheduler,
    network: Network,
    /// The durable store, without its faults.
    memory: Memory,
    processes: Vec<Process>,
    rng: SeededRng,
    transcript: Transcript,
    /// True if the clocks of one server and the next differ.
    clocks_differ: bool,
    /// The clock of a store that several servers share.
    clock: Clock,
    state: Mutex<RunState>,
}

struct RunState {
    phase: Phase,
    /// Servers started so far.
    servers: u64,
    /// Processes that run and do not stand still.
    running: usize,
    clients: usize,
    ids: BTreeMap<u64, u64>,
    statuses: BTreeMap<u64, ClientStatus>,
    /// The processes that each client was connected to.
    used: BTreeMap<u64, BTreeSet<usize>>,
    uptime: Uptime,
}

/// Simulates a run.
///
/// # Panics
/// If any promise is violated.
pub(super) fn simulate(simulation: Simulation, coverage: Coverage, transcript: Transcript) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without sockets needs nothing of the machine");
    runtime.block_on(tokio::task::unconstrained(async {
        let rng = SeededRng::seeded(simulation.seed);
        let scheduler = Scheduler::new(rng.fork());
        let processes = simulation.processes;
        let run = SimulationRun::new(processes, rng, scheduler.clone(), coverage, transcript);
        let run = Arc::new(run);
        scheduler.run(Arc::clone(&run).main()).await;
        run.coverage.add("polls of all tasks", scheduler.polls());
    }));
}

impl ClientEnvironment for SimulationRun {
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    fn codes(&self) -> &SharedCodes {
        &self.codes
    }

    fn phase(&self) -> Phase {
        self.state().phase
    }

    fn report(&self, client: u64, status: ClientStatus) {
        self.state().statuses.insert(client, status);
    }

    fn fresh_id(&self, client: u64) -> CommandId {
        let mut state = self.state();
        let count = state.ids.entry(client).or_default();
        *count += 1;
        let id = match *count % 5 {
            0 => format!("number-{count}"),
            _ => format!("p{client}-{count}"),
        };
        CommandId::try_from(id).expect("short and printable")
    }

    fn spawn(&self, work: Work) {
        self.scheduler.spawn(Host::Harness, work);
    }

    fn connect(&self, client: u64) -> Option<ClientEnd> {
        // As behind a balancer that knows nothing of matches.
        let number = match self.processes.len() {
            1 => 0,
            processes => self.rng.below(processes),
        };
        let process = &self.processes[number];
        let RunningServer { server, host } = process.server()?;
        let last = u8::try_from(client).expect("few clients");
        let (server_end, client_end) = self.network.connection();
        let session = server.connect(server_end, IpAddr::from([192, 0, 2, last]))?;
        self.scheduler.spawn(host, session);
        let mut state = self.state();
        state.used.entry(client).or_default().insert(number);
        Some(client_end)
    }
}

impl SimulationRun {
    fn new(
        processes: usize,
        rng: SeededRng,
        scheduler: Scheduler,
        coverage: Coverage,
        transcript: Transcript,
    ) -> Self {
        let key = rng.draw(RngExt::random::<[u8; ServerKey::BYTES]>);
        let key = ServerKey::from_bytes(&key).expect("as many bytes as a key has");
        let clock = process::store_clock();
        let memory = match processes {
            1 => Memory::with_key(key),
            _ => Memory::with_key(key).with_clock({
                let clock = clock.clone();
                move || clock.now()
            }),
        };
        let clocks_differ = rng.permille(300);
        let network = Network::new(
            scheduler.clone(),
            rng.fork(),
            transcript.clone(),
            coverage.clone(),
        );
        let abandoned_after = rng.millis(3_000..=120_000);
        let abandoned_ms = u64::try_from(abandoned_after.as_millis()).expect("days, not ages");
        let process = |number| {
            Process::new(
                number,
                &memory,
                &scheduler,
                abandoned_after,
                rng.fork(),
                coverage.clone(),
            )
        };
        Self {
            recorder: Recorder::default(),
            codes: SharedCodes::default(),
            processes: (0..processes).map(process).collect(),
            network,
            memory,
            scheduler,
            rng,
            transcript,
            coverage,
            clocks_differ,
            clock,
            state: Mutex::new(RunState {
                phase: Phase::Busy,
                servers: 0,
                running: 0,
                clients: 0,
                ids: BTreeMap::new(),
                statuses: BTreeMap::new(),
                used: BTreeMap::new(),
                uptime: Uptime::new(abandoned_ms),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole run.
    async fn main(self: Arc<Self>) {
        for process in &self.processes {
            self.start_server(process).await;
        }
        let clients = self.rng.number(2..=7);
        for number in 0..clients {
            let client = SimulatedClient::new(Arc::<Self>::clone(&self), number, self.rng.fork());
            let run = Arc::clone(&self);
            self.state().clients += 1;
            self.spawn(Box::pin(async move {
                client.run().await;
                run.state().clients -= 1;
            }));
        }
        self.be_busy().await;
        self.settle().await;
        self.end().await;
        self.check();
    }

    /// Compares the histories of all clients with the stored logs.
    fn check(&self) {
        let logs = Logs {
            stored: self.memory.logs(),
            late_views: BTreeMap::new(),
        };
        let histories = self.recorder.take_histories();
        let uptime = self.state().uptime.clone();
        let one_clock = self.processes.len() > 1 || !self.clocks_differ;
        let evidence = Evidence {
            histories: &histories,
            logs: &logs,
            uptime: one_clock.then_some(&uptime),
        };
        let violations = check(&evidence, &self.coverage);
        for (number, log) in (0..).zip(logs.stored.values()) {
            let text = serde_json::to_string(log).expect("records can be written");
            self.transcript.note("log", number, &text);
        }
        self.count_changed_processes();
        self.coverage.add("matches", logs.stored.len() as u64);
        let named: Vec<String> = violations
            .iter()
            .take(NAMED_MAX)
            .map(ToString::to_string)
            .collect();
        assert!(
            violations.is_empty(),
            "{} violations:\n{}",
            violations.len(),
            named.join("\n")
        );
    }

    /// Counts the clients that changed from one process to another, which then showed them the
    /// same matches.
    fn count_changed_processes(&self) {
        let state = self.state();
        let changed = state.used.values().filter(|used| used.len() > 1).count();
        self.coverage
            .add("client of several processes", changed as u64);
    }

    /// Injects faults for a while, and crashes, drains and pauses servers.
    async fn be_busy(&self) {
        let until = Instant::now() + self.rng.millis(5_000..=90_000);
        while Instant::now() < until {
            sleep(self.rng.millis(500..=15_000)).await;
            let process = &self.processes[match self.processes.len() {
                1 => 0,
                processes => self.rng.below(processes),
            }];
            match self.rng.number(0..=10) {
                0..=1 => self.crash(process).await,
                2 => self.restart(process).await,
                3..=4 => process.faults.set_rate(self.rng.number(1..=300)),
                5 => process.faults.set_rate(1_000),
                6 if self.processes.len() > 1 => self.pause(process).await,
                10 => self.close_a_match(process).await,
                _ => process.faults.set_rate(0),
            }
        }
    }

    /// Closes a match as an operator does.
    async fn close_a_match(&self, process: &Process) {
        let Some(RunningServer { server, .. }) = process.server() else {
            return;
        };
        let logs = self.memory.logs();
        let first = logs.values().filter_map(|log| log.first());
        let codes = first.filter_map(|record| match &record.event {
            Event::Created { terms } => Some(terms.code),
            _ => None,
        });
        let codes: Vec<Code> = codes.collect();
        if codes.is_empty() {
            return;
        }
        let close = Command::Close {
            code: codes[self.rng.below(codes.len())],
            reason: "closed by the simulation".to_owned(),
        };
        // One that is over is not closed.
        let _ = server.perform(close, "the simulation").await;
    }

    /// Stops a process for a while, as SIGSTOP does.
    async fn pause(&self, process: &Process) {
        let Some(RunningServer { host, .. }) = process.server() else {
            return;
        };
        self.coverage.count("pause");
        self.scheduler.pause(host, true);
        self.note_running(process, false);
        sleep(self.rng.mostly_short(Self::PAUSE_MS_MAX)).await;
        self.scheduler.pause(host, false);
        self.note_running(process, true);
    }

    /// The longest pause of a process, in milliseconds.
    const PAUSE_MS_MAX: u64 = 20_000;

    /// The most interesting instant for a crash, if it comes.
    async fn until_something_is_written(&self, process: &Process) {
        for _ in 0..1_000 {
            if self.scheduler.running_on(process.store_host()) > 0 {
                return;
            }
            sleep(Duration::from_millis(1)).await;
        }
    }
}
