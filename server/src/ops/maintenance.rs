//! What an operator does with a store besides serving it: copy it, and look through it. Each
//! says in words what came out.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use thiserror::Error;

use crate::store::{self, BackupError, Checked, StoreError, StoreUrl};

/// Why nothing came out.
#[derive(Debug, Error)]
pub enum UpkeepError {
    /// There is nothing to copy or to look through.
    #[error("a store in memory is gone with its server; say which file with --store sqlite:PATH")]
    Memory,
    /// There is no backup.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The store cannot be looked through.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was found cannot be told.
    #[error("cannot write what was found: {0}")]
    Output(io::Error),
}

fn file(store: &StoreUrl) -> Result<&Path, UpkeepError> {
    match store {
        StoreUrl::Sqlite(path) => Ok(path),
        StoreUrl::Memory => Err(UpkeepError::Memory),
    }
}

/// Copies the store into the new file `target`, also while a server uses it, and says so.
///
/// # Errors
/// [`UpkeepError`]; then nothing is at `target` that was not there before.
pub fn backup(store: &StoreUrl, target: &Path, out: &mut impl Write) -> Result<(), UpkeepError> {
    let made = store::backup(file(store)?, target)?;
    // The backup is made, whether or not anybody reads this.
    let _ = writeln!(
        out,
        "{}: {} bytes, on the disk; keep it secret, it holds the key that signs tokens",
        target.display(),
        made.bytes
    );
    Ok(())
}

/// Looks through the store, also while a server uses it: a line for each damage as it is
/// found, and a line with the counts at the end.
///
/// # Errors
/// [`UpkeepError`]. Damage is no error: see [`Checked::is_clean`].
pub fn check(store: &StoreUrl, out: &mut impl Write) -> Result<Checked, UpkeepError> {
    let mut written = Ok(());
    let checked = store::check(file(store)?, |damage| {
        written = writeln!(out, "damaged: {damage}");
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    written
        .and_then(|()| writeln!(out, "{}", summary(&checked)))
        .map_err(UpkeepError::Output)?;
    Ok(checked)
}

fn summary(checked: &Checked) -> String {
    let looked_at = format!(
        "looked at {} with {}",
        count(checked.matches, "match", "matches"),
        count(checked.events, "event", "events")
    );
    if checked.is_clean() {
        return format!("{looked_at}: nothing is damaged");
    }
    format!(
        "{looked_at}: {} and {} damaged; a backup brings them back",
        count(checked.damaged_matches, "match", "matches"),
        match checked.file_faults {
            0 => "nothing of the file itself".to_owned(),
            faults => format!("the file itself ({})", count(faults, "fault", "faults")),
        }
    )
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_said_in_one_line() {
        let clean = Checked {
            matches: 2,
            events: 1,
            ..Checked::default()
        };
        assert_eq!(
            summary(&clean),
            "looked at 2 matches with 1 event: nothing is damaged"
        );
        let damaged = Checked {
            damaged_matches: 1,
            ..clean
        };
        assert!(summary(&damaged).contains("1 match and nothing of the file itself damaged"));
        let file = Checked {
            file_faults: 3,
            ..clean
        };
        assert!(summary(&file).contains("0 matches and the file itself (3 faults) damaged"));
    }

    #[test]
    fn memory_has_nothing_to_keep() {
        let mut out = Vec::new();
        let target = Path::new("anywhere");
        assert!(matches!(
            backup(&StoreUrl::Memory, target, &mut out),
            Err(UpkeepError::Memory)
        ));
        assert!(matches!(
            check(&StoreUrl::Memory, &mut out),
            Err(UpkeepError::Memory)
        ));
        assert!(out.is_empty());
    }
}
