//! The users of this machine, and the owners of a store's files. A command of root must leave nothing that the
//! server's own user cannot use.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

use super::folder::folder_of;

const NAMES: &str = "/etc/passwd";
const ROOT: u32 = 0;

/// Returns this process's user; none if the system does not tell.
pub fn own_user() -> Option<u32> {
    fs::metadata("/proc/self").ok().map(|this| this.uid())
}

/// Formats a user with its name, if it has one: `ada (1000)`.
pub fn user_text(user: u32) -> String {
    match name_of(user) {
        Some(name) => format!("{name} ({user})"),
        None => format!("user {user}"),
    }
}

fn name_of(user: u32) -> Option<String> {
    let names = fs::read_to_string(NAMES).unwrap_or_default();
    let name = names.lines().find_map(|line| {
        let mut columns = line.split(':');
        let name = columns.next()?;
        (columns.nth(1)?.parse() == Ok(user)).then_some(name)
    });
    name.map(str::to_owned)
}

/// Gives a file of root to the owner of the folder where it was made. So `sudo` leaves files that the server's user
/// can open. The files of other users keep their owner.
///
/// # Errors
/// If the system does not tell owners, or does not change one.
pub fn give_to_folder_owner(file: &File, path: &Path) -> io::Result<()> {
    let folder = fs::metadata(folder_of(path))?;
    if file.metadata()?.uid() == ROOT && folder.uid() != ROOT {
        fchown(file, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Adds to a refused access who owns the path, or the nearest folder above it that exists, and what to do. Other
/// errors stay as they are.
#[must_use]
pub fn with_owner(path: &Path, error: io::Error) -> io::Error {
    let found = path.ancestors().find_map(|path| fs::metadata(path).ok());
    let (Some(owner), Some(own)) = (found.map(|found| found.uid()), own_user()) else {
        return error;
    };
    if error.kind() != io::ErrorKind::PermissionDenied || owner == own {
        return error;
    }
    let user = name_of(owner).unwrap_or_else(|| format!("'#{owner}'"));
    let (owner, own) = (user_text(owner), user_text(own));
    let why = format!(
        "{error}: it belongs to {owner}, and this program runs as {own}; run it as that user (`sudo -u {user} \
         fibfob-server …`), or give this one the file (`chown`)"
    );
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_access_names_the_owner_and_the_remedy() {
        let refused = || io::Error::from(io::ErrorKind::PermissionDenied);
        let other = if own_user() == Some(ROOT) {
            "/nothing"
        } else {
            "/root/nothing"
        };
        let words = with_owner(Path::new(other), refused()).to_string();
        assert_eq!(
            words.contains("sudo -u root"),
            own_user() != Some(ROOT),
            "{words}"
        );
        let full = with_owner(
            Path::new(other),
            io::Error::from(io::ErrorKind::StorageFull),
        );
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    }
}
