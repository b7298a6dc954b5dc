//! The metrics of a running server.
//!
//! Names and descriptions are only here; `docs/METRICS.md` repeats them, and a test compares the two. Every
//! label has a closed set of values, none of which is a guest, a match, a code or a client's text. Knows no
//! socket: whatever happens is reported to it.

mod gauge_guard;
mod labels;
mod readings;
mod text;

use std::time::Duration;

use fibfob_protocol::{RefusalReason, SUBPROTOCOL, Timestamp};
use prometheus_client::encoding::text::{encode, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray;

pub use gauge_guard::GaugeGuard;
pub use labels::{CloseLabel, DeliveryLabel, MessageLabel, QueueLabel, ResumeLabel, RoleLabel};
pub(crate) use labels::{FinishLabel, JobRefusedLabel, PhaseLabel};
pub use readings::GaugeReadings;
pub use text::{OPENMETRICS, PROMETHEUS, prometheus_text};

use fibfob_store::StoreMeter;

use labels::Labelled;

/// From 0.5 ms (an answer by a good disk) to 4 s (one that is about to be given up).
const MOVE_BUCKETS: (f64, f64, u16) = (0.000_5, 2.0, 14);
/// From 0.1 ms to 6.5 s.
const BOT_BUCKETS: (f64, f64, u16) = (0.000_1, 4.0, 9);

/// The metrics that are counted while the server runs.
pub struct Metrics {
    registry: Registry,
    connections: Labelled<Gauge>,
    opened: Counter,
    closed: Labelled<Counter>,
    matches: Labelled<Gauge>,
    finished: Labelled<Counter>,
    accepted: Labelled<Counter>,
    refused: Labelled<Counter>,
    delivered: Labelled<Counter>,
    delivered_bytes: Labelled<Counter>,
    /// The series of both families, looked up once, because every frame to every viewer counts in them.
    frames: DeliveryCounters,
    snapshots: DeliveryCounters,
    resumes: Labelled<Counter>,
    computed: Counter,
    pub(crate) conflicts: Counter,
    pub(crate) late_hints: Counter,
    jobs_refused: Labelled<Counter>,
    move_time: Histogram,
    bot_think: Histogram,
}

/// The number and the length of delivered messages of one form.
struct DeliveryCounters {
    messages: Counter,
    bytes: Counter,
}

impl Metrics {
    /// Registers the server's metrics; `ends` are the labels of closed connections.
    pub(crate) fn new(store: &StoreMeter, started_at: Timestamp, ends: &[CloseLabel]) -> Self {
        let delivered = Labelled::new("kind", DeliveryLabel::VARIANTS);
        let delivered_bytes = Labelled::new("kind", DeliveryLabel::VARIANTS);
        let delivery = |form: DeliveryLabel| DeliveryCounters {
            messages: delivered.of(form),
            bytes: delivered_bytes.of(form),
        };
        let mut metrics = Self {
            frames: delivery(DeliveryLabel::Frame),
            snapshots: delivery(DeliveryLabel::Snapshot),
            registry: Registry::default(),
            connections: Labelled::new("role", RoleLabel::VARIANTS),
            opened: Counter::default(),
            closed: Labelled::new("reason", ends.iter().copied()),
            matches: Labelled::new("state", PhaseLabel::ALL),
            finished: Labelled::new("reason", FinishLabel::all()),
            accepted: Labelled::new("kind", MessageLabel::all()),
            refused: Labelled::new("reason", RefusalReason::VARIANTS),
            delivered,
            delivered_bytes,
            resumes: Labelled::new("kind", ResumeLabel::VARIANTS),
            computed: Counter::default(),
            conflicts: Counter::default(),
            late_hints: Counter::default(),
            jobs_refused: Labelled::new("reason", JobRefusedLabel::VARIANTS),
            move_time: buckets(MOVE_BUCKETS),
            bot_think: buckets(BOT_BUCKETS),
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
        ours.register("connections", "Open WebSocket connections, by role", self.connections.series.clone());
        ours.register("connections_opened", "WebSocket connections opened so far", self.opened.clone());
        ours.register("connections_closed", "WebSocket connections that have ended, by reason", self.closed.series.clone());
        ours.register("matches", "Matches in memory, by phase", self.matches.series.clone());
        ours.register("matches_finished", "Matches that have ended, by reason", self.finished.series.clone());
        ours.register("commands_accepted", "Messages of clients that were accepted, by kind", self.accepted.series.clone());
        ours.register("commands_refused", "Messages of clients that were refused, by reason", self.refused.series.clone());
        ours.register("frames_sent", "Messages with events sent to viewers: frames of one event, or snapshots of many", self.delivered.series.clone());
        ours.register_with_unit("frames_sent", "Length of messages with events sent to viewers", Unit::Bytes, self.delivered_bytes.series.clone());
        ours.register("resumes", "Matches followed again, by what had been missed", self.resumes.series.clone());
        ours.register("answers_computed", "Answers, pages and pictures that were computed; others were kept from before", self.computed.clone());
        ours.register("append_conflicts", "Events that another server was faster to append to a match, so that a request was decided again", self.conflicts.clone());
        ours.register("hints_late", "Events of other servers that this one found by itself, because the hint was lost or late", self.late_hints.clone());
        ours.register("jobs_refused", "Answers, pages and pictures that were not computed, by reason", self.jobs_refused.series.clone());
        ours.register_with_unit("move", "Time from the arrival of a move to its answer", Unit::Seconds, self.move_time.clone());
        ours.register_with_unit("bot_think", "Time from the turn of a bot to its choice, with the wait for a place", Unit::Seconds, self.bot_think.clone());
        ours.register_with_unit("commit", "Time of a transaction of the store, including its flush to the disk", Unit::Seconds, store.time.clone());
        ours.register("commit_events", "Events made durable by one transaction", store.batch.clone());
        ours.register("commit_failures", "Failed transactions, whose events are not stored or not known to be", store.failures.clone());
        ours.register("events_stored", "Events made durable", store.events.clone());
    }

    /// Counts a new connection. Returns its number, and a guard that counts it as open.
    pub fn connected(&self) -> (u64, GaugeGuard<RoleLabel>) {
        let number = self.opened.inc() + 1;
        (
            number,
            GaugeGuard::new(&self.connections, RoleLabel::Greeting),
        )
    }

    /// Counts the end of a connection.
    pub fn closed(&self, reason: CloseLabel) {
        self.closed.of(reason).inc();
    }

    /// Counts a match in memory while the guard lives.
    pub(crate) fn in_memory(&self, phase: PhaseLabel) -> GaugeGuard<PhaseLabel> {
        GaugeGuard::new(&self.matches, phase)
    }

    pub(crate) fn finished(&self, reason: FinishLabel) {
        self.finished.of(reason).inc();
    }

    /// Counts a client's message, accepted or refused for this reason.
    pub fn answered(&self, kind: MessageLabel, refused: Option<RefusalReason>) {
        let counter = match refused {
            None => self.accepted.of(kind),
            Some(reason) => self.refused.of(reason),
        };
        counter.inc();
    }

    /// Observes the time from the arrival of a move to its answer.
    pub fn move_answered(&self, time: Duration) {
        self.move_time.observe(time.as_secs_f64());
    }

    /// Counts a message with events that was sent to a viewer, and its length.
    pub fn delivered(&self, form: DeliveryLabel, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let counters = match form {
            DeliveryLabel::Frame => &self.frames,
            DeliveryLabel::Snapshot => &self.snapshots,
        };
        counters.messages.inc();
        counters.bytes.inc_by(bytes);
    }

    /// Counts a match that is followed again.
    pub fn resumed(&self, backlog: ResumeLabel) {
        self.resumes.of(backlog).inc();
    }

    /// Counts an answer that is computed.
    pub(crate) fn computed(&self) {
        self.computed.inc();
    }

    /// Counts an answer that is not computed.
    pub(crate) fn job_refused(&self, reason: JobRefusedLabel) {
        self.jobs_refused.of(reason).inc();
    }

    pub(crate) fn bot_chose(&self, time: Duration) {
        self.bot_think.observe(time.as_secs_f64());
    }

    /// Encodes all metrics in the text format of OpenMetrics, which Prometheus reads.
    pub fn encode(&self, readings: &GaugeReadings<'_>) -> String {
        let mut text = String::new();
        let read = encode_registry(&mut text, &readings::registry(readings));
        read.expect("writing to a string cannot fail");
        encode(&mut text, &self.registry)
            .expect("writing to a string cannot fail, and labels are plain text");
        text
    }
}

fn buckets((first, factor, count): (f64, f64, u16)) -> Histogram {
    Histogram::new(exponential_buckets(first, factor, count))
}
