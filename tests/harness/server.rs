//! A server as an operator has it: a process with a store, which can be killed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::binaries::program;
use crate::patiently;

/// More than all clients of one test say in a second.
const MESSAGES_PER_ADDRESS: usize = 100_000;

/// A running server on a port of its own, with an `SQLite` store in a folder of its own.
pub struct Server {
    process: Child,
    address: String,
    folder: TempDir,
    options: Vec<String>,
}

impl Server {
    /// Starts a server whose bots do not pause.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with further options.
    pub async fn start_with(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let (process, address) = launch("127.0.0.1:0", folder.path(), &options).await;
        Self {
            process,
            address,
            folder,
            options,
        }
    }

    /// Starts a server that takes so many connections from here, with further options.
    pub async fn start_for(connections: usize, options: &[&str]) -> Self {
        let room = room_for(connections).await;
        let options = options
            .iter()
            .copied()
            .chain(room.iter().map(String::as_str));
        Self::start_with(&options.collect::<Vec<_>>()).await
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Ends the process with SIGKILL: nothing of it runs any further.
    pub async fn kill(&mut self) {
        self.process.kill().await.expect("a child can be killed");
    }

    /// Sends SIGKILL at once; [`Server::kill`] then waits for the end.
    pub fn strike(&mut self) {
        self.process.start_kill().expect("a child can be killed");
    }

    /// Starts the killed server again, on the same port and store.
    pub async fn start_again(&mut self) {
        (self.process, self.address) =
            launch(&self.address, self.folder.path(), &self.options).await;
    }

    /// Starts the killed server again, and kills it so much later, however far it has come.
    pub async fn start_and_kill(&mut self, after: Duration) {
        self.process = command(&self.address, self.folder.path(), &self.options)
            .spawn()
            .expect("the server starts");
        tokio::time::sleep(after).await;
        self.kill().await;
    }

    /// The file its matches are in.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        store_in(self.folder.path())
    }

    /// The number of the running process; none after its end.
    #[must_use]
    pub fn process(&self) -> Option<u32> {
        self.process.id()
    }

    /// Options for the next start.
    pub fn set_options(&mut self, options: &[&str]) {
        self.options = options.iter().map(|&option| option.to_owned()).collect();
    }

    /// Asks it to end as an operator does, and gives its exit code.
    pub async fn terminate(&mut self) -> Option<i32> {
        let id = self.process.id().expect("a running server").to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(sent.expect("kill runs").success());
        let status = patiently("the server to drain", self.process.wait()).await;
        status.expect("a child can be waited for").code()
    }

    /// The body of `GET path`, or the status if it is not 200.
    ///
    /// # Errors
    /// The status line of any answer but 200.
    pub async fn get(&self, path: &str) -> Result<String, String> {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut line = tokio::net::TcpStream::connect(&self.address)
            .await
            .map_err(|error| error.to_string())?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        );
        line.write_all(request.as_bytes())
            .await
            .map_err(|error| error.to_string())?;
        let mut answer = String::new();
        patiently("an HTTP answer", line.read_to_string(&mut answer))
            .await
            .map_err(|error| error.to_string())?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.lines().next().unwrap_or_default();
        if status.starts_with("HTTP/1.1 200") {
            Ok(body.to_owned())
        } else {
            Err(status.to_owned())
        }
    }
}

fn store_in(folder: &Path) -> PathBuf {
    folder.join("matches.sqlite")
}

/// Options that a server has for those who come in numbers from one address, as far as it has
/// them.
async fn room_for(connections: usize) -> Vec<String> {
    let help = Command::new(program("fibfob-server"))
        .arg("--help")
        .output();
    let help = patiently("the server's help", help).await;
    let help = String::from_utf8(help.expect("the server runs").stdout).expect("help is text");
    let wanted = [
        ("--connections-per-address", connections),
        ("--messages-per-address", MESSAGES_PER_ADDRESS),
    ];
    wanted
        .into_iter()
        .filter(|(option, _)| help.contains(option))
        .flat_map(|(option, value)| [option.to_owned(), value.to_string()])
        .collect()
}

fn command(listen: &str, folder: &Path, options: &[String]) -> Command {
    let store = format!("sqlite:{}", store_in(folder).display());
    let mut command = Command::new(program("fibfob-server"));
    command
        .args(["--listen", listen, "--store", &store])
        .args(options)
        .env("FIBFOB_BOT_PAUSE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(if std::env::var_os("FIBFOB_TEST_LOG").is_some() {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .kill_on_drop(true);
    command
}

async fn launch(listen: &str, folder: &Path, options: &[String]) -> (Child, String) {
    let mut process = command(listen, folder, options)
        .spawn()
        .expect("the server starts");
    let stdout = process.stdout.take().expect("stdout is piped");
    let mut lines = BufReader::new(stdout).lines();
    let address = patiently("the server to say where it listens", async {
        loop {
            let line = lines.next_line().await.expect("stdout is readable");
            let line = line.expect("the server says where it listens before it ends");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest
                    .trim_end_matches(|end: char| !end.is_ascii_digit())
                    .split(|end: char| end == '/' || end.is_whitespace())
                    .next()
                    .unwrap_or_default()
                    .to_owned();
            }
        }
    })
    .await;
    // Whatever else it prints is read and dropped, so that it never blocks on a full pipe.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (process, address)
}
