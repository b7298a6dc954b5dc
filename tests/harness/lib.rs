//! The harness of the promises' tests: real programs that are started and killed, and a client
//! of the protocol.
//!
//! Every wait is bounded, most by [`WAIT_MAX`], and ends in a panic that names the expected thing.

pub mod attack;
mod binaries;
mod connect;
pub mod crash_test;
mod disk;
mod fault_injection;
mod link;
pub mod power_cut;
mod resources;
mod server;
mod terminal;
mod test_client;
mod workload;

pub use binaries::program;
pub use connect::open_behind;
pub use disk::TinyDisk;
pub use fault_injection::{SyscallFaults, cap_file_size};
pub use link::Link;
pub use resources::allow_connections;
pub use server::Server;
pub use terminal::{FinishedProgram, Terminal};
pub use test_client::{ShownEvent, TestClient, against_bot, match_setup};

use std::time::Duration;

/// The usual time limit of a wait. Generous: machines are shared, and no test measures time.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// Fib Fob's worked example: an N-position whose only winning move is `time -13`.
pub const WORKED_EXAMPLE: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";

/// Waits for `future`, at most [`WAIT_MAX`].
pub async fn with_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    within(WAIT_MAX, what, future).await
}

/// Waits for `future`, at most for this time.
pub async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(limit, future)
        .await
        .unwrap_or_else(|_| panic!("waited {limit:?} for {what}"))
}

/// Reports that a test cannot run on this machine: on standard error, and as a line of the file
/// named by `TESTS_SKIPPED`, which `tests/run` prints and counts.
///
/// # Panics
/// If that file cannot be written.
pub fn skipped(reason: &str) {
    use std::io::Write;
    let test = std::thread::current();
    let line = format!("skipped {}: {reason}", test.name().unwrap_or("a test"));
    eprintln!("{line}");
    if let Some(path) = std::env::var_os("TESTS_SKIPPED") {
        let file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(path);
        let mut file = file.expect("TESTS_SKIPPED names a file that can be written");
        writeln!(file, "{line}").expect("a line can be appended");
    }
}
