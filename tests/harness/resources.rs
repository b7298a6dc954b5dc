//! The limit of open files, because each connection of a client is one, here and in the server; and what a process
//! takes of the machine.

use std::sync::OnceLock;
use std::{fs, io};

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

/// Reads the memory that a process holds, in KiB.
///
/// # Errors
/// If there is no such process, or no `/proc`: this works on Linux only.
pub(crate) fn process_memory_kib(process: u32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let held = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    let number = held.and_then(|held| held.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| io::Error::other(format!("/proc/{process} is not as expected")))
}

/// Counts the files and sockets that a process has open.
///
/// # Errors
/// As for [`process_memory_kib`].
pub(crate) fn open_descriptors(process: u32) -> io::Result<usize> {
    Ok(fs::read_dir(format!("/proc/{process}/fd"))?.count())
}
