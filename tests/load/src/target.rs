//! The server under load: one that is started for it, or one that runs already.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use fibfob_client::{Endpoint, ServerUrl};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::error::LoadError;
use crate::process::{self, ProcessUsage};

/// The longest time for a server to listen after its start, and to end after SIGTERM.
const START_WITHIN: Duration = Duration::from_secs(60);

/// The processor time used within [`SETTLE_STEP`] below which a server counts as quiet.
const QUIET_CPU: Duration = Duration::from_millis(2);
/// The pause between two looks at the processor time of a server that is to become quiet.
const SETTLE_STEP: Duration = Duration::from_millis(50);
/// The most such pauses.
const SETTLE_STEPS_MAX: u32 = 60;

/// The options by which a server that is started for a load admits all its connections from one
/// address, each as fast as it plays.
const ROOM: [&str; 10] = [
    "--messages-per-connection",
    "10000",
    "--connections-per-address",
    "16384",
    "--messages-per-address",
    "1000000",
    "--matches-per-address",
    "1000000",
    "--stored-per-address",
    "1000000",
];

/// The way to start a server.
#[derive(Clone, Debug, Default)]
pub struct ServerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, without those of [`ServerCommand::ours`].
    pub arguments: Vec<String>,
    /// The processor that it is bound to.
    pub processor: Option<u32>,
}

impl ServerCommand {
    /// A `fibfob-server` with a store of this kind in `folder`, on a free port of loopback, with room for the load.
    pub fn ours(program: PathBuf, store: &str, folder: &TempDir, processor: Option<u32>) -> Self {
        let store = match store {
            "sqlite" => format!("sqlite:{}", folder.path().join("matches.sqlite").display()),
            store => store.to_owned(),
        };
        let arguments = ["--listen", "127.0.0.1:0", "--store", &store];
        let arguments = arguments.into_iter().chain(ROOM).map(str::to_owned);
        Self {
            program,
            arguments: arguments.collect(),
            processor,
        }
    }

    fn command(&self) -> Command {
        let mut command = match self.processor {
            None => Command::new(&self.program),
            Some(processor) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &processor.to_string()]);
                command.arg(&self.program);
                command
            }
        };
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// A server under load, with the process to measure.
#[derive(Debug)]
pub struct Target {
    /// Its address.
    pub url: ServerUrl,
    /// Its process.
    pub pid: u32,
    /// Groups of other processes whose processor time, with that of their children, is measured with
    /// it, such as those of its database.
    pub beside: Vec<Vec<u32>>,
    /// The process, if it ends with the target.
    started: Option<Child>,
}

impl Target {
    /// A server that runs already.
    #[must_use]
    pub fn running(url: ServerUrl, pid: u32) -> Self {
        Self {
            url,
            pid,
            beside: Vec::new(),
            started: None,
        }
    }

    /// Starts a server. Its log goes to a file in this folder.
    ///
    /// # Errors
    /// [`LoadError::Process`] if it does not start or does not print its address.
    pub async fn start(command: &ServerCommand, folder: &Path) -> Result<Self, LoadError> {
        let name = command.program.display().to_string();
        let failed = || LoadError::process(name.clone());
        let log = std::fs::File::create(folder.join("log")).map_err(failed())?;
        let mut process = command.command().stderr(log).spawn().map_err(failed())?;
        let stdout = process.stdout.take().expect("stdout is piped");
        let printed = timeout(START_WITHIN, printed_address(stdout)).await;
        let address = printed.ok().flatten();
        let (Some(address), Some(pid)) = (address, process.id()) else {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            let last = log.lines().last().unwrap_or("it prints no address");
            return Err(failed()(std::io::Error::other(last.to_owned())));
        };
        let url = format!("ws://{address}").parse();
        let url = url.map_err(|_| failed()(std::io::Error::other("it prints no address")))?;
        Ok(Self {
            url,
            pid,
            beside: Vec::new(),
            started: Some(process),
        })
    }

    /// The way to it. A server prints its address before it accepts: connections wait meanwhile.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        let mut endpoint = Endpoint::new(self.url.clone());
        endpoint.connect_timeout = START_WITHIN;
        endpoint
    }

    /// The resources that its process uses.
    ///
    /// # Errors
    /// If it has ended.
    pub fn usage(&self) -> Result<ProcessUsage, LoadError> {
        process::usage(self.pid)
    }

    /// The processor time of each group of processes beside it.
    ///
    /// # Errors
    /// If one of the processes has ended.
    pub fn beside_cpu(&self) -> Result<Vec<Duration>, LoadError> {
        let group = |pids: &Vec<u32>| {
            let cpu = pids.iter().map(|&pid| process::tree_cpu(pid));
            cpu.sum::<Result<Duration, LoadError>>()
        };
        self.beside.iter().map(group).collect()
    }

    /// Waits until the server has done the work that earlier requests left behind. A server that
    /// others use as well never gets quiet: then it is measured with their work.
    ///
    /// # Errors
    /// If it has ended.
    pub async fn settle(&self) -> Result<(), LoadError> {
        let mut before = self.usage()?;
        for _ in 0..SETTLE_STEPS_MAX {
            tokio::time::sleep(SETTLE_STEP).await;
            let now = self.usage()?;
            if now.cpu.saturating_sub(before.cpu) < QUIET_CPU {
                return Ok(());
            }
            before = now;
        }
        Ok(())
    }

    /// Ends a server that was started by SIGKILL.
    ///
    /// # Errors
    /// If it cannot be ended.
    pub async fn kill(mut self) -> Result<(), LoadError> {
        match &mut self.started {
            None => Ok(()),
            Some(started) => started
                .kill()
                .await
                .map_err(LoadError::process("the server cannot be killed")),
        }
    }

    /// Ends a server that was started: SIGTERM, and SIGKILL if that does not help.
    ///
    /// # Errors
    /// If it cannot be ended.
    pub async fn stop(mut self) -> Result<(), LoadError> {
        let Some(started) = &mut self.started else {
            return Ok(());
        };
        let failed = || LoadError::process("the server cannot be stopped");
        let mut kill = Command::new("kill");
        kill.args(["-TERM", &self.pid.to_string()]);
        kill.status().await.map_err(failed())?;
        match timeout(START_WITHIN, started.wait()).await {
            Ok(ended) => ended.map(drop).map_err(failed()),
            Err(_) => started.kill().await.map_err(failed()),
        }
    }
}

/// The `host:port` of the first URL that a server prints. The rest is read and dropped.
async fn printed_address(stdout: ChildStdout) -> Option<String> {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some((_, rest)) = line.split_once("://") {
            let end = |letter: char| !(letter.is_ascii_digit() || ".:[]".contains(letter));
            let address = rest.split(end).next().map(str::to_owned);
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return address;
        }
    }
    None
}

/// The server's program beside this one, as Cargo builds it.
#[must_use]
pub fn program_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    // Tests lie in `deps`, one folder below the programs.
    let folders = own.ancestors().skip(1);
    let found = folders
        .map(|folder| folder.join("fibfob-server"))
        .find(|path: &PathBuf| Path::is_file(path));
    found.unwrap_or_else(|| PathBuf::from("fibfob-server"))
}
