//! The soak test: the clients of the crash test and a server that nobody kills, for a long time, and the memory
//! and descriptors that the server takes meanwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fibfob_history::Recorder;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::clients::start_clients;
use super::counters::Counters;
use super::plan::CrashTestPlan;
use crate::resources::{open_descriptors, process_memory_kib};
use crate::{Server, with_timeout};

/// The connections of each client.
const CONNECTIONS_EACH: usize = 2;
/// The time without a viewer after which a match leaves the server's memory.
const IDLE_AFTER: Duration = Duration::from_secs(1);
/// The rise of the memory over the measured time that counts as none: a part of what it was.
const FLAT: f64 = 0.05;

/// The size of a soak test.
#[derive(Clone, Debug)]
pub struct SoakPlan {
    /// The clients.
    pub clients: CrashTestPlan,
    /// The time that all clients stay.
    pub time: Duration,
    /// The pause between two samples of the server.
    pub every: Duration,
}

/// One sample of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The time since the start.
    pub at: Duration,
    /// Memory that the server holds, in KiB.
    pub memory_kib: u64,
    /// Files and sockets that it has open.
    pub descriptors: usize,
    /// Answers to commands so far.
    pub answers: u64,
}

/// The result of a soak test.
#[derive(Clone, Debug)]
pub struct SoakReport {
    /// The samples with all clients.
    pub busy: Vec<Sample>,
    /// The one after they have left.
    pub rested: Sample,
    /// The connections of the plan.
    pub planned_connections: u64,
    /// Those that were opened: more, if the server has ended one.
    pub connections: u64,
}

impl SoakReport {
    /// The share by which the memory rose: the mean of the last fifth of the samples beside that of the second
    /// one, because the first one warms the server up.
    #[must_use]
    pub fn rise(&self) -> f64 {
        let fifth = (self.busy.len() / 5).max(1);
        let mean = |samples: &[Sample]| {
            let sum: u64 = samples.iter().map(|sample| sample.memory_kib).sum();
            sum as f64 / samples.len().max(1) as f64
        };
        let last = self.busy.len().saturating_sub(fifth);
        let early = self.busy.iter().skip(fifth).take(fifth).copied();
        mean(&self.busy[last..]) / mean(&early.collect::<Vec<_>>()) - 1.0
    }

    /// True if the server has ended no connection and its memory is flat.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.connections == self.planned_connections && self.rise() <= FLAT
    }
}

/// Runs a soak test. Calls `progress` with each sample.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn soak(plan: SoakPlan, progress: impl Fn(&Sample)) -> SoakReport {
    let clients = plan.clients.guests + plan.clients.watchers;
    let idle = format!("{}ms", IDLE_AFTER.as_millis());
    let connections = CONNECTIONS_EACH * clients;
    let server = Server::start_with_capacity(2 * connections, &["--idle-after", &idle]).await;
    let (_address, server_address) = watch::channel(Some(server.address().to_owned()));
    let (quiescent, is_quiescent) = watch::channel(false);
    let (recorder, counters) = (Recorder::default(), Arc::new(Counters::default()));
    let servers = [server_address];
    let mut all = start_clients(&plan.clients, &servers, &is_quiescent, &recorder, &counters);
    let began = Instant::now();
    let sample = || Sample {
        at: began.elapsed(),
        memory_kib: process_memory_kib(server.id()).expect("the server runs, on Linux"),
        descriptors: open_descriptors(server.id()).expect("the server runs, on Linux"),
        answers: counters.answers(),
    };
    let mut busy = Vec::new();
    while began.elapsed() < plan.time {
        sleep(plan.every).await;
        let sample = sample();
        progress(&sample);
        busy.push(sample);
        // Nobody checks the histories of so long a run, and they would fill this program's memory.
        drop(recorder.take_histories());
    }
    quiescent.send_replace(true);
    with_timeout("clients to end", async {
        while let Some(ended) = all.join_next().await {
            ended.expect("no client panics");
        }
    })
    .await;
    // The matches that clients have left must leave the server's memory, too.
    sleep(2 * IDLE_AFTER).await;
    SoakReport {
        busy,
        rested: sample(),
        planned_connections: connections as u64,
        connections: counters.connections.load(Ordering::Relaxed),
    }
}
