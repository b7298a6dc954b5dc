//! Notices a program that reads the store without an end. SQLite cannot reuse its write-ahead log meanwhile, so the
//! log grows until the disk is full.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use super::private_file::beside;
use crate::limits::{LOG_BYTES_WARNED, LOG_LOOKED_EVERY};

/// The system's list of locked files.
const LOCKS: &str = "/proc/locks";
/// The bytes of SQLite's `-shm` file that a reader locks while it keeps a state of the store (`WAL_READ_LOCK`).
const READ_LOCKS: std::ops::RangeInclusive<u64> = 123..=127;

/// Looks at the length of the log from time to time. The writer's thread owns it.
#[derive(Default)]
pub(super) struct LogWatch {
    looked: Option<Instant>,
    is_long: bool,
}

impl LogWatch {
    /// Logs once that the log has become long, with the processes that keep it so, and once that it is short again.
    pub(super) fn look(&mut self, path: &Path) {
        if self
            .looked
            .is_some_and(|at| at.elapsed() < LOG_LOOKED_EVERY)
        {
            return;
        }
        self.looked = Some(Instant::now());
        let bytes = beside(path, "-wal").metadata().map_or(0, |log| log.len());
        let was_long = std::mem::replace(&mut self.is_long, bytes > LOG_BYTES_WARNED);
        match (was_long, self.is_long) {
            (false, true) => {
                let readers = readers(path);
                tracing::warn!(
                    bytes,
                    readers,
                    "the store's write-ahead log (-wal) grows, because a program keeps an old state of the store; \
                     end that program, or the log fills the disk"
                );
            }
            (true, false) => tracing::info!(bytes, "the store's write-ahead log is short again"),
            _ => {}
        }
    }
}

/// Names the other processes that keep a state of the store.
fn readers(path: &Path) -> String {
    let locks = std::fs::read_to_string(LOCKS).unwrap_or_default();
    let index = beside(path, "-shm").metadata();
    let found = index.map(|index| locking(&locks, index.ino(), std::process::id()));
    let named = found.unwrap_or_default().into_iter().map(|process| {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        format!("process {process} ({})", name.trim())
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match named.is_empty() {
        // The packaged unit hides other processes from the server.
        true => format!(
            "not visible here; `sudo fuser -v {}-shm` shows them",
            path.display()
        ),
        false => named,
    }
}

/// Returns the processes, but for `own`, that have locked a reader's byte of the file with this inode.
fn locking(locks: &str, inode: u64, own: u32) -> Vec<u32> {
    let process = |line: &str| {
        let mut columns = line.split_whitespace().skip(4);
        let process = columns.next()?.parse().ok()?;
        let file = columns.next()?.rsplit(':').next()?.parse().ok();
        let byte = columns.next()?.parse().ok()?;
        (file == Some(inode) && READ_LOCKS.contains(&byte) && process != own).then_some(process)
    };
    locks.lines().filter_map(process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_keeps_a_state_is_found_among_all_locks() {
        let locks = "1: POSIX  ADVISORY  READ 77 fd:01:4711 124 124\n\
                     2: POSIX  ADVISORY  READ 77 fd:01:4711 128 128\n\
                     3: POSIX  ADVISORY  READ 12 fd:01:4711 123 123\n\
                     4: POSIX  ADVISORY  WRITE 88 fd:01:99 124 124\n\
                     5: FLOCK  ADVISORY  WRITE 99 fd:01:4711 0 EOF\n\
                     5: -> FLOCK  ADVISORY  WRITE 98 fd:01:4711 0 EOF\n";
        assert_eq!(locking(locks, 4711, 12), [77]);
    }
}
