//! One world: a server and its successors on one store, people, lines, and a timetable of
//! trouble; then calm, in which everything owed must be given; then the end, in which nothing
//! may be left.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fibfob_protocol::{CommandId, LobbyList, MatchId, Timestamp, Version};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::dice::Dice;
use super::disk::Disk;
use super::habits::Gossip;
use super::laws;
use super::ledger::{Ledger, Person};
use super::network::{ClientEnd, Network};
use super::person::Somebody;
use super::scheduler::{Host, Scheduler};
use super::tally::Tally;
use super::transcript::Transcript;
use super::uptime::Uptime;
use crate::chance::Chance;
use crate::clock::Clock;
use crate::identity::ServerKey;
use crate::limits::{DRAIN_WITHIN, STOP_WITHIN};
use crate::net::client_address::ClientAddress;
use crate::net::token_bucket::Rate;
use crate::ops::config::Config;
use crate::run::Server;
use crate::session;
use crate::store::faulty::Faulty;
use crate::store::{Memory, Store};
use crate::tasks::Tasks;

/// When every world begins; the worked example's instant.
const BEGINNING: u64 = 1_795_176_000_000;
/// The longest a server is away, in milliseconds.
const DOWN_MS_MAX: u64 = 8_000;
/// How far the clock of a restarted server may differ from the one before, in milliseconds.
const CLOCK_SKEW_MS_MAX: u64 = 2_000;

mod calm;

pub(super) struct World {
    pub ledger: Arc<Ledger>,
    pub tally: Tally,
    pub gossip: Gossip,
    scheduler: Scheduler,
    network: Network,
    disk: Disk,
    /// What the store keeps, apart from its faults.
    memory: Memory,
    store: Store,
    config: Config,
    dice: Dice,
    transcript: Transcript,
    clock_ahead: Arc<AtomicU64>,
    /// Whether the clocks of one server and the next differ.
    clocks_differ: bool,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    server: Option<Running>,
    servers: u64,
    people: usize,
    ids: BTreeMap<Person, u64>,
    reports: BTreeMap<Person, Report>,
    uptime: Uptime,
}

#[derive(Clone)]
struct Running {
    server: Arc<Server>,
    host: Host,
}

/// How far a world is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Anything may happen.
    Busy,
    /// Nothing breaks any more, and nobody begins anything new.
    Settling,
    /// Everybody goes.
    Over,
}

/// How far one person is.
pub(super) struct Report {
    pub connected: bool,
    /// Requests without an answer that is final.
    pub unanswered: usize,
    /// Sendings on this line without an answer.
    pub waiting: u32,
    pub cursors: BTreeMap<MatchId, Version>,
    /// The lobby, if they watch it.
    pub lobby: Option<LobbyList>,
}

/// Lives through the world of this seed.
///
/// # Panics
/// If any promise is broken.
pub(super) fn live_through(seed: u64, tally: Tally, transcript: Transcript) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without sockets needs nothing of the machine");
    runtime.block_on(tokio::task::unconstrained(async {
        let dice = Dice::seeded(seed);
        let scheduler = Scheduler::new(dice.fork());
        let world = Arc::new(World::new(dice, scheduler.clone(), tally, transcript));
        scheduler.run(Arc::clone(&world).run()).await;
        world.tally.add("turns of all tasks", scheduler.turns());
    }));
}

