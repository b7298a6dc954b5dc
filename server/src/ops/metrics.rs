//! What a running server counts, for whoever watches over it.
//!
//! The names and what they mean stand here and nowhere else; `docs/METRICS.md` repeats them, and a test holds the two
//! together. Every label has a closed set of values, and none of them is a guest, a match, a code or a client's text.
//! Knows no socket and no store: who does something says so here.

mod labels;
mod standing;

use std::time::Duration;

use fibfob_protocol::{RefusalReason, SUBPROTOCOL, Timestamp};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

pub(crate) use labels::{Answered, Cause, Kind, Of, Queue, Resume, Role, State, Telling, Value};
pub(crate) use standing::Standing;

use crate::store::{QueueFill, StoreMeter};

/// The text's format, as HTTP names it.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// From a tenth of a millisecond to six seconds and a half.
const THINK_BUCKETS: (f64, f64, u16) = (0.000_1, 4.0, 9);

/// All numbers of one server.
pub(crate) struct Metrics {
    registry: Registry,
    connections: Family<Of<Role>, Gauge>,
    opened: Counter,
    closed: Family<Of<Cause>, Counter>,
    matches: Family<Of<State>, Gauge>,
    commands: Family<Answered, Counter>,
    told: Family<Of<Telling>, Counter>,
    told_bytes: Family<Of<Telling>, Counter>,
    resumes: Family<Of<Resume>, Counter>,
    queue_length: Family<Of<Queue>, Gauge>,
    queue_capacity: Family<Of<Queue>, Gauge>,
    bot_think: Histogram,
    ready: Gauge,
}

/// What is looked up when somebody asks, and not counted as it happens.
pub(crate) struct Levels {
    /// Whether the server is ready, as `/readyz` says it.
    pub ready: bool,
    /// How much waits in each queue, and how much may.
    pub queues: [(Queue, QueueFill); 3],
}

impl Metrics {
    /// Of a server that starts at this instant, over the store of this meter.
    pub(crate) fn new(store: &StoreMeter, started_at: Timestamp) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            connections: every(Role::ALL),
            opened: Counter::default(),
            closed: Family::default(),
            matches: every(State::ALL),
            commands: Family::default(),
            told: every(Telling::ALL),
            told_bytes: every(Telling::ALL),
            resumes: every(Resume::ALL),
            queue_length: Family::default(),
            queue_capacity: Family::default(),
            bot_think: buckets(THINK_BUCKETS),
            ready: Gauge::default(),
        };
        metrics.register(store, started_at);
        metrics
    }

    #[rustfmt::skip]
    fn register(&mut self, store: &StoreMeter, started_at: Timestamp) {
        let started = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
        started.set(Duration::from_millis(started_at.0).as_secs_f64());
        self.registry.register_with_unit("process_start_time", "When the server started, since 1970", Unit::Seconds, started);
        let ours = self.registry.sub_registry_with_prefix("fibfob");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION")), ("protocol", SUBPROTOCOL)]);
        ours.register("build", "What runs", build);
        ours.register("ready", "1 if /readyz would say so, otherwise 0", self.ready.clone());
        ours.register("connections", "Open WebSocket connections, by what they are for", self.connections.clone());
        ours.register("connections_opened", "WebSocket connections ever opened", self.opened.clone());
        ours.register("connections_closed", "WebSocket connections that have ended, by why", self.closed.clone());
        ours.register("matches", "Matches in memory, by phase", self.matches.clone());
        ours.register("commands", "Messages of clients, by kind and by answer: accepted, or the reason of the refusal", self.commands.clone());
        ours.register("frames_sent", "Events told to viewers, one by one or as a snapshot of many", self.told.clone());
        ours.register_with_unit("frames_sent", "The length of what told events to viewers", Unit::Bytes, self.told_bytes.clone());
        ours.register("resumes", "Matches followed again, by what was missed meanwhile", self.resumes.clone());
        ours.register("queue_length", "What waits, by where", self.queue_length.clone());
        ours.register("queue_capacity", "How much may wait, by where", self.queue_capacity.clone());
        ours.register_with_unit("bot_think", "How long a bot thought about a move", Unit::Seconds, self.bot_think.clone());
        ours.register_with_unit("commit", "How long a transaction of the store took, its flush to the disk included", Unit::Seconds, store.time.clone());
        ours.register("commit_events", "Events that one transaction made durable", store.batch.clone());
        ours.register("commit_failures", "Transactions that failed; their events are not stored, or not known to be", store.failures.clone());
        ours.register("events_stored", "Events made durable", store.events.clone());
    }

    /// One more connection: its number, and its place among those that are open.
    pub(crate) fn connected(&self) -> (u64, Standing<Role>) {
        let number = self.opened.inc() + 1;
        (number, Standing::new(&self.connections, Role::Greeting))
    }

    /// A connection has ended.
    pub(crate) fn closed(&self, cause: Cause) {
        self.closed.get_or_create(&Of(cause)).inc();
    }

    /// One more match in memory.
    pub(crate) fn in_memory(&self, state: State) -> Standing<State> {
        Standing::new(&self.matches, state)
    }

    /// A client's message was accepted, or refused for this reason.
    pub(crate) fn answered(&self, kind: Kind, refused: Option<RefusalReason>) {
        self.commands
            .get_or_create(&Answered { kind, refused })
            .inc();
    }

    /// A viewer was told of events.
    pub(crate) fn told(&self, how: Telling, bytes: usize) {
        self.told.get_or_create(&Of(how)).inc();
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.told_bytes.get_or_create(&Of(how)).inc_by(bytes);
    }

    /// A match is followed again.
    pub(crate) fn resumed(&self, kind: Resume) {
        self.resumes.get_or_create(&Of(kind)).inc();
    }

    /// A bot has thought about a move for so long.
    pub(crate) fn thought(&self, time: Duration) {
        self.bot_think.observe(time.as_secs_f64());
    }

    /// Everything, in the text format of OpenMetrics, which Prometheus reads.
    pub(crate) fn text(&self, levels: &Levels) -> String {
        self.ready.set(levels.ready.into());
        for (queue, fill) in levels.queues {
            let set = |family: &Family<Of<Queue>, Gauge>, value: usize| {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                family.get_or_create(&Of(queue)).set(value);
            };
            set(&self.queue_length, fill.length);
            set(&self.queue_capacity, fill.capacity);
        }
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes all, and labels are plain words");
        text
    }
}

/// Every value of the label from the start, so that a number that has not moved yet reads 0 and is not missing.
fn every<V: Value, M: Default>(values: impl IntoIterator<Item = V>) -> Family<Of<V>, M> {
    let family = Family::default();
    for value in values {
        drop(family.get_or_create(&Of(value)));
    }
    family
}

fn buckets((first, factor, count): (f64, f64, u16)) -> Histogram {
    Histogram::new(exponential_buckets(first, factor, count))
}
