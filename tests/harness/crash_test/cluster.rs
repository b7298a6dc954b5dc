//! The crash test of a cluster: three servers on one database with a synchronous standby, the
//! clients of each match spread over them, and failures of each part in turn.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fibfob_history::{Coverage, Evidence, Logs, Recorder, Violation, check};
use fibfob_protocol::{MatchId, Record};
use fibfob_test_postgres::DatabaseServer;
use tokio::sync::watch;
use tokio::time::sleep;

use super::clients::start_clients;
use super::counters::Counters;
use super::statistics::statistics;
use super::{CrashTestPlan, CrashTestReport, known_matches, late_views, unsettled};
use crate::{Server, WAIT_MAX, with_timeout};

/// The servers of the cluster.
const SERVERS: usize = 3;
/// The time for which a killed server is gone: longer than the others wait for its signs of life.
const GONE_FOR: Duration = Duration::from_secs(6);
/// The time for which a server is frozen: longer than that, too.
const FROZEN_FOR: Duration = Duration::from_secs(7);
/// The database that the servers share.
const DATABASE: &str = "games";

/// The outcome of a cluster's crash test.
pub struct ClusterReport {
    /// Failures of servers.
    pub server_failures: u32,
    /// Failures of the primary.
    pub database_failures: u32,
    /// The counts, and what is wrong.
    pub report: CrashTestReport,
}

/// The servers, each with the address that its clients wait for.
struct Cluster {
    servers: Vec<Server>,
    addresses: Vec<watch::Sender<Option<String>>>,
    counters: Arc<Counters>,
    answers: u64,
}

/// Runs the test: in each of the plan's rounds every server is killed and started again and one is
/// frozen; in the last one the primary is killed and its standby promoted.
///
/// # Panics
/// If a server does not start, or play comes to a standstill.
pub async fn cluster_crash_test(plan: CrashTestPlan) -> ClusterReport {
    let primary = DatabaseServer::primary();
    primary.create_database(DATABASE);
    let standby = primary.standby("b");
    primary.wait_for_standby("b");
    let url = DatabaseServer::url(&[&primary, &standby], DATABASE);
    // The promoted one has no standby.
    let options = ["--store", &url, "--allow-single-database"];
    let options = [
        &options[..],
        &["--snapshot-after", "6", "--idle-after", "1s"],
    ]
    .concat();
    let connections = 8 * 2 * (plan.guests + plan.watchers);
    let (mut servers, mut addresses) = (Vec::new(), Vec::new());
    for _ in 0..SERVERS {
        let server = Server::start_with_capacity(connections, &options).await;
        let address = Some(server.address().to_owned());
        addresses.push(watch::Sender::new(address));
        servers.push(server);
    }
    let (quiescent, is_quiescent) = watch::channel(false);
    let (recorder, counters) = (Recorder::default(), Arc::new(Counters::default()));
    let known: Vec<_> = addresses.iter().map(watch::Sender::subscribe).collect();
    let mut clients = start_clients(&plan, &known, &is_quiescent, &recorder, &counters);
    let mut cluster = Cluster {
        servers,
        addresses,
        counters: Arc::clone(&counters),
        answers: plan.answers.0,
    };
    let mut server_failures = 0;
    for _ in 0..plan.rounds {
        for number in 0..SERVERS {
            cluster.kill_and_restart(number).await;
        }
        cluster.freeze(0).await;
        server_failures += 1 + u32::try_from(SERVERS).expect("few servers");
    }
    cluster.play().await;
    primary.kill();
    standby.promote();
    cluster.play().await;
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
    let matches = known_matches(&histories);
    let address = cluster.servers[1].address();
    let (late_views, mut violations) = late_views::late_views(address, &matches).await;
    for server in &mut cluster.servers {
        server.kill().await;
    }
    let stored = stored_logs(&standby);
    let logs = Logs { stored, late_views };
    let evidence = Evidence {
        histories: &histories,
        logs: &logs,
        uptime: None,
    };
    let coverage = Coverage::default();
    violations.extend(check(&evidence, &coverage));
    violations.extend::<Option<Violation>>(open);
    let mut report = statistics(&plan, &counters, &histories, &logs, &[]);
    report.violations = violations;
    report.timeouts = coverage.get("event: timed-out");
    report.claims = coverage.get("event: claimed");
    ClusterReport {
        server_failures,
        database_failures: 1,
        report,
    }
}

impl Cluster {
    /// Waits until play has gone on.
    async fn play(&self) {
        let played = self.counters.when(self.answers, 1, || ());
        let played = with_timeout("commands to be answered", played).await;
        played.expect("the trigger runs");
    }

    async fn kill_and_restart(&mut self, number: usize) {
        self.play().await;
        self.addresses[number].send_replace(None);
        let server = &mut self.servers[number];
        server.kill().await;
        sleep(GONE_FOR).await;
        server.restart().await;
        let address = server.address().to_owned();
        self.addresses[number].send_replace(Some(address));
    }

    async fn freeze(&mut self, number: usize) {
        self.play().await;
        self.servers[number].signal("-STOP").await;
        sleep(FROZEN_FOR).await;
        self.servers[number].signal("-CONT").await;
    }
}

/// Reads all logs from the database.
fn stored_logs(database: &DatabaseServer) -> BTreeMap<MatchId, Vec<Record>> {
    let sql = "SELECT match_id || ' ' || record FROM fibfob.event ORDER BY match_id, version";
    let mut logs: BTreeMap<MatchId, Vec<Record>> = BTreeMap::new();
    for line in database.sql(DATABASE, sql).lines() {
        let (id, record) = line.split_once(' ').expect("two columns");
        let id = MatchId(id.parse().expect("an id"));
        let record = serde_json::from_str(record).expect("a record of this version");
        logs.entry(id).or_default().push(record);
    }
    logs
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        writeln!(
            f,
            "{} failures of servers, {} of the primary; {} commands, {} acknowledged, {} refused for \
             good, {} resent; {} matches, {} over, {} events, {} shown; {} out of time, {} claimed; {} \
             violations",
            self.server_failures,
            self.database_failures,
            report.commands,
            report.acknowledged,
            report.refused,
            report.resent,
            report.matches,
            report.over,
            report.events,
            report.shown,
            report.timeouts,
            report.claims,
            report.violations.len(),
        )?;
        for violation in report.violations.iter().take(20) {
            writeln!(f, "  {violation}")?;
        }
        Ok(())
    }
}
