//! The settings of a database server that decide what its acknowledgement means.

use fibfob_store::FailureKind;
use tokio::time::Instant;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::error::ServerError;
use crate::limits::STATEMENT_WITHIN;

/// Sets what each connection needs, and reads back what the server makes of it.
///
/// Tables without a schema's name are the store's. Nothing of the server's own configuration may end a write early,
/// and statements keep plans that use the indexes, whatever the statistics say of a table that was empty a minute ago.
const SETTINGS: &str = "
    SET search_path = fibfob;
    SET statement_timeout = 0;
    SET lock_timeout = 0;
    SET default_transaction_isolation = 'read committed';
    SET client_min_messages = warning;
    SET jit = off;
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
    SELECT set_config('client_connection_check_interval', '1s', false)
        WHERE current_setting('client_connection_check_interval', true) IS NOT NULL;
    SELECT current_setting('transaction_read_only') AS read_only,
           current_setting('synchronous_commit') AS synchronous_commit,
           current_setting('synchronous_standby_names') AS standbys,
           current_setting('fsync') AS fsync,
           current_setting('server_version') AS version,
           pg_backend_pid() AS process,
           (SELECT system_identifier FROM pg_control_system()) AS system,
           CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END
               AS log_file,
           pg_postmaster_start_time() AS started,
           to_regclass('fibfob.store') IS NOT NULL AS has_store";

/// A primary while it runs. Servers that were copied from each other are of one system, in which each
/// promotion begins a timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Primary {
    system: String,
    pub(super) timeline: u32,
    started: String,
}

impl Primary {
    /// Returns true if this one was promoted after the other one had led.
    pub(super) fn succeeds(&self, other: &Self) -> bool {
        self.system == other.system && self.timeline > other.timeline
    }

    /// Returns true if nobody was promoted between the two.
    pub(super) fn is_of_the_time_of(&self, other: &Self) -> bool {
        self.system == other.system && self.timeline == other.timeline
    }
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) read_only: bool,
    pub(super) synchronous_commit: String,
    /// The standbys that a commit waits for; empty if it waits for none.
    pub(super) standbys: String,
    pub(super) fsync: String,
    pub(super) version: String,
    pub(super) process: i32,
    /// The server, if it is no standby.
    pub(super) primary: Primary,
    pub(super) has_store: bool,
}

impl Settings {
    pub(super) async fn read(client: &Client) -> Result<Self, tokio_postgres::Error> {
        let answers = client.simple_query(SETTINGS).await?;
        let row = answers.iter().rev().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let row = row.expect("the last statement has one row");
        let text = |column| {
            let text: Option<&str> = row.try_get(column)?;
            Ok::<_, tokio_postgres::Error>(text.unwrap_or_default().to_owned())
        };
        // The name of the file that is written begins with the timeline. The control file still has
        // the one before for a while after a promotion.
        let log_file = text("log_file")?;
        let timeline = log_file.get(..8).unwrap_or_default();
        let primary = Primary {
            system: text("system")?,
            timeline: u32::from_str_radix(timeline, 16).unwrap_or_default(),
            started: text("started")?,
        };
        Ok(Self {
            read_only: text("read_only")? == "on",
            synchronous_commit: text("synchronous_commit")?,
            standbys: text("standbys")?,
            fsync: text("fsync")?,
            version: text("version")?,
            process: text("process")?.parse().unwrap_or_default(),
            primary,
            has_store: text("has_store")? == "t",
        })
    }

    /// Checks that this is the primary, and that what it acknowledges is kept.
    pub(super) fn check(&self, allow_single_database: bool) -> Result<(), ServerError> {
        if self.read_only {
            return Err(ServerError::new(FailureKind::Standby, "it is a standby"));
        }
        let (commits, fsync) = (&self.synchronous_commit, &self.fsync);
        for (setting, found, enough) in [
            ("synchronous_commit", commits, "remote_apply"),
            ("fsync", fsync, "on"),
        ] {
            if ![enough, "on"].contains(&found.as_str()) {
                let why = format!(
                    "it has {setting} = {found} where on is needed to keep what is acknowledged"
                );
                return Err(ServerError::new(FailureKind::Refused, why));
            }
        }
        if self.standbys.is_empty() && !allow_single_database {
            return Err(ServerError::new(
                FailureKind::Refused,
                "it has no synchronous standby (synchronous_standby_names is empty), so that what it \
                 confirms is on one machine only; name one, or allow that with --allow-single-database",
            ));
        }
        Ok(())
    }

    /// The error of a write that was not confirmed in time.
    pub(super) fn unconfirmed(&self) -> ServerError {
        if self.standbys.is_empty() {
            return ServerError::silent(STATEMENT_WITHIN);
        }
        let why = format!(
            "it has not confirmed a write within {} s: it waits for the standby {} \
             (synchronous_standby_names); start that one, or, if this server was promoted and is \
             alone, empty the setting (deploy/database promote)",
            STATEMENT_WITHIN.as_secs(),
            self.standbys
        );
        ServerError::new(FailureKind::Unanswered, why)
    }

    /// Logs which database this is, and on how many machines it keeps what it acknowledges.
    pub(super) fn introduce(&self, server: &str) {
        let (version, standbys) = (&self.version, &self.standbys);
        if self.standbys.is_empty() {
            tracing::warn!(
                server,
                version,
                "the store is a PostgreSQL database without a synchronous standby: moves are lost \
                 with its disk"
            );
        } else {
            tracing::info!(
                server,
                version,
                standbys,
                "the store is a PostgreSQL database: a move counts once its standby has it too"
            );
        }
    }
}

/// The primary that has confirmed a write.
#[derive(Debug)]
pub(super) struct Leader {
    pub(super) primary: Primary,
    /// The number of the server in the store's address.
    pub(super) server: usize,
    /// The beginning of the newest write that it has confirmed.
    pub(super) confirmed: Instant,
}

impl Leader {
    pub(super) fn supersedes(&self, former: &Primary) -> ServerError {
        let why = format!(
            "it led before another one was promoted (its timeline is {}, that of the leader {}); end \
             it, or copy it anew as a standby",
            former.timeline, self.primary.timeline
        );
        ServerError::new(FailureKind::Superseded, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            read_only: false,
            synchronous_commit: "on".to_owned(),
            standbys: "ANY 1 (b)".to_owned(),
            fsync: "on".to_owned(),
            version: "15.18".to_owned(),
            process: 1,
            primary: Primary::default(),
            has_store: true,
        }
    }

    #[test]
    fn a_database_is_refused_unless_it_keeps_what_it_acknowledges() {
        assert!(settings().check(false).is_ok());
        for allow in [false, true] {
            let mut weak = settings();
            weak.synchronous_commit = "remote_write".to_owned();
            let refused = weak.check(allow).unwrap_err().to_string();
            assert!(refused.contains("synchronous_commit = remote_write"));
            let mut weak = settings();
            weak.fsync = "off".to_owned();
            assert!(weak.check(allow).unwrap_err().to_string().contains("fsync"));
            let mut standby = settings();
            standby.read_only = true;
            let refused = standby.check(allow).unwrap_err().to_string();
            assert_eq!(refused, "it is a standby");
        }
        let mut single = settings();
        single.standbys.clear();
        let refused = single.check(false).unwrap_err().to_string();
        assert!(refused.contains("--allow-single-database"));
        assert!(single.check(true).is_ok());
    }
}
