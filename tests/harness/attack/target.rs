//! The attacked server: a process with a store of its own on loopback.

use std::net::SocketAddr;
use std::path::PathBuf;
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
    folder: TempDir,
}

impl Target {
    /// Starts this program, or the one built from these sources; with `realtime`, before everything else.
    pub(super) async fn start(
        server: Option<PathBuf>,
        options: &[String],
        realtime: bool,
        ipv6: bool,
    ) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let store = format!("sqlite:{}", folder.path().join("matches.sqlite").display());
        let listen = if ipv6 { "[::1]:0" } else { "127.0.0.1:0" };
        let server = server.unwrap_or_else(|| program("fibfob-server"));
        let mut command = match realtime {
            true => {
                let mut first = Command::new("chrt");
                first.args(["--rr", "1"]).arg(server);
                first
            }
            false => Command::new(server),
        };
        let mut process = command
            .args(["--listen", listen, "--store", &store, "--log", "error"])
            .args(options)
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
            folder,
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

    /// The size of the store, in KiB.
    pub(super) fn store_kib(&self) -> u64 {
        let files = std::fs::read_dir(self.folder.path()).expect("the store's folder");
        let bytes: u64 = files
            .filter_map(|file| Some(file.ok()?.metadata().ok()?.len()))
            .sum();
        bytes / 1024
    }
}
