//! The metrics of a running server.
//!
//! Their names and descriptions are only here; `docs/METRICS.md` repeats them, and a test compares
//! the two. Every label has a closed set of values, and none of them is a guest, a match, a code or
//! a client's text. Knows no socket: the code that does something reports it here.

mod gauge_guard;
mod labels;

use std::time::Duration;

use fibfob_protocol::{RefusalReason, SUBPROTOCOL, Timestamp};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray;

pub(crate) use gauge_guard::GaugeGuard;
pub(crate) use labels::{
    AnswerLabels, CloseLabel, DeliveryLabel, LabelValue, MessageLabel, OneLabel, PhaseLabel,
    QueueLabel, ResumeLabel, RoleLabel,
};

use fibfob_store::{QueueFill, StoreMeter};

/// The media type of the text.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// From 0.1 ms to 6.5 s.
const BOT_BUCKETS: (f64, f64, u16) = (0.000_1, 4.0, 9);

/// The metrics of one server.
pub(crate) struct Metrics {
    registry: Registry,
    connections: Family<OneLabel<RoleLabel>, Gauge>,
    opened: Counter,
    closed: Family<OneLabel<CloseLabel>, Counter>,
    matches: Family<OneLabel<PhaseLabel>, Gauge>,
    commands: Family<AnswerLabels, Counter>,
    delivered: Family<OneLabel<DeliveryLabel>, Counter>,
    delivered_bytes: Family<OneLabel<DeliveryLabel>, Counter>,
    /// The series of both families, found once: each frame to each viewer counts in them.
    frames: DeliveryCounters,
    snapshots: DeliveryCounters,
    resumes: Family<OneLabel<ResumeLabel>, Counter>,
    queue_length: Family<OneLabel<QueueLabel>, Gauge>,
    queue_capacity: Family<OneLabel<QueueLabel>, Gauge>,
    computed: Counter,
    bot_think: Histogram,
    ready: Gauge,
}

/// The number and the length of delivered messages of one form.
struct DeliveryCounters {
    messages: Counter,
    bytes: Counter,
}

/// The gauges that are read at each request instead of being counted.
pub(crate) struct GaugeReadings {
    /// True if `/readyz` answers that the server is ready.
    pub ready: bool,
    /// Length and capacity of each queue.
    pub queues: [(QueueLabel, QueueFill); 3],
}

impl Metrics {
    /// The metrics of a server that starts at this instant on the store of this meter.
    pub(crate) fn new(store: &StoreMeter, started_at: Timestamp) -> Self {
        let delivered = every(DeliveryLabel::VARIANTS);
        let delivered_bytes = every(DeliveryLabel::VARIANTS);
        let mut metrics = Self {
            frames: delivery(&delivered, &delivered_bytes, DeliveryLabel::Frame),
            snapshots: delivery(&delivered, &delivered_bytes, DeliveryLabel::Snapshot),
            registry: Registry::default(),
            connections: every(RoleLabel::VARIANTS),
            opened: Counter::default(),
            closed: Family::default(),
            matches: every(&PhaseLabel::ALL),
            commands: Family::default(),
            delivered,
            delivered_bytes,
            resumes: every(ResumeLabel::VARIANTS),
            queue_length: Family::default(),
            queue_capacity: Family::default(),
            computed: Counter::default(),
            bot_think: buckets(BOT_BUCKETS),
            ready: Gauge::default(),
        };
        metrics.register(store, started_at);
        metrics
    }

