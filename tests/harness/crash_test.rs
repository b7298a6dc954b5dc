//! The crash test: many clients in many matches, a server that is killed again and again in the
//! middle of play, and the history checker over everything that the clients received.

mod client;
mod clients;
mod cluster;
mod connection;
mod counters;
mod late_views;
mod plan;
mod report;
mod requests;
mod soak;
mod statistics;
mod stored_logs;

pub use cluster::{ClusterReport, cluster_crash_test, patroni_crash_test};
pub use plan::CrashTestPlan;
pub use report::{CrashTestReport, Kill};
pub use soak::{Sample, SoakPlan, SoakReport, soak};

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fibfob_history::{
    Coverage, Evidence, History, Logs, Observation, Recorder, Uptime, Violation, check,
};
use fibfob_protocol::{MatchId, ServerMessage, Timestamp};
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::{Mutex as AsyncMutex, watch};

use crate::{Server, WAIT_MAX, with_timeout};
use clients::start_clients;
use counters::Counters;
use statistics::statistics;

/// A kill, before it is known what had been stored by then.
struct KillPoint {
    /// The place in the order of all observations.
    order: u64,
    /// Milliseconds since 1970, on the clock that server and clients share.
    at: u64,
    in_flight: usize,
    early: bool,
}

/// Runs a crash test and checks it. Calls `progress` after each round with its number and the
/// commands in flight at the kill.
///
/// # Panics
/// If the server does not start, or play comes to a standstill.
pub async fn crash_test(plan: CrashTestPlan, progress: impl Fn(u32, usize)) -> CrashTestReport {
    // Clients that come back get some matches from memory, some from the store, some as frames
    // and some as snapshots.
    let options = ["--snapshot-after", "6", "--idle-after", "1s"];
    let mut uptime = Uptime::default();
    uptime.started(Timestamp(now()));
    // All come back at once after a kill, from one address.
    let connections = 8 * 2 * (plan.guests + plan.watchers);
    let server = Server::start_with_capacity(connections, &options).await;
    let (address, server_address) = watch::channel(Some(server.address().to_owned()));
    let server = Arc::new(AsyncMutex::new(server));
    let (quiescent, is_quiescent) = watch::channel(false);
    let (recorder, counters) = (Recorder::default(), Arc::new(Counters::default()));
    let servers = [server_address];
    let mut clients = start_clients(&plan, &servers, &is_quiescent, &recorder, &counters);
    let (mut kills, mut killed_starting) = (Vec::new(), 0);
    let mut serves_since = Timestamp(now());
    for round in 0..plan.rounds {
        let mut rng = plan.choices().rng("kill", &[u64::from(round)]);
        let kill = kill_midway(&plan, &mut rng, &server, &recorder, &counters).await;
        address.send_replace(None);
        let mut server = server.lock().await;
        server.kill().await;
        uptime.stopped(Timestamp(now()));
        uptime.served(serves_since, Timestamp(kill.at));
        if rng.random_bool(0.2) {
            let millis = rng.random_range(0..40);
            uptime.started(Timestamp(now()));
            server.start_and_kill(Duration::from_millis(millis)).await;
            // It may have come to its first note of the time, or not.
            let stopped = Timestamp(now());
            uptime.stopped(stopped);
            uptime.served(stopped, stopped);
            killed_starting += 1;
        }
        uptime.started(Timestamp(now()));
        server.restart().await;
        serves_since = Timestamp(now());
        address.send_replace(Some(server.address().to_owned()));
        progress(round + 1, kill.in_flight);
        kills.push(kill);
    }
    let mut server = server.lock().await;
    quiescent.send_replace(true);
    let settled = tokio::time::timeout(WAIT_MAX, async {
        while let Some(done) = clients.join_next().await {
            done.expect("a client does not panic");
        }
    })
    .await;
    let unsettled = settled.is_err().then(|| unsettled(clients.len()));
    clients.shutdown().await;
    let histories = recorder.take_histories();
    let matches = known_matches(&histories);
    let (late_views, mut violations) = late_views::late_views(server.address(), &matches).await;
    server.kill().await;
    let stored = stored_logs::stored_logs(&server.file());
    let logs = Logs { stored, late_views };
    let evidence = Evidence {
        histories: &histories,
        logs: &logs,
        uptime: Some(&uptime),
    };
    let coverage = Coverage::default();
    violations.extend(check(&evidence, &coverage));
    violations.extend(unsettled);
    let mut report = statistics(&plan, &counters, &histories, &logs, &kills);
    report.killed_starting = killed_starting;
    report.violations = violations;
    report.charges = coverage.get("charge of a clock checked");
    report.charges_over_restarts = coverage.get("charge over a restart checked");
    report.given_back_ms = coverage.get("milliseconds given back by kills");
    report.timeouts = coverage.get("event: timed-out");
    report.claims = coverage.get("event: claimed");
    report
}

/// Kills the server in the middle of play: early or not, and at the very instant at which a
/// client receives an answer, or at a random one after it.
async fn kill_midway(
    plan: &CrashTestPlan,
    rng: &mut StdRng,
    server: &Arc<AsyncMutex<Server>>,
    recorder: &Recorder,
    counters: &Arc<Counters>,
) -> KillPoint {
    let early = rng.random_bool(0.25);
    let (least, most) = plan.answers;
    let (more, in_flight) = if early {
        (rng.random_range(0..least), 1)
    } else {
        (rng.random_range(least..most), plan.in_flight)
    };
    let kill = {
        let (server, counters) = (Arc::clone(server), Arc::clone(counters));
        let recorder = recorder.clone();
        move || {
            let point = KillPoint {
                in_flight: counters.in_flight(),
                order: recorder.next_order(),
                at: now(),
                early,
            };
            let mut server = server.try_lock().expect("nothing else holds the server");
            server.start_kill();
            point
        }
    };
    // A server that answers before it stores is caught best right after an answer; other
    // defects need any instant.
    if rng.random_bool(0.5) {
        let killed = counters.when(more, in_flight, kill);
        with_timeout("commands in flight", killed)
            .await
            .expect("the trigger runs")
    } else {
        let ready = counters.when(more, in_flight, || ());
        with_timeout("commands in flight", ready)
            .await
            .expect("the trigger runs");
        let micros = rng.random_range(0..10_000);
        tokio::time::sleep(Duration::from_micros(micros)).await;
        kill()
    }
}

fn unsettled(clients: usize) -> Violation {
    Violation::Unsettled {
        client: format!("{clients} clients"),
        awaited: "an answer, or the frame of an answered command".to_owned(),
    }
}

/// The matches that any client was told of.
fn known_matches(histories: &[History]) -> BTreeSet<MatchId> {
    let entries = histories.iter().flat_map(|history| &history.entries);
    let accepted = entries.filter_map(|entry| match &entry.observation {
        Observation::Received(message) => match &**message {
            ServerMessage::Accepted(accepted) => Some(accepted),
            _ => None,
        },
        _ => None,
    });
    accepted
        .flat_map(|accepted| {
            let next = accepted.next.as_ref().map(|next| next.id);
            accepted.match_id.into_iter().chain(next)
        })
        .collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
