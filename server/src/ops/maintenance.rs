//! Maintenance of a store beside serving it: backup, check and migration. Each prints its result in words.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::migrate::{self, Migrated, MigrationError, MigrationStep};
use crate::store::{self, BackupError, CheckReport, SqliteError, StoreError, StoreUrl};

/// A reason why maintenance failed.
#[derive(Debug, Error)]
pub enum MaintenanceError {
    /// A store in memory cannot be copied or checked.
    #[error("a store in memory is gone with its server; say which file with --store sqlite:PATH")]
    Memory,
    /// A database has its own tools.
    #[error(
        "a PostgreSQL database is not copied or checked from here: back it up with PostgreSQL's own \
         pg_dump or pg_basebackup; the log of each match is checked whenever it is read"
    )]
    Database,
    /// The backup failed.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The store cannot be checked.
    #[error(transparent)]
    Check(#[from] SqliteError),
    /// The file to move from is missing.
    #[error("{} is missing", .0.display())]
    NoFile(PathBuf),
    /// A store cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// The migration ended before its end.
    #[error(transparent)]
    Migrate(#[from] MigrationError),
    /// The result cannot be written.
    #[error("cannot write what was found: {0}")]
    Output(io::Error),
}

fn file(store: &StoreUrl) -> Result<&Path, MaintenanceError> {
    match store {
        StoreUrl::Sqlite(path) => Ok(path),
        StoreUrl::Memory => Err(MaintenanceError::Memory),
        StoreUrl::Postgres(_) => Err(MaintenanceError::Database),
    }
}

/// Copies the store into the new file `target`, also while a server uses it, and prints its size.
///
/// # Errors
/// [`MaintenanceError`]; then any file at `target` was there before.
pub fn backup(
    store: &StoreUrl,
    target: &Path,
    out: &mut impl Write,
) -> Result<(), MaintenanceError> {
    let made = store::backup(file(store)?, target)?;
    // The backup is complete, even if nobody reads this.
    let _ = writeln!(
        out,
        "{}: {} bytes, on the disk; keep it secret, it holds the key that signs tokens",
        target.display(),
        made.bytes
    );
    Ok(())
}

/// Checks the store, also while a server uses it: prints a line for each damage as it is found,
/// and a line with the counts at the end.
///
/// # Errors
/// [`MaintenanceError`]. Damage is not an error: see [`CheckReport::is_clean`].
pub fn check(store: &StoreUrl, out: &mut impl Write) -> Result<CheckReport, MaintenanceError> {
    let mut written = Ok(());
    let report = store::check(file(store)?, |damage| {
        written = writeln!(out, "damaged: {damage}");
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    written
        .and_then(|()| writeln!(out, "{}", summary(&report)))
        .map_err(MaintenanceError::Output)?;
    Ok(report)
}

fn summary(report: &CheckReport) -> String {
    let checked = format!(
        "checked {} with {}",
        count(report.matches, "match", "matches"),
        count(report.events, "event", "events")
    );
    if report.is_clean() {
        return format!("{checked}: no damage");
    }
    let matches = count(report.damaged_matches, "damaged match", "damaged matches");
    let file = match report.file_damages {
        0 => "the file itself is sound".to_owned(),
        damages => count(
            damages,
            "damage of the file itself",
            "damages of the file itself",
        ),
    };
    format!("{checked}: {matches}; {file}; restore a backup")
}

/// Moves all matches from one store to another.
///
/// # Errors
/// [`MaintenanceError`]; what was written is right, and the migration can be started again.
pub async fn migrate(
    from: &StoreUrl,
    to: &StoreUrl,
    allow_single_database: bool,
    shown: impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MaintenanceError> {
    if [from, to].contains(&&StoreUrl::Memory) {
        return Err(MaintenanceError::Memory);
    }
    if let StoreUrl::Sqlite(path) = from
        && !path.exists()
    {
        return Err(MaintenanceError::NoFile(path.clone()));
    }
    let source = from.connect(allow_single_database, None).await?;
    let key = source.server_key().await?;
    let target = to.connect(allow_single_database, Some(&key)).await?;
    Ok(migrate::migrate(&source, &target, shown).await?)
}

/// A line that tells how far a migration is.
#[must_use]
pub fn migration_progress(step: MigrationStep, so_far: Migrated) -> String {
    let step = match step {
        MigrationStep::Copying => "copied",
        MigrationStep::Comparing => "compared",
    };
    let (matches, events) = (
        count(so_far.matches, "match", "matches"),
        count(so_far.events, "event", "events"),
    );
    format!("{step} {matches} with {events}")
}

/// The line at the end of a migration.
#[must_use]
pub fn migration_summary(to: &StoreUrl, moved: Migrated) -> String {
    format!(
        "{to} has {} with {}, the same in both stores; {} written now; {} with renewed tokens",
        count(moved.matches, "match", "matches"),
        count(moved.events, "event", "events"),
        count(moved.written, "event", "events"),
        count(moved.guests, "guest", "guests"),
    )
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_one_line() {
        let clean = CheckReport {
            matches: 2,
            events: 1,
            ..CheckReport::default()
        };
        assert_eq!(summary(&clean), "checked 2 matches with 1 event: no damage");
        let damaged = CheckReport {
            damaged_matches: 1,
            ..clean
        };
        assert_eq!(
            summary(&damaged),
            "checked 2 matches with 1 event: 1 damaged match; the file itself is sound; \
             restore a backup"
        );
        let file = CheckReport {
            file_damages: 3,
            ..clean
        };
        assert!(summary(&file).contains("0 damaged matches; 3 damages of the file itself;"));
    }

    #[test]
    fn a_store_in_memory_and_a_database_have_no_maintenance_here() {
        let mut out = Vec::new();
        let target = Path::new("anywhere");
        let database = "postgres://localhost/fibfob".parse().unwrap();
        for (store, why) in [(StoreUrl::Memory, "in memory"), (database, "pg_dump")] {
            let refused = backup(&store, target, &mut out).unwrap_err();
            assert!(refused.to_string().contains(why), "{refused}");
            let refused = check(&store, &mut out).unwrap_err();
            assert!(refused.to_string().contains(why), "{refused}");
        }
        assert!(out.is_empty());
    }
}
