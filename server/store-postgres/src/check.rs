//! A check of a whole database that names what is damaged. Changes nothing, and holds no more in
//! memory than some rows of the index and one match.
//!
//! Some matches at a time are read in a transaction of their own, so that the database can remove
//! old rows meanwhile. PostgreSQL has its own tools for its pages and indices (`pg_amcheck`).

use std::ops::ControlFlow;

use fibfob_protocol::Version;
use fibfob_store::sql::StoredRow;
use fibfob_store::{CheckReport, CheckedMatch, FailureKind, Findings, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connector::Connector;
use super::error::PostgresError;
use super::snapshot::{DatabaseSnapshot, StoredMatch};
use super::url::PostgresUrl;
use super::{notes, read, service};

/// Those of the tables that have lost a key, or what they need to survive a crash of the database.
const CHANGED: &str =
    "SELECT wanted.name FROM unnest($1::text[], $2::text[]) AS wanted (name, keys)
     WHERE NOT EXISTS (
         SELECT FROM pg_catalog.pg_class AS class
         JOIN pg_catalog.pg_constraint AS rule ON rule.conrelid = class.oid
         JOIN pg_catalog.pg_index AS index ON index.indexrelid = rule.conindid
         WHERE class.oid = to_regclass('fibfob.' || wanted.name)
           AND class.relpersistence = 'p' AND index.indisvalid
           AND pg_catalog.pg_get_constraintdef(rule.oid) = wanted.keys)";
/// Tables and the keys that the contract of the store rests on.
const KEYS: [(&str, &str); 6] = [
    ("event", "PRIMARY KEY (match_id, version)"),
    ("match", "PRIMARY KEY (id)"),
    ("match", "UNIQUE (code)"),
    ("note", "PRIMARY KEY (about, kind, name)"),
    ("service", "PRIMARY KEY (one)"),
    ("store", "PRIMARY KEY (one)"),
];

/// Checks the store in this database and calls `report` for each damage as it is found. Servers may be
/// writing it meanwhile; `report` may end the check.
///
/// # Errors
/// If the database has no store, cannot be used, or fails in another way than by damage.
pub async fn check_database(
    url: &PostgresUrl,
    allow_single_database: bool,
    report: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<CheckReport, PostgresError> {
    let connector = Connector::new(url, allow_single_database);
    let mut checker = DatabaseCheck {
        snapshot: DatabaseSnapshot::begin(&connector).await?,
        findings: Findings::new("the database", report),
    };
    checker.check_all().await?;
    checker.snapshot.end().await?;
    Ok(checker.findings.counts())
}

struct DatabaseCheck<R> {
    snapshot: DatabaseSnapshot,
    findings: Findings<R>,
}

impl<R: FnMut(&str) -> ControlFlow<()>> DatabaseCheck<R> {
    async fn check_all(&mut self) -> Result<(), PostgresError> {
        self.check_definitions().await?;
        self.check_key().await?;
        self.check_notes().await?;
        self.check_service().await?;
        self.check_matches().await
    }

    /// Looks for the tables' keys, without which logs could have gaps and codes several matches.
    async fn check_definitions(&mut self) -> Result<(), PostgresError> {
        let (names, keys): (Vec<_>, Vec<_>) = KEYS.into_iter().unzip();
        let link = &self.snapshot.link;
        let rows = link.run(CHANGED, &[&names, &keys]).await?;
        for row in rows {
            self.findings.note_definition(row.try_get(0)?);
        }
        Ok(())
    }

    async fn check_key(&mut self) -> Result<(), PostgresError> {
        let rows = self.snapshot.link.run(read::KEY, &[]);
        if let Err(error) = read::key(&rows.await?) {
            self.findings.note_key(error);
        }
        Ok(())
    }

    async fn check_notes(&mut self) -> Result<(), PostgresError> {
        let mut rows = 0;
        let count = |row: Row| {
            rows += u64::from(row.note().is_err());
            Ok::<_, PostgresError>(())
        };
        let link = &self.snapshot.link;
        let left_out = notes::passing_kinds();
        let read = link.each_row(notes::ALL_NOTES, &[&left_out], count).await;
        self.named("table of the notes", read).await?;
        self.findings.note_notes(rows);
        Ok(())
    }

    async fn check_service(&mut self) -> Result<(), PostgresError> {
        match service::read_noted(&self.snapshot.link).await {
            Ok(_) => Ok(()),
            Err(error @ (PostgresError::Data(_) | PostgresError::Incomplete)) => {
                self.findings.note_store(format_args!(
                    "the note of the servers' running is not what was written: {error}"
                ));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn check_matches(&mut self) -> Result<(), PostgresError> {
        let mut after = Some(Uuid::nil());
        while let Some(from) = after.filter(|_| !self.findings.is_ended()) {
            self.snapshot.renew().await?;
            let (page, next) = match self.snapshot.page(from).await {
                // Without its rows, nothing says where the next page begins.
                Err(error) => return self.named("index of the matches", Err(error)).await,
                Ok(page) => page,
            };
            after = next;
            let check = |found: StoredMatch| {
                let records = read::records(&found.log, found.id, Version(0));
                let columns = found.columns.map(|row| row.map_err(StoreError::from));
                let records = records.map_err(StoreError::from);
                self.findings
                    .note(CheckedMatch::compare(found.id, records, columns));
                Ok(())
            };
            let visited = self.snapshot.read_page(page, (from, next), check).await;
            self.named("table of the events", visited).await?;
        }
        Ok(())
    }

    /// Makes damage of an error by which the database itself says that there is some.
    async fn named(
        &mut self,
        table: &'static str,
        read: Result<(), PostgresError>,
    ) -> Result<(), PostgresError> {
        match read {
            Err(error) if error.kind() == FailureKind::Damaged => {
                self.findings.note_truncated(table, error);
                // Its transaction has failed.
                self.snapshot.renew().await
            }
            read => read,
        }
    }
}
