//! Injected faults of a running server's system calls.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::{Server, with_timeout};

/// Failing system calls of a server, injected by `strace` while this lives.
pub struct SyscallFaults(Child);

impl SyscallFaults {
    /// Starts to inject; `options` are strace's.
    ///
    /// # Panics
    /// If strace is missing, or may not attach to a process of the same user.
    pub async fn of(server: &Server, options: &[&str]) -> Self {
        let mut strace = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-p", &server.id().to_string()])
            .args(options)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("strace is installed: tests/run does it");
        let mut said = BufReader::new(strace.stderr.take().expect("stderr is piped"));
        let mut line = String::new();
        let read = with_timeout("strace to attach", said.read_line(&mut line)).await;
        read.expect("strace says something");
        assert!(
            line.contains("attached"),
            "strace cannot attach to the server: {line}(as another user than root this needs \
             kernel.yama.ptrace_scope = 0)"
        );
        // Read to the end, so that strace never blocks on a full pipe.
        tokio::spawn(async move {
            let mut rest = Vec::new();
            let _ = said.read_to_end(&mut rest).await;
        });
        Self(strace)
    }

    /// Ends the injection.
    pub async fn end(mut self) {
        let id = self.0.id().expect("strace runs").to_string();
        let told = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(told.expect("kill runs").success());
        let ended = with_timeout("strace to detach", self.0.wait()).await;
        ended.expect("a child can be waited for");
    }
}

/// Sets the largest file that a running process may write, in bytes; none lifts the limit. A
/// server must have been started by [`Server::start_ignoring_size_limits`].
///
/// # Panics
/// If prlimit is missing, or the process is another user's.
pub async fn cap_file_size(process: u32, bytes: Option<u64>) {
    let soft = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
    let status = Command::new("prlimit")
        .args(["--pid", &process.to_string()])
        .arg(format!("--fsize={soft}:unlimited"))
        .status()
        .await;
    let status = status.expect("`prlimit` of util-linux is installed");
    assert!(status.success(), "prlimit may set the limits of a child");
}
