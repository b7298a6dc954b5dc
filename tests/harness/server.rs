//! A server as an operator has it: a process with a store, which can be killed.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};

use crate::binaries::program;
use crate::{TinyDisk, with_timeout};

/// More than all clients of one test say in a second.
const MESSAGES_PER_ADDRESS: usize = 100_000;

/// A running server on a port of its own, with an `SQLite` store in a folder of its own.
pub struct Server {
    process: Child,
    address: String,
    log: Log,
    /// Words before the program: under what it runs.
    under: Vec<String>,
    /// Where the store is, as the server sees it.
    folder: PathBuf,
    options: Vec<String>,
    /// Removed with the server.
    _own_folder: TempDir,
}

/// The lines of the log since the first start.
type Log = Arc<Mutex<Vec<String>>>;

impl Server {
    /// Starts a server whose bots do not pause.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with further options.
    pub async fn start_with(options: &[&str]) -> Self {
        Self::start_wrapped(Vec::new(), None, options).await
    }

    /// Starts a server that takes so many connections from here, with further options.
    pub async fn start_with_capacity(connections: usize, options: &[&str]) -> Self {
        let room = capacity_options(connections).await;
        let room = room.iter().map(String::as_str);
        let options: Vec<&str> = options.iter().copied().chain(room).collect();
        Self::start_with(&options).await
    }

    /// Starts a server whose store is on this disk.
    pub async fn start_on(disk: &TinyDisk) -> Self {
        Self::start_wrapped(disk.enter_command(), Some(disk.path()), &[]).await
    }

    /// Starts a server that goes on when it writes more than its limits allow.
    pub async fn start_ignoring_size_limits() -> Self {
        let deaf = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"];
        Self::start_wrapped(deaf.map(str::to_owned).into(), None, &[]).await
    }

    /// Starts a server by a command that starts its last words, with its store in this folder
    /// or in one of its own.
    pub async fn start_wrapped(
        under: Vec<String>,
        folder: Option<&Path>,
        options: &[&str],
    ) -> Self {
        let own_folder = TempDir::new().expect("a temporary folder");
        let folder = folder.unwrap_or(own_folder.path()).to_owned();
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let log = Log::default();
        let launched = launch("127.0.0.1:0", &under, &folder, &options, &log).await;
        let (process, address) = launched.expect("the server starts");
        Self {
            process,
            address,
            log,
            under,
            folder,
            options,
            _own_folder: own_folder,
        }
    }

