//! The crash test of a cluster: three servers on one database with a synchronous standby, clients
//! of the same match at different servers, and failures of each part in turn. The databases are led by
//! this program, or by Patroni.

mod database;
mod failures;
mod patroni;
mod report;
mod servers;
mod shared_database;

pub use report::ClusterReport;

use std::sync::Arc;

use fibfob_history::{Coverage, Evidence, Logs, Recorder, Uptime, Violation, check};
use fibfob_protocol::Timestamp;
use fibfob_test_postgres::PatroniNodes;
use tokio::sync::watch;

use super::clients::start_clients;
use super::counters::Counters;
use super::statistics::statistics;
use super::{CrashTestPlan, known_matches, late_views, unsettled};
use crate::{WAIT_MAX, with_timeout};
use database::DatabasePair;
use report::Failures;
use servers::Servers;
use shared_database::SharedDatabase;

/// Everything that fails, and the clients' counts.
struct Cluster<D: SharedDatabase> {
    database: D,
    servers: Servers,
    counters: Arc<Counters>,
    /// The times at which the service ran: a server with its database.
    uptime: Uptime,
    /// What has failed, in order.
    failures: Vec<D::Failure>,
    /// Answers between two failures.
    answers: u64,
}

/// Runs the test: the failures of each of the plan's rounds, one after the other, while the clients
/// play. Calls `progress` with each failure.
///
/// # Panics
/// If a server does not start, or play comes to a standstill.
pub async fn cluster_crash_test(plan: CrashTestPlan, progress: impl Fn(&str)) -> ClusterReport {
    crash_test_on::<DatabasePair>(plan, progress).await
}

/// Runs the test on databases under Patroni: in each round the leader's node is killed, another one
/// leads without anybody's help, the killed one comes back, and there is a switchover. Calls `progress`
/// with each failure.
///
/// # Panics
/// If a server does not start, no other one leads, or play comes to a standstill.
pub async fn patroni_crash_test(plan: CrashTestPlan, progress: impl Fn(&str)) -> ClusterReport {
    crash_test_on::<PatroniNodes>(plan, progress).await
}

async fn crash_test_on<D: SharedDatabase>(
    plan: CrashTestPlan,
    progress: impl Fn(&str),
) -> ClusterReport {
    let database = D::start().await;
    let connections = 8 * 2 * (plan.guests + plan.watchers);
    let servers = Servers::start(&database, connections).await;
    let (quiescent, is_quiescent) = watch::channel(false);
    let (recorder, counters) = (Recorder::default(), Arc::new(Counters::default()));
    let addresses = servers.addresses();
    let mut clients = start_clients(&plan, &addresses, &is_quiescent, &recorder, &counters);
    let mut uptime = Uptime::default();
    uptime.started(Timestamp(0));
    let mut cluster = Cluster {
        database,
        servers,
        counters: Arc::clone(&counters),
        uptime,
        failures: Vec::new(),
        answers: plan.answers.0,
    };
    cluster.play().await;
    for round in 0..plan.rounds {
        for failure in D::failures_of_round(round) {
            progress(&failure.to_string());
            cluster.suffer(failure).await;
        }
    }
    quiescent.send_replace(true);
    let settled = tokio::time::timeout(WAIT_MAX, async {
        while let Some(done) = clients.join_next().await {
            done.expect("a client does not panic");
        }
    })
    .await;
    let open = settled.is_err().then(|| unsettled(clients.len()));
    clients.shutdown().await;
    let histories = recorder.take_histories();
    let (matches, stored) = (known_matches(&histories), cluster.database.logs());
    let address = cluster.servers.address(1);
    let late_views = late_views::late_views_of_stored(address, &matches, &stored);
    let (late_views, mut violations) = late_views.await;
    cluster.servers.kill_all().await;
    let logs = Logs {
        stored: cluster.database.logs(),
        late_views,
    };
    let evidence = Evidence {
        histories: &histories,
        logs: &logs,
        uptime: Some(&cluster.uptime),
    };
    let coverage = Coverage::default();
    violations.extend(check(&evidence, &coverage));
    violations.extend::<Option<Violation>>(open);
    let mut report = statistics(&plan, &counters, &histories, &logs, &[]);
    report.violations = violations;
    report.timeouts = coverage.get("event: timed-out");
    report.claims = coverage.get("event: claimed");
    let retries = counters.take_longest_retries();
    ClusterReport {
        failures: Failures::of(cluster.failures.into_iter().zip(retries)),
        report,
    }
}

impl<D: SharedDatabase> Cluster<D> {
    /// Waits until play has gone on.
    async fn play(&self) {
        let played = self.counters.when(self.answers, 1, || ());
        let played = with_timeout("commands to be answered", played).await;
        played.expect("the trigger runs");
    }

    /// Lets something fail and come back, and waits until play has gone on.
    async fn suffer(&mut self, failure: D::Failure) {
        self.counters.failure_begins();
        let happening = self.database.suffer(failure, &mut self.servers);
        if let Some(down) = happening.await {
            self.uptime.stopped(down.start);
            self.uptime.started(down.end);
        }
        self.play().await;
        self.failures.push(failure);
    }
}
