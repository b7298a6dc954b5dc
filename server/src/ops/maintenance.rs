//! Maintenance of a store beside serving it: backup, restore, check and migration. Each prints its result in words.

use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::escaped;
use fibfob_server_matches::clock::Clock;
use fibfob_store::{BackupError, CheckReport, MatchCounts, Opening, StoreError};
use fibfob_store_postgres::check_database;
use fibfob_store_sqlite::{backup_file, check_file, left_stores, remove_left_store, restore_file};
use thiserror::Error;

use super::migrate::{self, Migrated, MigrationError, MigrationStep};
use crate::ops::store_url::StoreUrl;

/// A reason why maintenance failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum MaintenanceError {
    #[error(
        "a store in memory is gone with its server; name a file or a database with \
         --store sqlite:PATH or --store postgres://…"
    )]
    Memory,
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(
        "a database is backed up by PostgreSQL's own program, also while servers use it:\n  \
         PGTARGETSESSIONATTRS=read-write pg_dump --format=custom --file={file} {database}\n\
         keep the file secret, it holds the key that signs tokens; restore it into an empty database:\n  \
         pg_restore --no-owner --exit-on-error --dbname={database} {file}"
    )]
    BackupDatabase { database: String, file: String },
    #[error(
        "a database is restored by PostgreSQL's own program, into an empty database:\n  \
         pg_restore --no-owner --exit-on-error --dbname={database} {file}\n\
         the backup of a store file goes into an empty database by fibfob-server migrate \
         --from sqlite:{file} --to {database}"
    )]
    RestoreDatabase { database: String, file: String },
    #[error("a restore leaves old stores beside a file only; this store is a database")]
    NoOldStores,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Migrate(#[from] MigrationError),
    #[error("cannot write what was found: {0}")]
    Output(io::Error),
}

/// Copies the store's file into the new file `target`, even while a server uses it, and prints its size. Blocks.
///
/// # Errors
/// [`MaintenanceError`]; then any file at `target` was there before. That of a database names the command
/// that makes its backup.
pub fn backup(
    store: &StoreUrl,
    target: &Path,
    out: &mut impl Write,
) -> Result<(), MaintenanceError> {
    let made = match store {
        StoreUrl::Memory => return Err(MaintenanceError::Memory),
        StoreUrl::Sqlite(path) => backup_file(path, target)?,
        StoreUrl::Postgres(url) => {
            let (database, file) = (quoted(url), quoted(target.display()));
            return Err(MaintenanceError::BackupDatabase { database, file });
        }
    };
    // The backup is complete, even if nobody reads this line.
    let _ = writeln!(
        out,
        "{}: {} bytes, on the disk; keep it secret, it holds the key that signs tokens",
        target.display(),
        made
    );
    Ok(())
}

/// Puts the backup in `file` in place of a store that no server uses. Prints what it has, and what the old
/// store had beyond it. Blocks.
pub fn restore(
    store: &StoreUrl,
    file: &Path,
    out: &mut impl Write,
) -> Result<(), MaintenanceError> {
    let path = match store {
        StoreUrl::Memory => return Err(MaintenanceError::Memory),
        StoreUrl::Sqlite(path) => path,
        StoreUrl::Postgres(url) => {
            let (database, file) = (quoted(url), quoted(file.display()));
            return Err(MaintenanceError::RestoreDatabase { database, file });
        }
    };
    let restored = restore_file(file, path, |damage| {
        let _ = writeln!(out, "damaged: {}", escaped(damage));
        ControlFlow::Continue(())
    })?;
    // The backup is in place, even if nobody reads this line.
    let _ = writeln!(out, "{} of {}", summary(&restored.checked), file.display());
    if let Some(old) = restored.old {
        let kept = old.kept.display();
        let _ = match old.beyond {
            Ok(MatchCounts { matches, events }) => writeln!(
                out,
                "the old store had {} in {} that this backup has not; it is kept as {kept} until you remove it \
                 with `fibfob-server old-stores --remove`",
                count(events, "event", "events"),
                count(matches, "match", "matches"),
            ),
            Err(error) => writeln!(
                out,
                "what the old store had beyond this backup is not known: {error}; what there was is \
                 kept as {kept}"
            ),
        };
    }
    let _ = writeln!(out, "{store} is restored; a server can be started on it");
    Ok(())
}

/// Lists the old stores that `restore` has left beside the store, or removes one of them.
pub fn old_stores(
    store: &StoreUrl,
    remove: Option<&Path>,
    out: &mut impl Write,
) -> Result<(), MaintenanceError> {
    let path = match store {
        StoreUrl::Memory => return Err(MaintenanceError::Memory),
        StoreUrl::Sqlite(path) => path,
        StoreUrl::Postgres(_) => return Err(MaintenanceError::NoOldStores),
    };
    if let Some(left) = remove {
        remove_left_store(path, left).map_err(StoreError::from)?;
        // It is removed, even if nobody reads this line.
        let _ = writeln!(out, "removed {}", left.display());
        return Ok(());
    }
    let left = left_stores(path).map_err(StoreError::from)?;
    let written = match left.is_empty() {
        true => writeln!(
            out,
            "no restore has left an old store beside {}",
            path.display()
        ),
        false => left
            .iter()
            .try_for_each(|(left, bytes)| writeln!(out, "{}  {bytes} bytes", left.display())),
    };
    written.map_err(MaintenanceError::Output)
}