/// The page of this binary: no part of what is simulated, and slow to compress.
impl World {
    fn new(dice: Dice, scheduler: Scheduler, tally: Tally, transcript: Transcript) -> Self {
        let disk = Disk::new(scheduler.clone(), dice.fork(), tally.clone());
        let key = dice.draw(rand::RngExt::random::<[u8; ServerKey::BYTES]>);
        let key = ServerKey::from_bytes(&key).expect("as many bytes as a key has");
        let memory = Memory::with_key(key);
        let clocks_differ = dice.permille(300);
        let clock_ahead = Arc::new(AtomicU64::new(CLOCK_SKEW_MS_MAX));
        let (ahead, began) = (Arc::clone(&clock_ahead), Instant::now());
        let clock = Clock::from_fn(move || {
            let passed = u64::try_from(began.elapsed().as_millis()).expect("hours, not ages");
            Timestamp(BEGINNING + passed + ahead.load(Ordering::SeqCst))
        });
        Self {
            ledger: Arc::default(),
            gossip: Gossip::default(),
            network: Network::new(
                scheduler.clone(),
                dice.fork(),
                transcript.clone(),
                tally.clone(),
            ),
            store: Store::new(Faulty::new(memory.clone(), disk.clone())),
            memory,
            config: Config {
                bot_pause: dice.mostly_short(3_000),
                idle_after: dice.millis(500..=60_000),
                open_for: dice.millis(5_000..=600_000),
                snapshot_after: dice.below(40) + 1,
                rate: match dice.permille(100) {
                    true => Rate {
                        per_second: 2,
                        burst: 5,
                    },
                    false => Config::default().rate,
                },
                chance: Chance::seeded(dice.draw(rand::RngExt::random)),
                clock,
                ..Config::default()
            },
            disk,
            scheduler,
            dice,
            transcript,
            tally,
            clock_ahead,
            clocks_differ,
            state: Mutex::new(State {
                phase: Phase::Busy,
                server: None,
                servers: 0,
                people: 0,
                ids: BTreeMap::new(),
                reports: BTreeMap::new(),
                uptime: Uptime::default(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn phase(&self) -> Phase {
        self.state().phase
    }

    pub(super) fn report(&self, person: Person, report: Report) {
        self.state().reports.insert(person, report);
    }

    /// A command id that this person has not used; others have used some of them.
    pub(super) fn fresh_id(&self, person: Person) -> CommandId {
        let mut state = self.state();
        let count = state.ids.entry(person).or_default();
        *count += 1;
        let id = match *count % 5 {
            0 => format!("number-{count}"),
            _ => format!("p{person}-{count}"),
        };
        CommandId::try_from(id).expect("short and printable")
    }

    /// Runs something that belongs to nobody's life.
    pub(super) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.scheduler.spawn(Host::World, work);
    }

    /// A line to the server, if there is one that takes lines.
    pub(super) fn connect(&self, person: Person) -> Option<ClientEnd> {
        let Running { server, host } = self.state().server.clone()?;
        if server.app.draining.is_cancelled() {
            return None;
        }
        let app = Arc::clone(&server.app);
        let host_number = u8::try_from(person).expect("few people");
        let address = ClientAddress::from(IpAddr::from([192, 0, 2, host_number]));
        let visitor = Arc::new(app.addresses.admit(address)?);
        let (there, here) = self.network.line();
        let session = session::serve(there, Arc::clone(&app), visitor);
        self.scheduler
            .spawn(host, app.sessions.track_future(session));
        Some(here)
    }

    async fn run(self: Arc<Self>) {
        self.start_server().await;
        let people = self.dice.number(2..=7);
        for number in 0..people {
            let somebody = Somebody::new(Arc::clone(&self), number, self.dice.fork());
            let world = Arc::clone(&self);
            self.state().people += 1;
            self.begin(async move {
                somebody.live().await;
                world.state().people -= 1;
            });
        }
        self.be_busy().await;
        self.settle().await;
        self.end().await;
        let logs = self.memory.logs();
        laws::hold(&logs, &self.ledger, &self.tally);
        if !self.clocks_differ {
            for log in logs.values() {
                if self.state().uptime.holds(log) {
                    self.tally.count("loss on time checked against the uptime");
                }
            }
        }
        for (number, log) in (0..).zip(logs.values()) {
            let text = serde_json::to_string(log).expect("records can be written");
            self.transcript.note("log", number, &text);
        }
        self.tally.add("matches", logs.len() as u64);
    }

    async fn start_server(&self) {
        let host = {
            let mut state = self.state();
            state.servers += 1;
            Host::Server(state.servers)
        };
        self.transcript
            .note("server", self.state().servers, "starts");
        if self.clocks_differ {
            let ahead = self.dice.number(0..=2 * CLOCK_SKEW_MS_MAX);
            self.clock_ahead.store(ahead, Ordering::SeqCst);
        }
        let now = self.config.clock.now();
        self.state().uptime.first(now);
        let tasks = Tasks::simulated(self.scheduler.host(host, self.dice.fork()));
        let server = Server::start(self.store.clone(), &self.config, tasks).await;
        let server = Arc::new(server.expect("the store is read at the start"));
        self.state().server = Some(Running { server, host });
    }

    async fn be_busy(&self) {
        let until = Instant::now() + self.dice.millis(5_000..=90_000);
        while Instant::now() < until {
            sleep(self.dice.millis(500..=15_000)).await;
            match self.dice.number(0..=9) {
                0..=1 => self.crash().await,
                2 => self.restart().await,
                3..=4 => self.disk.trouble(self.dice.number(1..=300)),
                5 => self.disk.trouble(1_000),
                _ => self.disk.trouble(0),
            }
        }
    }

    /// The server is gone from one instant to the next.
    async fn crash(&self) {
        if self.dice.permille(500) {
            self.until_something_is_written().await;
        }
        let Some(Running { host, .. }) = self.state().server.take() else {
            return;
        };
        self.transcript
            .note("server", self.state().servers, "crashes");
        self.tally.count("crash");
        if self.scheduler.running_on(Host::Disk) > 0 {
            self.tally.count("crash during an append");
        }
        self.scheduler.kill(host);
        let now = self.config.clock.now();
        self.state().uptime.ends(now);
        // What was being written is lost, or arrives in spite of all.
        if self.dice.permille(700) {
            self.scheduler.kill(Host::Disk);
        }
        sleep(self.dice.mostly_short(DOWN_MS_MAX)).await;
        self.start_server().await;
    }

    /// The most interesting instant, if it comes.
    async fn until_something_is_written(&self) {
        for _ in 0..1_000 {
            if self.scheduler.running_on(Host::Disk) > 0 {
                return;
            }
            sleep(Duration::from_millis(1)).await;
        }
    }

    /// The server is asked to end, and another one takes its place.
    async fn restart(&self) {
        let Some(Running { server, host }) = self.state().server.clone() else {
            return;
        };
        self.transcript
            .note("server", self.state().servers, "drains");
        self.tally.count("drain");
        let begun = Instant::now();
        let ended = server.drain(&TaskTracker::new()).await;
        assert!(
            begun.elapsed() <= DRAIN_WITHIN + STOP_WITHIN,
            "a drain is bounded"
        );
        if ended {
            assert_eq!(
                self.scheduler.running_on(host),
                0,
                "a drained server is idle"
            );
        } else {
            self.tally.count("drain that was cut short");
        }
        self.scheduler.kill(host);
        self.scheduler.kill(Host::Disk);
        let now = self.config.clock.now();
        self.state().uptime.ends(now);
        self.state().server = None;
        drop(server);
        sleep(self.dice.mostly_short(DOWN_MS_MAX)).await;
        self.start_server().await;
    }
}
