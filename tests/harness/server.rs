//! A server process with a store, which can be killed and restarted.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};

use crate::binaries::program;
use crate::{TinyDisk, with_timeout};

/// A rate limit above the load of any test, in messages per second.
const MESSAGES_PER_ADDRESS: usize = 100_000;
/// Open matches of that address, which may make twice as many at once.
const MATCHES_PER_ADDRESS: usize = 100_000;
/// MiB that it may store in a day.
const STORED_PER_ADDRESS: usize = 1_000_000;

/// A running server on a port of its own, with an `SQLite` store in a folder of its own unless its
/// options name another one.
pub struct Server {
    process: Child,
    address: String,
    log: Log,
    /// The command that starts the program, if any.
    under: Vec<String>,
    /// The store's folder, as the server sees it.
    folder: PathBuf,
    options: Vec<String>,
    /// The folder that is removed with the server.
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

    /// Starts a server that accepts this many connections from one address, with further options.
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

    /// Starts a server that ignores SIGXFSZ, so that a write beyond its size limit fails.
    pub async fn start_ignoring_size_limits() -> Self {
        let deaf = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"];
        Self::start_wrapped(deaf.map(str::to_owned).into(), None, &[]).await
    }

    /// Starts a server through a wrapping command, with its store in this folder or in one of its
    /// own.
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

    /// The number of log lines with this text.
    #[must_use]
    pub fn logged(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter().filter(|line| line.contains(text)).count()
    }

    /// Waits for a log line with this text, and asserts that it is the only one.
    ///
    /// # Panics
    /// If there are more.
    pub async fn wait_for_log_line(&self, text: &str) {
        with_timeout(text, async {
            while self.logged(text) == 0 {
                tokio::time::sleep(POLL_PAUSE).await;
            }
        })
        .await;
        assert_eq!(self.logged(text), 1, "{text}");
    }

    /// Runs the program with a subcommand on the same store.
    pub async fn task(&self, words: &[&str]) -> Output {
        run_task(&self.under, &self.file(), words).await
    }

    /// Runs the program with a subcommand on the store in this file.
    pub async fn task_on(file: &Path, words: &[&str]) -> Output {
        run_task(&[], file, words).await
    }

    /// The server's address as `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Ends the process with SIGKILL and waits for its end.
    pub async fn kill(&mut self) {
        self.process.kill().await.expect("a child can be killed");
    }

    /// Sends SIGKILL at once; [`Server::kill`] then waits for the end.
    pub fn start_kill(&mut self) {
        self.process.start_kill().expect("a child can be killed");
    }

    /// Restarts the killed server and kills it after this time, in whatever state it is.
    pub async fn start_and_kill(&mut self, after: Duration) {
        let serving = serving(&self.address, &self.under, &self.folder, &self.options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = serving.expect("the server starts");
        tokio::time::sleep(after).await;
        self.kill().await;
    }

    /// Restarts the killed server on the same port and store.
    pub async fn restart(&mut self) {
        let again = self.try_restart().await;
        again.expect("the server starts again");
    }

    /// Restarts the killed server where that may fail.
    ///
    /// # Errors
    /// The last log line of a server that ends before it listens.
    pub async fn try_restart(&mut self) -> Result<(), String> {
        let (listen, log) = (&self.address, &self.log);
        let launched = launch(listen, &self.under, &self.folder, &self.options, log).await;
        (self.process, self.address) = launched?;
        Ok(())
    }

    /// Sets the options of the next start.
    pub fn set_options(&mut self, options: &[&str]) {
        self.options = options.iter().map(|&option| option.to_owned()).collect();
    }

    /// Sends a signal, such as `-STOP`.
    ///
    /// # Panics
    /// If the process has ended.
    pub async fn signal(&self, signal: &str) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().await;
        assert!(sent.expect("kill runs").success());
    }

    /// Sends SIGTERM, waits for the end and returns the exit code.
    pub async fn terminate(&mut self) -> Option<i32> {
        let id = self.process.id().expect("a running server").to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(sent.expect("kill runs").success());
        let status = with_timeout("the server to drain", self.process.wait()).await;
        status.expect("a child can be waited for").code()
    }

    /// Returns the server's readiness.
    ///
    /// # Errors
    /// The reason for which it is not ready.
    pub async fn ready(&self) -> Result<(), String> {
        let (status, body) = self.answer("/readyz").await?;
        match status.as_str() {
            "HTTP/1.1 200 OK" => Ok(()),
            "HTTP/1.1 503 Service Unavailable" => Err(body),
            other => panic!("/readyz answers {other}"),
        }
    }

    /// Polls the readiness until it is as `wanted`.
    pub async fn wait_until_ready(&self, what: &str, wanted: impl Fn(&Result<(), String>) -> bool) {
        with_timeout(what, async {
            loop {
                let ready = self.ready().await;
                if wanted(&ready) {
                    break;
                }
                tokio::time::sleep(POLL_PAUSE).await;
            }
        })
        .await;
    }

    /// Polls the readiness until the server is ready and its answer has this text.
    pub async fn wait_until_ready_says(&self, text: &str) {
        with_timeout(text, async {
            while !self
                .get("/readyz")
                .await
                .is_ok_and(|body| body.contains(text))
            {
                tokio::time::sleep(POLL_PAUSE).await;
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

/// The pause between two polls of a server.
const POLL_PAUSE: Duration = Duration::from_millis(50);

/// The program's command, wrapped if that is wanted.
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

/// The command of a serving program.
fn serving(listen: &str, under: &[String], folder: &Path, options: &[String]) -> Command {
    let store = format!("sqlite:{}", folder.join("matches.sqlite").display());
    let mut serving = command(under);
    if !options.iter().any(|option| option == "--store") {
        serving.args(["--store", &store]);
    }
    serving
        .args(["--listen", listen])
        .args(options)
        .env("FIBFOB_BOT_PAUSE", "0s")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    serving
}

/// The options for many connections from one address, as far as the program has them.
async fn capacity_options(connections: usize) -> Vec<String> {
    let help = command(&[]).arg("--help").output();
    let help = with_timeout("the server's help", help).await;
    let help = String::from_utf8(help.expect("the server runs").stdout).expect("help is text");
    let wanted = [
        ("--connections-per-address", connections),
        ("--messages-per-address", MESSAGES_PER_ADDRESS),
        ("--matches-per-address", MATCHES_PER_ADDRESS),
        ("--stored-per-address", STORED_PER_ADDRESS),
    ];
    wanted
        .into_iter()
        .filter(|(option, _)| help.contains(option))
        .flat_map(|(option, value)| [option.to_owned(), value.to_string()])
        .collect()
}

/// Starts the process and returns it with its address, or its last log line if it ends before
/// it listens.
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
    // Further output is read and dropped, so that the server never blocks on a full pipe.
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
