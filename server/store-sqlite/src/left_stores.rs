//! The old stores that a restore has left beside the new one. They hold everybody who was in them, so an operator
//! must be able to see and remove them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fibfob_store::folder_of;

use super::error::SqliteError;
use super::old_log::unlink_beside;
use super::private_file::{beside, file_error};

/// The files that are set aside together.
const SUFFIXES: [&str; 3] = ["", "-wal", "-journal"];
/// The form of the date in their names; `0` stands for a digit.
const DATE: &[u8] = b"00000000T000000.000Z";

/// Lists the old stores beside the store at `path`, oldest first, each with its size in bytes.
///
/// # Errors
/// If the folder cannot be read.
pub fn left_stores(path: &Path) -> Result<BTreeMap<PathBuf, u64>, SqliteError> {
    let folder = folder_of(path);
    let mut left = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(file_error(folder))? {
        let entry = entry.map_err(file_error(folder))?;
        let Some(found) = left_name(path, &entry.path()) else {
            continue;
        };
        let bytes = entry.metadata().map_err(file_error(&found))?.len();
        *left.entry(found).or_default() += bytes;
    }
    Ok(left)
}

/// Removes an old store, with its log, durably.
///
/// # Errors
/// If it is not in the list of [`left_stores`], or cannot be removed.
pub fn remove_left_store(path: &Path, left: &Path) -> Result<(), SqliteError> {
    let wanted = left.file_name();
    let known = left_stores(path)?;
    let found = known.keys().find(|known| known.file_name() == wanted);
    let found = found.ok_or_else(|| SqliteError::NotLeft(left.to_owned()))?;
    unlink_beside(found, &SUFFIXES).map_err(file_error(found))
}

/// Returns the old store that a file belongs to: its name without a suffix, if it is the store's name with a date.
fn left_name(path: &Path, found: &Path) -> Option<PathBuf> {
    let (prefix, name) = (path.file_name()?.to_str()?, found.file_name()?.to_str()?);
    let rest = name.strip_prefix(prefix)?.strip_prefix('.')?;
    let date = rest.get(..DATE.len())?;
    let is_date = date.bytes().zip(DATE).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == *other,
    });
    let is_own = is_date && SUFFIXES.contains(&&rest[DATE.len()..]);
    is_own.then(|| beside(path, &format!(".{date}")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_a_restore_has_left_is_listed_and_removed() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        let name = "a.sqlite.20261128T031500.123Z";
        let others = [
            "a.sqlite",
            "a.sqlite.20261128",
            "b.sqlite.20261128T031500.123Z",
            "a.sqlite.precious",
        ];
        for name in others.into_iter().chain([name]) {
            fs::write(folder.path().join(name), "1234").unwrap();
        }
        fs::write(folder.path().join(format!("{name}-wal")), "56").unwrap();
        let left = left_stores(&path).unwrap();
        assert_eq!(left, BTreeMap::from([(folder.path().join(name), 6)]));
        for other in others {
            assert!(
                remove_left_store(&path, Path::new(other)).is_err(),
                "{other}"
            );
        }
        remove_left_store(&path, Path::new(name)).unwrap();
        assert_eq!(left_stores(&path).unwrap(), BTreeMap::new());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len());
    }
}
