//! The failures of a cluster's parts.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use fibfob_protocol::Timestamp;
use tokio::time::sleep;

use super::database::DatabasePair;
use super::servers::{SERVERS, Servers};
use super::shared_database::SharedDatabase;
use crate::crash_test::now;

/// The time for which one of the killed servers, a frozen one and one that was cut off are gone:
/// longer than the others wait for its signs of life.
const GONE_FOR: Duration = Duration::from_secs(7);
/// The time for which a database does not answer: the servers wait for it.
const DATABASE_GONE_FOR: Duration = Duration::from_secs(2);
/// The silence of all servers that is a downtime, which nobody is charged for. Until then they decide
/// what is stored once there is a primary again.
pub(super) const SERVICE_GAP: Duration = Duration::from_secs(5);
/// The time from then to the promotion.
const PROMOTED_AFTER: Duration = Duration::from_secs(3);

/// The part of the readiness's text that says that a move is on the promoted server alone.
const KEPT_ONCE: &str = "on one database server's disk";

/// A failure, and the return from it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Failure {
    /// SIGKILL of a server, which is gone for a while.
    ServerKilled(usize),
    /// SIGKILL of a server, which is started again at once.
    ServerRestarted(usize),
    /// SIGSTOP of a server.
    ServerFrozen(usize),
    /// A server without its links to the databases.
    ServerCutOff(usize),
    /// All servers are drained and started again, one after the other.
    RollingRestart,
    /// SIGKILL of the standby, for which every commit waits.
    StandbyKilled,
    /// SIGSTOP of the standby.
    StandbyFrozen,
    /// The standby without its link to the primary.
    StandbyCutOff,
    /// SIGKILL of the primary, which is started again.
    PrimaryRestarted,
    /// SIGSTOP of the primary.
    PrimaryFrozen,
    /// The primary without its links to the servers.
    PrimaryCutOff,
    /// SIGKILL of the primary; the standby is promoted and gets a standby.
    FailOver,
    /// The standby is promoted while the primary lives and answers, as in a network that parts them.
    PromotedBeside,
}

/// Returns the failures of a round. The first one has each kind of failure; later ones change the
/// servers.
pub(super) fn failures_of_round(round: u32) -> Vec<Failure> {
    let server = |step: usize| (round as usize + step) % SERVERS;
    vec![
        Failure::ServerKilled(server(0)),
        Failure::ServerRestarted(server(1)),
        Failure::StandbyKilled,
        Failure::ServerFrozen(server(2)),
        Failure::StandbyFrozen,
        Failure::StandbyCutOff,
        Failure::ServerCutOff(server(0)),
        Failure::PrimaryFrozen,
        Failure::PrimaryCutOff,
        Failure::RollingRestart,
        Failure::PrimaryRestarted,
        Failure::FailOver,
        Failure::PromotedBeside,
    ]
}

impl Failure {
    /// Lets it happen, and ends it. Returns the instants between which the service was surely down, if
    /// it was for so long that nobody is charged for it.
    pub(super) async fn happen(
        self,
        database: &mut DatabasePair,
        servers: &mut Servers,
    ) -> Option<Range<Timestamp>> {
        match self {
            Self::ServerKilled(number) => {
                servers.kill(number).await;
                sleep(GONE_FOR).await;
                servers.restart(number).await;
            }
            Self::ServerRestarted(number) => {
                servers.kill(number).await;
                servers.restart(number).await;
            }
            Self::ServerFrozen(number) => {
                servers.freeze(number).await;
                sleep(GONE_FOR).await;
                servers.thaw(number).await;
            }
            Self::ServerCutOff(number) => {
                servers.cut(number);
                sleep(GONE_FOR).await;
                servers.mend(number);
            }
            Self::RollingRestart => {
                for number in 0..SERVERS {
                    servers.drain(number).await;
                    servers.restart(number).await;
                }
            }
            Self::StandbyKilled => {
                database.standby().kill();
                database.standby().start();
                database.wait_for_standby();
            }
            Self::StandbyFrozen => {
                database.standby().freeze();
                sleep(DATABASE_GONE_FOR).await;
                database.standby().thaw();
            }
            Self::StandbyCutOff => {
                database.replication().cut();
                sleep(DATABASE_GONE_FOR).await;
                database.replication().mend();
            }
            Self::PrimaryRestarted => {
                database.primary().kill();
                database.primary().start();
            }
            Self::PrimaryFrozen => {
                database.primary().freeze();
                sleep(DATABASE_GONE_FOR).await;
                database.primary().thaw();
            }
            Self::PrimaryCutOff => {
                let place = database.primary_place();
                servers.cut_from(place);
                sleep(DATABASE_GONE_FOR).await;
                servers.mend_to(place);
            }
            Self::FailOver => {
                database.primary().kill();
                sleep(SERVICE_GAP).await;
                let down_since = Timestamp(now());
                sleep(PROMOTED_AFTER).await;
                let until = Timestamp(now());
                database.promote_standby();
                database.replace_standby().await;
                servers.lead_to(&database.ports());
                return Some(down_since..until);
            }
            Self::PromotedBeside => {
                database.promote_standby();
                servers.wait_until_all_say(KEPT_ONCE).await;
                sleep(DATABASE_GONE_FOR).await;
                database.replace_standby().await;
                servers.lead_to(&database.ports());
            }
        }
        None
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerKilled(number) => write!(f, "server {number} killed"),
            Self::ServerRestarted(number) => write!(f, "server {number} killed and restarted"),
            Self::ServerFrozen(number) => write!(f, "server {number} frozen"),
            Self::ServerCutOff(number) => write!(f, "server {number} cut off"),
            Self::RollingRestart => f.write_str("rolling restart"),
            Self::StandbyKilled => f.write_str("standby killed"),
            Self::StandbyFrozen => f.write_str("standby frozen"),
            Self::StandbyCutOff => f.write_str("standby cut off"),
            Self::PrimaryRestarted => f.write_str("primary killed and restarted"),
            Self::PrimaryFrozen => f.write_str("primary frozen"),
            Self::PrimaryCutOff => f.write_str("primary cut off"),
            Self::FailOver => f.write_str("primary killed, standby promoted"),
            Self::PromotedBeside => f.write_str("standby promoted, primary lives"),
        }
    }
}
