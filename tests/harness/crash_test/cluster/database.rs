//! The primary and its synchronous standby, which change places.

use std::ops::Range;

use fibfob_protocol::Timestamp;
use fibfob_test_postgres::DatabaseServer;

use super::failures::{Failure, failures_of_round};
use super::servers::Servers;
use super::shared_database::SharedDatabase;
use crate::link::Link;

/// The database that the servers share.
const DATABASE: &str = "games";

/// A primary and a standby, each at one of two places.
pub(super) struct DatabasePair {
    places: [DatabaseServer; 2],
    /// The place of the primary.
    primary: usize,
    /// The name of the standby: each has its own.
    standby_name: String,
    /// The standby's link to its primary.
    replication: Link,
    promotions: usize,
}

impl SharedDatabase for DatabasePair {
    type Failure = Failure;

    // A promoted standby waits for nobody until it has one itself.
    const SERVER_OPTIONS: &[&str] = &["--allow-single-database"];

    async fn start() -> Self {
        let primary = DatabaseServer::primary();
        primary.create_database(DATABASE);
        let replication = Link::to(primary.port()).await;
        let standby_name = "standby_0".to_owned();
        let standby = follow(&primary, &replication, &standby_name).await;
        Self {
            places: [primary, standby],
            primary: 0,
            standby_name,
            replication,
            promotions: 0,
        }
    }

    fn ports(&self) -> Vec<u16> {
        self.places.iter().map(DatabaseServer::port).collect()
    }

    fn url(ports: &[u16]) -> String {
        DatabaseServer::url_of_ports(ports, DATABASE)
    }

    fn sql(&self, sql: &str) -> String {
        self.primary().sql(DATABASE, sql)
    }

    fn failures_of_round(round: u32) -> Vec<Failure> {
        failures_of_round(round)
    }

    async fn suffer(
        &mut self,
        failure: Failure,
        servers: &mut Servers,
    ) -> Option<Range<Timestamp>> {
        failure.happen(self, servers).await
    }
}

impl DatabasePair {
    pub(super) fn primary(&self) -> &DatabaseServer {
        &self.places[self.primary]
    }

    pub(super) fn primary_place(&self) -> usize {
        self.primary
    }

    pub(super) fn standby(&self) -> &DatabaseServer {
        &self.places[1 - self.primary]
    }

    /// The link between the two.
    pub(super) fn replication(&self) -> &Link {
        &self.replication
    }

    /// Makes the standby the primary, which then waits for nobody.
    pub(super) fn promote_standby(&mut self) {
        self.standby().promote();
        self.primary = 1 - self.primary;
    }

    /// Replaces the former primary by a new standby, for which each commit waits.
    pub(super) async fn replace_standby(&mut self) {
        self.promotions += 1;
        self.standby_name = format!("standby_{}", self.promotions);
        self.replication = Link::to(self.primary().port()).await;
        let standby = follow(self.primary(), &self.replication, &self.standby_name).await;
        self.places[1 - self.primary] = standby;
    }

    /// Waits until the standby follows again.
    pub(super) fn wait_for_standby(&self) {
        self.primary().wait_for_standby(&self.standby_name);
    }
}

/// Starts a standby of this primary that follows it over the link, and for which it waits.
async fn follow(primary: &DatabaseServer, link: &Link, name: &str) -> DatabaseServer {
    // The copy is made by another program, which blocks this thread while the link works on others.
    let standby = tokio::task::block_in_place(|| primary.standby_over(link.port(), name));
    tokio::task::block_in_place(|| primary.wait_for_standby(name));
    standby
}
