//! The terminal client in a pipe.

use std::path::Path;
use std::process::{Output, Stdio};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::Server;
use crate::binaries::program;
use crate::with_timeout;

/// A running `fibfob`.
pub struct Terminal {
    process: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    errors: JoinHandle<Vec<String>>,
}

/// A `fibfob` that has ended.
#[derive(Debug)]
pub struct FinishedProgram {
    /// The unread lines of its standard output.
    pub lines: Vec<String>,
    /// All lines of its standard error.
    pub errors: Vec<String>,
    /// Its exit code.
    pub code: Option<i32>,
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(program("fibfob"));
    command
        .args(words)
        .env(
            "FIBFOB_DATA",
            std::env::temp_dir().join(format!("fibfob-tests-{}", std::process::id())),
        )
        .env_remove("FIBFOB_SERVER")
        .env_remove("FIBFOB_IDENTITY")
        .env_remove("FIBFOB_NAME")
        .env_remove("FIBFOB_CONFIG")
        .env_remove("FIBFOB_CA_CERT")
        .kill_on_drop(true);
    command
}

impl Terminal {
    /// Runs `fibfob` with these arguments against `server`.
    pub fn start(server: &Server, words: &[&str]) -> Self {
        Self::start_at(&format!("ws://{}", server.address()), words)
    }

    /// Runs `fibfob` with these arguments against the server at this address.
    ///
    /// Each is a guest of its own, unless the arguments name an identity.
    pub fn start_at(url: &str, words: &[&str]) -> Self {
        let mut command = command(words);
        if !words.contains(&"--identity") {
            command.arg("--guest");
        }
        Self::spawn(command.args(["--server", url]))
    }

    /// Runs `fibfob` as a person does in a shell: what it keeps is in this folder.
    pub fn start_in(folder: &Path, server: &Server, words: &[&str]) -> Self {
        let url = format!("ws://{}", server.address());
        let mut command = command(words);
        Self::spawn(command.args(["--server", &url]).env("FIBFOB_DATA", folder))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fibfob starts");
        let errors = process.stderr.take().expect("stderr is piped");
        let errors = tokio::spawn(async move {
            let mut lines = BufReader::new(errors).lines();
            let mut all = Vec::new();
            while let Ok(Some(line)) = lines.next_line().await {
                all.push(line);
            }
            all
        });
        Self {
            errors,
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().expect("stdout is piped")).lines(),
            process,
        }
    }

    /// Runs `fibfob` offline with `input` on its standard input, to its end.
    pub async fn run(words: &[&str], input: &str) -> Output {
        let mut process = command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fibfob starts");
        let mut stdin = process.stdin.take().expect("stdin is piped");
        let input = input.to_owned();
        // Written concurrently with the reading, because both pipes could fill and block each other.
        let writing = tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
        let output = with_timeout("fibfob to end", process.wait_with_output())
            .await
            .expect("a child can be waited for");
        drop(writing);
        output
    }

    /// Types a line.
    pub async fn type_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("standard input is open");
        let line = format!("{line}\n");
        let typed = input.write_all(line.as_bytes()).await;
        typed.expect("fibfob reads its input");
    }

    /// Closes standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line of output; none at its end.
    pub async fn line(&mut self) -> Option<String> {
        with_timeout("a line of fibfob", self.output.next_line())
            .await
            .expect("output is UTF-8")
    }

    /// Reads up to the first line from which `wanted` returns something.
    pub async fn find_line<T>(&mut self, what: &str, wanted: impl Fn(&str) -> Option<T>) -> T {
        loop {
            let line = self.line().await;
            let line = line.unwrap_or_else(|| panic!("fibfob ended before {what}"));
            if let Some(found) = wanted(&line) {
                return found;
            }
        }
    }

    /// Waits for the end of the program.
    pub async fn wait_for_end(mut self) -> FinishedProgram {
        let mut lines = Vec::new();
        while let Some(line) = self.line().await {
            lines.push(line);
        }
        let status = with_timeout("fibfob to end", self.process.wait()).await;
        let errors = with_timeout("the errors of fibfob", self.errors).await;
        FinishedProgram {
            lines,
            errors: errors.expect("the reader does not panic"),
            code: status.expect("a child can be waited for").code(),
        }
    }
}
