//! The resources of a process, as Linux's `/proc` counts them.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::LoadError;

/// The resources that a process has used or holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Processor time of all its living threads.
    pub cpu: Duration,
    /// Resident memory, in bytes.
    pub resident_bytes: u64,
    /// The most that it was, in bytes.
    pub resident_bytes_max: u64,
}

/// Reads the resources of a process. Processor time is the scheduler's, in nanoseconds: the ticks
/// of `stat` are 10 ms, as long as a whole run against a fast server.
///
/// # Errors
/// If there is no such process, or no `/proc`: this works on Linux only.
pub fn usage(pid: u32) -> Result<ProcessUsage, LoadError> {
    read(pid).map_err(LoadError::process(format!("process {pid} cannot be read")))
}

/// Reads the processor time of a process and of its children that have not ended: a database has one
/// for each connection.
///
/// # Errors
/// If there is no such process.
pub fn tree_cpu(pid: u32) -> Result<Duration, LoadError> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.map_err(LoadError::process(format!("process {pid} cannot be read")))?;
    let children = children
        .split_whitespace()
        .filter_map(|child| child.parse().ok());
    // A child may have ended since the list was read.
    let children: Duration = children
        .filter_map(|child| Some(read(child).ok()?.cpu))
        .sum();
    Ok(usage(pid)?.cpu + children)
}

fn read(pid: u32) -> io::Result<ProcessUsage> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let odd = || io::Error::other(format!("/proc/{pid} is not as expected"));
    let mut nanoseconds = 0;
    for thread in fs::read_dir(folder.join("task"))? {
        match fs::read_to_string(thread?.path().join("schedstat")) {
            Ok(text) => nanoseconds += first_number(&text).ok_or_else(odd)?,
            // A thread that has ended since the folder was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let status = fs::read_to_string(folder.join("status"))?;
    let bytes = |name: &str| {
        let field = status.lines().find_map(|line| line.strip_prefix(name));
        let kibibytes = field.and_then(first_number).ok_or_else(odd)?;
        io::Result::Ok(kibibytes * 1024)
    };
    Ok(ProcessUsage {
        cpu: Duration::from_nanos(nanoseconds),
        resident_bytes: bytes("VmRSS:")?,
        resident_bytes_max: bytes("VmHWM:")?,
    })
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_time_and_memory_of_this_process_grow() {
        let before = usage(std::process::id()).unwrap();
        let mut sum = 0_u64;
        let started = std::time::Instant::now();
        while started.elapsed() < Duration::from_millis(50) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let held = std::hint::black_box(vec![1_u8; 32 << 20]);
        let after = usage(std::process::id()).unwrap();
        assert!(after.cpu - before.cpu > Duration::from_millis(10));
        assert!(after.resident_bytes > before.resident_bytes + (16 << 20));
        assert_eq!(held.len(), 32 << 20);
    }

    #[test]
    fn the_processor_time_of_children_counts() {
        let own = std::process::id();
        let busy = [
            "-c",
            "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; read _",
        ];
        let mut child = std::process::Command::new("sh")
            .args(busy)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let began = std::time::Instant::now();
        while read(child.id()).unwrap().cpu < Duration::from_millis(10) {
            assert!(began.elapsed() < Duration::from_secs(60));
        }
        let child_cpu = read(child.id()).unwrap().cpu;
        assert!(tree_cpu(own).unwrap() >= child_cpu);
        assert!(tree_cpu(child.id()).unwrap() >= child_cpu);
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_is_not_there_is_an_error() {
        assert!(usage(u32::MAX).is_err());
    }
}
