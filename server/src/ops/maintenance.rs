//! Maintenance of a store beside serving it: backup and check. Each prints its result in words.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use thiserror::Error;

use crate::store::{self, BackupError, CheckReport, SqliteError, StoreUrl};

/// A reason why maintenance failed.
#[derive(Debug, Error)]
pub enum MaintenanceError {
    /// A store in memory cannot be copied or checked.
    #[error("a store in memory is gone with its server; say which file with --store sqlite:PATH")]
    Memory,
    /// The backup failed.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The store cannot be checked.
    #[error(transparent)]
    Check(#[from] SqliteError),
    /// The result cannot be written.
    #[error("cannot write what was found: {0}")]
    Output(io::Error),
}

fn file(store: &StoreUrl) -> Result<&Path, MaintenanceError> {
    match store {
        StoreUrl::Sqlite(path) => Ok(path),
        StoreUrl::Memory => Err(MaintenanceError::Memory),
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
    fn a_store_in_memory_has_no_maintenance() {
        let mut out = Vec::new();
        let target = Path::new("anywhere");
        assert!(matches!(
            backup(&StoreUrl::Memory, target, &mut out),
            Err(MaintenanceError::Memory)
        ));
        assert!(matches!(
            check(&StoreUrl::Memory, &mut out),
            Err(MaintenanceError::Memory)
        ));
        assert!(out.is_empty());
    }
}
