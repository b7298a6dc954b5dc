//! Numbers that are read at each request for metrics instead of being counted.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use fibfob_net::refusals::{Refusals, RefusedFor};
use fibfob_store::{QueueFill, StoreRoom};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray;

use super::labels::{Labelled, QueueLabel};
use crate::disk_ledger::DiskUse;
use crate::panics;
use crate::process::ProcessUse;

type Number = Gauge<f64, AtomicU64>;

/// The numbers of one request.
pub struct GaugeReadings<'a> {
    /// True if `/readyz` answers ready.
    pub ready: bool,
    /// The queues, each with its bound.
    pub queues: [(QueueLabel, QueueFill); 5],
    /// The TCP connections.
    pub connections: QueueFill,
    /// The use of the machine.
    pub process: ProcessUse,
    /// The servers that live on the store.
    pub servers: usize,
    /// The room of the store, unless it cannot be read.
    pub room: Option<StoreRoom>,
    /// The bytes that were stored in the last day.
    pub disk: DiskUse,
    /// Guests who are still being erased.
    pub erasures_pending: usize,
    /// The end of the certificate, as time since 1970; none without one.
    pub not_after: Option<Duration>,
    /// The refusals so far.
    pub refusals: &'a Refusals,
}

/// Returns the metrics of these readings.
#[rustfmt::skip]
#[expect(clippy::cast_precision_loss, reason = "a graph needs fewer digits")]
pub(super) fn registry(readings: &GaugeReadings<'_>) -> Registry {
    let GaugeReadings { process, connections, .. } = readings;
    let room = readings.room.unwrap_or_default();
    let mut all = Registry::default();
    gauge(&mut all, "process_resident_memory", "Memory of this process", Some(Unit::Bytes), process.resident_bytes as f64);
    gauge(&mut all, "process_open_fds", "Files and connections that this process has open", None, process.open_files as f64);
    gauge(&mut all, "process_max_fds", "Files and connections that it may have open", None, process.open_files_max as f64);
    let ours = all.sub_registry_with_prefix("fibfob");
    gauge(ours, "ready", "1 if /readyz answers ready, otherwise 0", None, f64::from(readings.ready));
    gauge(ours, "tcp_connections", "Open TCP connections, those of WebSockets too", None, connections.length as f64);
    gauge(ours, "tcp_connections_max", "TCP connections that may be open at once; further ones wait", None, connections.capacity as f64);
    gauge(ours, "store", "Length of the store", Some(Unit::Bytes), room.bytes as f64);
    gauge(ours, "store_free", "Room that is left on the disk of the store, or of --store-quota; +Inf if this server does not know", Some(Unit::Bytes), room.free.map_or(f64::INFINITY, |free| free as f64));
    gauge(ours, "stored_in_day", "What all together have stored in the last 24 hours, since this server started", Some(Unit::Bytes), readings.disk.all as f64);
    gauge(ours, "stored_in_day_largest", "The same for the address that has stored the most", Some(Unit::Bytes), readings.disk.largest as f64);
    gauge(ours, "erasures_pending", "Guests who are still being erased, and one more while the --forgotten list cannot be read", None, readings.erasures_pending as f64);
    gauge(ours, "servers", "Servers that live on the store, this one too", None, readings.servers as f64);
    gauge(ours, "database_disks", "Database servers that have a move on disk when it counts; 0 if the store is a file or cannot be read", None, room.database.map_or(0.0, |database| database.disks as f64));
    let [system, timeline] = room.database.map_or([0, 0], |database| [database.system, database.timeline]);
    let database = Info::new([("system", system.to_string()), ("timeline", timeline.to_string())]);
    ours.register("database", "The database by its system identifier, and how often a standby was promoted, plus one; 0 as above", database);
    gauge(ours, "certificate_not_after", "End of the TLS certificate, as seconds since 1970; +Inf without TLS, 0 while --acme has none", Some(Unit::Seconds), readings.not_after.map_or(f64::INFINITY, |end| end.as_secs_f64()));
    let [length, capacity] = [(); 2].map(|()| Labelled::<Number>::new("queue", QueueLabel::VARIANTS));
    for (queue, fill) in readings.queues {
        length.of(queue).set(fill.length as f64);
        capacity.of(queue).set(fill.capacity as f64);
    }
    ours.register("queue_length", "Entries that wait, by queue", length.series);
    ours.register("queue_capacity", "Capacity, by queue", capacity.series);
    let refused = Labelled::<Counter>::new("reason", RefusedFor::VARIANTS);
    for &reason in RefusedFor::VARIANTS {
        refused.of(reason).inc_by(readings.refusals.count(reason));
    }
    ours.register("refused", "Connections, requests and messages refused for what their client did, by reason", refused.series);
    let panics: Counter = Counter::default();
    panics.inc_by(panics::count());
    ours.register("panics", "Faults of this program that were caught", panics);
    all
}

fn gauge(registry: &mut Registry, name: &str, help: &str, unit: Option<Unit>, value: f64) {
    let gauge = Number::default();
    gauge.set(value);
    match unit {
        Some(unit) => registry.register_with_unit(name, help, unit, gauge),
        None => registry.register(name, help, gauge),
    }
}
