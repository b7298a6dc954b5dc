//! Samples of the server's resources, from the operating system.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

/// One sample of the server, with the clients' counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the start.
    pub seconds: f64,
    /// Memory that the server holds, in KiB.
    pub rss_kib: u64,
    /// Files and sockets that it has open.
    pub descriptors: u64,
    /// Threads of the server.
    pub threads: u64,
    /// Processor time used, in seconds.
    pub cpu_seconds: f64,
    /// The size of the store's files, in KiB.
    pub store_kib: u64,
    /// WebSockets that clients hold.
    pub connections: u64,
    /// Matches created and not over.
    pub matches: u64,
    /// Moves so far.
    pub moves: u64,
    /// Moves a second since the sample before.
    pub moves_per_second: f64,
    /// Requests refused so far.
    pub refused: u64,
    /// Connections closed so far as too slow.
    pub slow_closed: u64,
    /// Connections closed so far as silent.
    pub silent_closed: u64,
    /// Reconnections so far.
    pub reconnected: u64,
}

/// The resources of a process, from `/proc`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Process {
    pub rss_kib: u64,
    pub threads: u64,
    pub descriptors: u64,
    pub cpu_seconds: f64,
}

/// One tick of processor time in seconds, fixed in Linux's interface.
const TICK_SECONDS: f64 = 0.01;

/// Reads the resources of a process.
///
/// # Errors
/// If there is no such process, or no `/proc`: this works on Linux only.
pub(super) fn look(process: u32) -> io::Result<Process> {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let status = fs::read_to_string(folder.join("status"))?;
    let stat = fs::read_to_string(folder.join("stat"))?;
    let descriptors = fs::read_dir(folder.join("fd"))?.count() as u64;
    let odd = || io::Error::other(format!("/proc/{process} is not as expected"));
    Ok(Process {
        rss_kib: field(&status, "VmRSS:").ok_or_else(odd)?,
        threads: field(&status, "Threads:").ok_or_else(odd)?,
        descriptors,
        cpu_seconds: ticks(&stat).ok_or_else(odd)? as f64 * TICK_SECONDS,
    })
}

/// Reads the memory that a process holds, in KiB.
///
/// # Errors
/// If there is no such process, or no `/proc`.
pub(crate) fn process_memory_kib(process: u32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let odd = || io::Error::other(format!("/proc/{process} is not as expected"));
    field(&status, "VmRSS:").ok_or_else(odd)
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Processor time in user and system mode. The program's name before it may hold anything, but
/// ends at the last bracket.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let (own, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(own + system)
}

/// The samples as CSV.
#[must_use]
pub fn csv(samples: &[Sample]) -> String {
    let mut text = "seconds,rss_kib,descriptors,threads,cpu_seconds,store_kib,connections,matches,\
                    moves,moves_per_second,refused,slow_closed,silent_closed,reconnected\n"
        .to_owned();
    for sample in samples {
        let _ = writeln!(
            text,
            "{:.1},{},{},{},{:.2},{},{},{},{},{:.1},{},{},{},{}",
            sample.seconds,
            sample.rss_kib,
            sample.descriptors,
            sample.threads,
            sample.cpu_seconds,
            sample.store_kib,
            sample.connections,
            sample.matches,
            sample.moves,
            sample.moves_per_second,
            sample.refused,
            sample.slow_closed,
            sample.silent_closed,
            sample.reconnected,
        );
    }
    text
}
