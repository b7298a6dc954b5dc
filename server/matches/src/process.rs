//! This process's use of the machine, as Linux reports it.

use std::fs;

/// This process's use of the machine. A number that the system does not tell is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessUse {
    /// Its memory, in bytes.
    pub resident_bytes: u64,
    /// Its open files and connections.
    pub open_files: u64,
    /// The most that it may have open.
    pub open_files_max: u64,
}

impl ProcessUse {
    /// Reads it.
    #[must_use]
    pub fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self {
            resident_bytes: resident_bytes(&status),
            open_files: open as u64,
            open_files_max: rlimit::getrlimit(rlimit::Resource::NOFILE).map_or(0, |(soft, _)| soft),
        }
    }
}

/// The memory in the text of `/proc/self/status`.
fn resident_bytes(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kibibytes.map_or(0, |kibibytes: u64| kibibytes * 1024)
}