    /// The store's file, as the server sees it.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join("matches.sqlite")
    }

    /// The process's id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id().expect("a running server")
    }

    /// How many lines of the log hold this text.
    #[must_use]
    pub fn logged(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter().filter(|line| line.contains(text)).count()
    }

    /// Waits until the log has a line with this text, and makes sure that it is the only one.
    ///
    /// # Panics
    /// If there are more.
    pub async fn wait_for_log_line(&self, text: &str) {
        with_timeout(text, async {
            while self.logged(text) == 0 {
                tokio::time::sleep(ASK_AGAIN).await;
            }
        })
        .await;
        assert_eq!(self.logged(text), 1, "{text}");
    }

    /// Runs the program once more, on the same store, for one of its tasks.
    pub async fn task(&self, words: &[&str]) -> Output {
        run_task(&self.under, &self.file(), words).await
    }

    /// Runs a task of the program on the store in this file.
    pub async fn task_on(file: &Path, words: &[&str]) -> Output {
        run_task(&[], file, words).await
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
    pub fn start_kill(&mut self) {
        self.process.start_kill().expect("a child can be killed");
    }

    /// Starts the killed server again, and kills it so much later, however far it has come.
    pub async fn start_and_kill(&mut self, after: Duration) {
        let serving = serving(&self.address, &self.under, &self.folder, &self.options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = serving.expect("the server starts");
        tokio::time::sleep(after).await;
        self.kill().await;
    }

    /// Starts the killed server again, on the same port and store.
    pub async fn restart(&mut self) {
        let again = self.try_restart().await;
        again.expect("the server starts again");
    }

    /// The same, where it may fail.
    ///
    /// # Errors
    /// What it says when it ends before it listens.
    pub async fn try_restart(&mut self) -> Result<(), String> {
        let (listen, log) = (&self.address, &self.log);
        let launched = launch(listen, &self.under, &self.folder, &self.options, log).await;
        (self.process, self.address) = launched?;
        Ok(())
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
        let status = with_timeout("the server to drain", self.process.wait()).await;
        status.expect("a child can be waited for").code()
    }

    /// Whether the server says that it is ready, and otherwise why it is not.
    ///
    /// # Errors
    /// Its reason.
    pub async fn ready(&self) -> Result<(), String> {
        let (status, body) = self.answer("/readyz").await?;
        match status.as_str() {
            "HTTP/1.1 200 OK" => Ok(()),
            "HTTP/1.1 503 Service Unavailable" => Err(body),
            other => panic!("/readyz answers {other}"),
        }
    }

    /// Asks until the server is as wanted: ready, or not ready for a reason.
    pub async fn wait_until_ready(&self, what: &str, wanted: impl Fn(&Result<(), String>) -> bool) {
        with_timeout(what, async {
            loop {
                let ready = self.ready().await;
                if wanted(&ready) {
                    break;
                }
                tokio::time::sleep(ASK_AGAIN).await;
            }
        })
        .await;
    }

    /// The body of `GET path`.
    ///
    /// # Errors
    /// The status line of any answer but 200.
    pub async fn get(&self, path: &str) -> Result<String, String> {
        let (status, body) = self.answer(path).await?;
        if status.starts_with("HTTP/1.1 200") {
            Ok(body)
        } else {
            Err(status)
        }
    }

    /// Status line and body of the answer to `GET path`.
    async fn answer(&self, path: &str) -> Result<(String, String), String> {
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
        with_timeout("an HTTP answer", line.read_to_string(&mut answer))
            .await
            .map_err(|error| error.to_string())?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.lines().next().unwrap_or_default();
        Ok((status.to_owned(), body.to_owned()))
    }
}

/// The pause between two questions whether a server is ready.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// The program, under another one that starts it.
fn command(under: &[String]) -> Command {
    let program = program("fibfob-server");
    let Some((first, rest)) = under.split_first() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(rest).arg(program);
    command
}

async fn run_task(under: &[String], file: &Path, words: &[&str]) -> Output {
    let output = command(under)
        .args(words)
        .args(["--store", &format!("sqlite:{}", file.display())])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    with_timeout("a task to end", output)
        .await
        .expect("it runs")
}

/// The program as it serves.
fn serving(listen: &str, under: &[String], folder: &Path, options: &[String]) -> Command {
    let store = format!("sqlite:{}", folder.join("matches.sqlite").display());
    let mut serving = command(under);
    serving
        .args(["--listen", listen, "--store", &store])
        .args(options)
        .env("FIBFOB_BOT_PAUSE", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    serving
}

/// Options that a server has for those who come in numbers from one address, as far as it has
/// them.
async fn capacity_options(connections: usize) -> Vec<String> {
    let help = command(&[]).arg("--help").output();
    let help = with_timeout("the server's help", help).await;
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

/// The process and where it listens, or what it says when it ends before.
async fn launch(
    listen: &str,
    under: &[String],
    folder: &Path,
    options: &[String],
    log: &Log,
) -> Result<(Child, String), String> {
    let mut process = serving(listen, under, folder, options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let stderr = process.stderr.take().expect("stderr is piped");
    let logging = tokio::spawn(keep(stderr, Arc::clone(log)));
    let stdout = process.stdout.take().expect("stdout is piped");
    let mut lines = BufReader::new(stdout).lines();
    let address = with_timeout("the server to say where it listens", async {
        while let Some(line) = lines.next_line().await.expect("stdout is readable") {
            if let Some((_, rest)) = line.split_once("://") {
                return rest
                    .trim_end_matches(|end: char| !end.is_ascii_digit())
                    .split(|end: char| end == '/' || end.is_whitespace())
                    .next()
                    .map(str::to_owned);
            }
        }
        None
    })
    .await;
    let Some(address) = address else {
        with_timeout("the rest of the log", logging)
            .await
            .expect("reading does not panic");
        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        return Err(log.last().cloned().unwrap_or_default());
    };
    // Whatever else it prints is read and dropped, so that it never blocks on a full pipe.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((process, address))
}

async fn keep(stderr: ChildStderr, log: Log) {
    let is_shown = std::env::var_os("FIBFOB_TEST_LOG").is_some();
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if is_shown {
            eprintln!("{line}");
        }
        log.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }
}
