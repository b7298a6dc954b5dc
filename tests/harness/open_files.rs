//! The limit of open files: each connection of a client is one, here and in the server.

use std::sync::OnceLock;

/// The files that a program has open beside its connections; a test's neighbours are in the same one.
const OTHER_FILES: u64 = 512;

/// Raises this program's soft limit of open files to the hard one, as the server does with its own.
/// Programs that are started inherit it.
pub(crate) fn raise_open_files() -> u64 {
    static ALLOWED: OnceLock<u64> = OnceLock::new();
    *ALLOWED.get_or_init(|| {
        let raised = rlimit::increase_nofile_limit(u64::MAX);
        // Where it cannot be raised, it stays what it was.
        let allowed = raised.or_else(|_| rlimit::Resource::NOFILE.get_soft());
        allowed.expect("Linux limits open files")
    })
}

/// Makes room for this many connections of this program.
///
/// # Errors
/// The limit that is too low for them.
pub fn allow_connections(connections: u64) -> Result<(), String> {
    let (needed, allowed) = (connections + OTHER_FILES, raise_open_files());
    if allowed >= needed {
        return Ok(());
    }
    Err(format!(
        "{connections} connections need {needed} open files, and {allowed} are allowed: raise the hard limit (ulimit -Hn)"
    ))
}
