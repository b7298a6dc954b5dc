//! The attacked server: a process with a store of its own on loopback.

use std::net::SocketAddr;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::binaries::program;
use crate::resources::process_memory_kib;
use crate::with_timeout;

/// A running server, which ends with this value.
pub(super) struct Target {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Target {
    /// Starts a server with its default limits.
    pub(super) async fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let store = format!("sqlite:{}", folder.path().join("matches.sqlite").display());
        let mut process = Command::new(program("fibfob-server"))
            .args([
                "--listen",
                "127.0.0.1:0",
                "--store",
                &store,
                "--log",
                "error",
            ])
            .env("FIBFOB_BOT_PAUSE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("the server starts");
        let stdout = process.stdout.take().expect("stdout is piped");
        let mut lines = BufReader::new(stdout).lines();
        let first = with_timeout("the server to say where it listens", lines.next_line()).await;
        let first = first.expect("stdout is readable").expect("a first line");
        let (_, rest) = first.split_once("://").expect("an address");
        let end = rest.find(|end: char| end == '/' || end.is_whitespace());
        let address = rest[..end.unwrap_or(rest.len())].parse();
        // Further output is read and dropped, so that the server never blocks on a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            process,
            address: address.expect("a numeric address"),
            _folder: folder,
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The memory that the server holds, in KiB.
    pub(super) fn memory_kib(&self) -> u64 {
        let process = self.process.id().expect("the server runs");
        process_memory_kib(process).expect("the server runs, on Linux")
    }
}