/// Checks the store, even while servers use it. Prints a line for each damage that is found, and the counts
/// at the end. Blocks while a file is checked.
///
/// # Errors
/// [`MaintenanceError`]. Damage is not an error: see [`CheckReport::is_clean`].
pub async fn check(
    store: &StoreUrl,
    allow_single_database: bool,
    out: &mut impl Write,
) -> Result<CheckReport, MaintenanceError> {
    let mut written = Ok(());
    let report = |damage: &str| {
        written = writeln!(out, "damaged: {}", escaped(damage));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let checked = match store {
        StoreUrl::Memory => return Err(MaintenanceError::Memory),
        StoreUrl::Sqlite(path) => check_file(path, report).map_err(StoreError::from),
        StoreUrl::Postgres(url) => {
            let checked = check_database(url, allow_single_database, report).await;
            checked.map_err(StoreError::from)
        }
    };
    let report = checked?;
    written
        .and_then(|()| writeln!(out, "{}", summary(&report)))
        .map_err(MaintenanceError::Output)?;
    Ok(report)
}

/// Quotes a word of a command, so that an operator's shell reads it as it is.
fn quoted(word: impl fmt::Display) -> String {
    format!("'{}'", word.to_string().replace('\'', r"'\''"))
}

fn summary(report: &CheckReport) -> String {
    let checked = format!("checked {}", counts(report.matches, report.events));
    if report.is_clean() {
        return format!("{checked}: no damage");
    }
    let matches = count(report.damaged_matches, "damaged match", "damaged matches");
    let place = report.place;
    let store = match report.store_damages {
        0 => format!("{place} itself is sound"),
        1 => format!("1 damage of {place} itself"),
        damages => format!("{damages} damages of {place} itself"),
    };
    format!("{checked}: {matches}; {store}; restore a backup")
}

/// Moves everything that lasts from one store to another, and prints what was moved. `shown` gets a line from time
/// to time.
///
/// # Errors
/// [`MaintenanceError`]; what was written is right, and the migration can be started again.
pub async fn migrate(
    from: &StoreUrl,
    to: &StoreUrl,
    allow_single_database: bool,
    out: &mut impl Write,
    mut shown: impl FnMut(String),
) -> Result<(), MaintenanceError> {
    if [from, to].contains(&&StoreUrl::Memory) {
        return Err(MaintenanceError::Memory);
    }
    let source = from.connect(allow_single_database, Opening::Move).await?;
    let key = source.server_key().await?;
    let target = to
        .connect(allow_single_database, Opening::Fill(&key))
        .await?;
    let progress = |step, so_far: Migrated| {
        let done = match step {
            MigrationStep::Checking => "checked what is there:",
            MigrationStep::Copying => "copied",
            MigrationStep::Comparing => "compared",
        };
        shown(format!("{done} {}", counts(so_far.matches, so_far.events)));
    };
    let moved = migrate::migrate(&source, &target, Clock::default().now(), progress).await?;
    // Everything was moved, even if nobody reads this line.
    let _ = writeln!(
        out,
        "{to} has {} and {}, the same in both stores; {} written now",
        counts(moved.matches, moved.events),
        count(moved.notes, "note beside them", "notes beside them"),
        count(moved.written, "event", "events"),
    );
    Ok(())
}

fn counts(matches: u64, events: u64) -> String {
    let matches = count(matches, "match", "matches");
    format!("{matches} with {}", count(events, "event", "events"))
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
            place: "the file",
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
            store_damages: 3,
            ..clean
        };
        assert!(summary(&file).contains("0 damaged matches; 3 damages of the file itself;"));
        let database = CheckReport {
            place: "the database",
            store_damages: 1,
            ..clean
        };
        assert!(summary(&database).contains("; 1 damage of the database itself;"));
    }

    #[tokio::test]
    async fn a_store_in_memory_has_no_maintenance_and_a_database_takes_no_file() {
        let mut out = Vec::new();
        let target = Path::new("anywhere");
        let refused = backup(&StoreUrl::Memory, target, &mut out);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("in memory"), "{refused}");
        let refused = check(&StoreUrl::Memory, false, &mut out).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("--store postgres://"), "{refused}");
        let database = "postgres://ada@db/games".parse().unwrap();
        let refused = restore(&database, target, &mut out).unwrap_err();
        assert!(
            refused.to_string().contains("fibfob-server migrate"),
            "{refused}"
        );
        assert!(out.is_empty());
    }
}
