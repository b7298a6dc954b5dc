//! The database that the servers of a cluster share, and its failures.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;

use fibfob_protocol::{MatchId, Record, Timestamp};
use serde_json::Value;

use super::servers::Servers;
use crate::crash_test::stored_logs;

/// A database with several servers, of which one takes the writes.
pub(super) trait SharedDatabase: Sized {
    /// The failures of its parts and of the game servers.
    type Failure: Copy + Display + Ord;

    /// The options of each game server that it needs.
    const SERVER_OPTIONS: &[&str];

    /// Starts its servers.
    async fn start() -> Self;

    /// The ports of its servers.
    fn ports(&self) -> Vec<u16>;

    /// The address of the database through these ports.
    fn url(ports: &[u16]) -> String;

    /// Runs SQL on the primary and returns the rows.
    fn sql(&self, sql: &str) -> String;

    /// Returns the failures of a round.
    fn failures_of_round(round: u32) -> Vec<Self::Failure>;

    /// Lets a failure happen, and ends it. Returns the instants between which the service was surely
    /// down, if it was for so long that nobody is charged for it.
    async fn suffer(
        &mut self,
        failure: Self::Failure,
        servers: &mut Servers,
    ) -> Option<Range<Timestamp>>;

    /// Reads all logs.
    fn logs(&self) -> BTreeMap<MatchId, Vec<Record>> {
        let sql = "SELECT json_build_array(match_id, record,
                 json_build_object('kind', 'human', 'guest', creator, 'name', creator_name),
                 json_build_object('kind', 'human', 'guest', joiner, 'name', joiner_name))
             FROM fibfob.event JOIN fibfob.match ON id = match_id ORDER BY match_id, version";
        let mut logs: BTreeMap<MatchId, Vec<Record>> = BTreeMap::new();
        for line in self.sql(sql).lines() {
            let columns: (MatchId, String, Value, Value) =
                serde_json::from_str(line).expect("four columns");
            let (id, text, creator, joiner) = columns;
            let record = stored_logs::record(&text, &[creator, joiner]);
            logs.entry(id).or_default().push(record);
        }
        logs
    }
}
