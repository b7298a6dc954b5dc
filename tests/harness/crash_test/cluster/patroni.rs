//! A database whose standbys Patroni promotes by itself.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use fibfob_protocol::Timestamp;
use fibfob_test_postgres::{DatabaseServer, PatroniNodes};
use tokio::task::block_in_place;
use tokio::time::sleep;

use super::failures::SERVICE_GAP;
use super::servers::Servers;
use super::shared_database::SharedDatabase;
use crate::crash_test::now;
use crate::within;

/// The pause between two looks at the databases.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The part of the readiness's text that says that a move is kept twice.
const KEPT_TWICE: &str = "on the disks of two database servers";

/// A failure of a database under Patroni, or the return from it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum PatroniFailure {
    /// SIGKILL of the leader's whole node, until another server takes writes.
    LeaderKilled,
    /// The return of that node, until its server follows.
    NodeBack,
    /// SIGSTOP of the leader's Patroni, whose PostgreSQL goes on, until another one leads beside it.
    LeaderFrozen,
    /// SIGKILL of that node, as by a watchdog, until one leads. A Patroni that goes on instead takes the
    /// lead back before version 3.0.3, and drops what the other leader has confirmed.
    FrozenKilled,
    /// A switchover in order, until all others follow the new leader.
    SwitchOver,
}

impl SharedDatabase for PatroniNodes {
    type Failure = PatroniFailure;

    // Patroni leaves none that waits for nobody.
    const SERVER_OPTIONS: &[&str] = &[];

    async fn start() -> Self {
        block_in_place(PatroniNodes::start)
    }

    fn ports(&self) -> Vec<u16> {
        PatroniNodes::ports(self)
    }

    fn url(ports: &[u16]) -> String {
        DatabaseServer::url_of_ports(ports, PatroniNodes::DATABASE)
    }

    fn sql(&self, sql: &str) -> String {
        PatroniNodes::sql(self, Self::DATABASE, sql)
    }

    fn failures_of_round(_: u32) -> Vec<PatroniFailure> {
        use PatroniFailure::{FrozenKilled, LeaderFrozen, LeaderKilled, NodeBack, SwitchOver};
        vec![
            LeaderKilled,
            NodeBack,
            SwitchOver,
            LeaderFrozen,
            FrozenKilled,
            NodeBack,
        ]
    }

    async fn suffer(
        &mut self,
        failure: PatroniFailure,
        servers: &mut Servers,
    ) -> Option<Range<Timestamp>> {
        let mut down = None;
        match failure {
            PatroniFailure::LeaderKilled => {
                block_in_place(|| self.kill_leader());
                let down_since = Timestamp(now() + millis(SERVICE_GAP));
                let promoted = within(Self::WAIT_MAX, "Patroni to promote another one", async {
                    loop {
                        let looked_at = now();
                        if block_in_place(|| self.primary()).is_some() {
                            return Timestamp(looked_at);
                        }
                        sleep(LOOK_EVERY).await;
                    }
                });
                let promoted = promoted.await;
                down = (down_since < promoted).then_some(down_since..promoted);
            }
            PatroniFailure::NodeBack => {
                self.bring_back();
                wait_until_complete(self).await;
            }
            PatroniFailure::LeaderFrozen => {
                self.freeze_leader();
                within(Self::WAIT_MAX, "a second primary", async {
                    while block_in_place(|| self.primaries().len()) < 2 {
                        sleep(LOOK_EVERY).await;
                    }
                })
                .await;
            }
            PatroniFailure::FrozenKilled => {
                self.kill_frozen();
                within(Self::WAIT_MAX, "one primary", async {
                    while block_in_place(|| self.primaries().len()) != 1 {
                        sleep(LOOK_EVERY).await;
                    }
                })
                .await;
            }
            PatroniFailure::SwitchOver => {
                let before = block_in_place(|| self.primary());
                self.switch_over();
                within(Self::WAIT_MAX, "the switchover", async {
                    while block_in_place(|| self.primary()).is_none_or(|it| Some(it) == before) {
                        sleep(LOOK_EVERY).await;
                    }
                })
                .await;
                wait_until_complete(self).await;
            }
        }
        servers.wait_until_all_say(KEPT_TWICE).await;
        down
    }
}

/// Waits until all databases run, and commits wait for one that follows.
async fn wait_until_complete(nodes: &PatroniNodes) {
    within(PatroniNodes::WAIT_MAX, "all databases", async {
        while !block_in_place(|| nodes.is_complete()) {
            sleep(LOOK_EVERY).await;
        }
    })
    .await;
}

impl fmt::Display for PatroniFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LeaderKilled => "leader's node killed, another leads",
            Self::NodeBack => "killed node back, follows",
            Self::LeaderFrozen => "leader's Patroni frozen, two lead",
            Self::FrozenKilled => "its node killed, one leads",
            Self::SwitchOver => "switchover",
        })
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
