//! The users of this machine.

use std::fs;
use std::os::unix::fs::MetadataExt;

const NAMES: &str = "/etc/passwd";

/// Returns this process's user; none if the system does not tell.
pub(crate) fn own_user() -> Option<u32> {
    fs::metadata("/proc/self").ok().map(|this| this.uid())
}

/// Formats a user with its name, if it has one: `ada (1000)`.
pub(crate) fn user_text(user: u32) -> String {
    let names = fs::read_to_string(NAMES).unwrap_or_default();
    let name = names.lines().find_map(|line| {
        let mut columns = line.split(':');
        let name = columns.next()?;
        (columns.nth(1)?.parse() == Ok(user)).then_some(name)
    });
    match name {
        Some(name) => format!("{name} ({user})"),
        None => format!("user {user}"),
    }
}