    #[rustfmt::skip]
    fn register(&mut self, store: &StoreMeter, started_at: Timestamp) {
        let started = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
        started.set(Duration::from_millis(started_at.0).as_secs_f64());
        self.registry.register_with_unit("process_start_time", "Start time of the server, as seconds since 1970", Unit::Seconds, started);
        let ours = self.registry.sub_registry_with_prefix("fibfob");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION")), ("protocol", SUBPROTOCOL)]);
        ours.register("build", "Version and protocol of the server", build);
        ours.register("ready", "1 if /readyz answers ready, otherwise 0", self.ready.clone());
        ours.register("connections", "Open WebSocket connections, by role", self.connections.clone());
        ours.register("connections_opened", "WebSocket connections opened so far", self.opened.clone());
        ours.register("connections_closed", "WebSocket connections that have ended, by reason", self.closed.clone());
        ours.register("matches", "Matches in memory, by phase", self.matches.clone());
        ours.register("commands", "Messages of clients, by kind and result: accepted, or the reason of the refusal", self.commands.clone());
        ours.register("frames_sent", "Messages with events sent to viewers: frames of one event, or snapshots of many", self.delivered.clone());
        ours.register_with_unit("frames_sent", "Length of messages with events sent to viewers", Unit::Bytes, self.delivered_bytes.clone());
        ours.register("resumes", "Matches followed again, by what had been missed", self.resumes.clone());
        ours.register("queue_length", "Entries that wait, by queue", self.queue_length.clone());
        ours.register("queue_capacity", "Capacity, by queue", self.queue_capacity.clone());
        ours.register("answers_computed", "Answers, pages and pictures that were computed; others were kept from before", self.computed.clone());
        ours.register_with_unit("bot_think", "Time that a bot took to choose a move", Unit::Seconds, self.bot_think.clone());
        ours.register_with_unit("commit", "Time of a transaction of the store, including its flush to the disk", Unit::Seconds, store.time.clone());
        ours.register("commit_events", "Events made durable by one transaction", store.batch.clone());
        ours.register("commit_failures", "Failed transactions, whose events are not stored or not known to be", store.failures.clone());
        ours.register("events_stored", "Events made durable", store.events.clone());
    }

    /// Counts a new connection: returns its number, and the guard of the gauge of open ones.
    pub(crate) fn connected(&self) -> (u64, GaugeGuard<RoleLabel>) {
        let number = self.opened.inc() + 1;
        (
            number,
            GaugeGuard::new(&self.connections, RoleLabel::Greeting),
        )
    }

    /// Counts a connection that has ended.
    pub(crate) fn closed(&self, reason: CloseLabel) {
        self.closed.get_or_create(&OneLabel(reason)).inc();
    }

    /// Counts a match in memory, as long as the guard lives.
    pub(crate) fn in_memory(&self, phase: PhaseLabel) -> GaugeGuard<PhaseLabel> {
        GaugeGuard::new(&self.matches, phase)
    }

    /// Counts a client's message that was accepted, or refused for this reason.
    pub(crate) fn answered(&self, kind: MessageLabel, refused: Option<RefusalReason>) {
        self.commands
            .get_or_create(&AnswerLabels { kind, refused })
            .inc();
    }

    /// Counts events sent to a viewer.
    pub(crate) fn delivered(&self, form: DeliveryLabel, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let counters = match form {
            DeliveryLabel::Frame => &self.frames,
            DeliveryLabel::Snapshot => &self.snapshots,
        };
        counters.messages.inc();
        counters.bytes.inc_by(bytes);
    }

    /// Counts a match that is followed again.
    pub(crate) fn resumed(&self, backlog: ResumeLabel) {
        self.resumes.get_or_create(&OneLabel(backlog)).inc();
    }

    /// Counts an answer that is computed.
    pub(crate) fn computed(&self) {
        self.computed.inc();
    }

    /// Observes the time that a bot took to choose a move.
    pub(crate) fn bot_chose(&self, time: Duration) {
        self.bot_think.observe(time.as_secs_f64());
    }

    /// Encodes all metrics in the text format of OpenMetrics, which Prometheus reads.
    pub(crate) fn encode(&self, readings: &GaugeReadings) -> String {
        self.ready.set(readings.ready.into());
        for (queue, fill) in readings.queues {
            let set = |family: &Family<OneLabel<QueueLabel>, Gauge>, value: usize| {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                family.get_or_create(&OneLabel(queue)).set(value);
            };
            set(&self.queue_length, fill.length);
            set(&self.queue_capacity, fill.capacity);
        }
        let mut text = String::new();
        encode(&mut text, &self.registry)
            .expect("writing to a string cannot fail, and labels are plain text");
        text
    }
}

/// A family with all values of the label from the start, so that a series reads 0 before its first
/// count instead of being absent.
fn every<V: LabelValue, M: Default>(values: &[V]) -> Family<OneLabel<V>, M> {
    let family = Family::default();
    for &value in values {
        drop(family.get_or_create(&OneLabel(value)));
    }
    family
}

/// The series of one form of delivered messages.
fn delivery(
    messages: &Family<OneLabel<DeliveryLabel>, Counter>,
    bytes: &Family<OneLabel<DeliveryLabel>, Counter>,
    form: DeliveryLabel,
) -> DeliveryCounters {
    DeliveryCounters {
        messages: messages.get_or_create(&OneLabel(form)).clone(),
        bytes: bytes.get_or_create(&OneLabel(form)).clone(),
    }
}

fn buckets((first, factor, count): (f64, f64, u16)) -> Histogram {
    Histogram::new(exponential_buckets(first, factor, count))
}
