//! The command-line client as a person or a script has it, with its pipes.

use std::process::{Output, Stdio};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::Server;
use crate::binaries::program;
use crate::patiently;

/// A running `fibfob`.
pub struct Terminal {
    process: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
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
        .kill_on_drop(true);
    command
}

impl Terminal {
    /// Runs `fibfob` with `words` against `server`.
    pub fn start(server: &Server, words: &[&str]) -> Self {
        let mut process = command(words)
            .args(["--server", &format!("ws://{}", server.address())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("fibfob starts");
        Self {
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
        // Written beside the reading, or both pipes could fill and wait for each other.
        let writing = tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
        let output = patiently("fibfob to end", process.wait_with_output())
            .await
            .expect("a child can be waited for");
        drop(writing);
        output
    }

    /// Types a line.
    pub async fn types(&mut self, line: &str) {
        let input = self.input.as_mut().expect("standard input is open");
        let line = format!("{line}\n");
        let typed = input.write_all(line.as_bytes()).await;
        typed.expect("fibfob reads its input");
    }

    /// Closes standard input.
    pub fn ends_input(&mut self) {
        self.input = None;
    }

    /// The next line of output; none at its end.
    pub async fn line(&mut self) -> Option<String> {
        patiently("a line of fibfob", self.output.next_line())
            .await
            .expect("output is UTF-8")
    }

    /// The first line from here on that `wanted` takes something from.
    pub async fn line_with<T>(&mut self, what: &str, wanted: impl Fn(&str) -> Option<T>) -> T {
        loop {
            let line = self.line().await;
            let line = line.unwrap_or_else(|| panic!("fibfob ended before {what}"));
            if let Some(found) = wanted(&line) {
                return found;
            }
        }
    }

    /// All lines until its end, and its exit code.
    pub async fn to_the_end(mut self) -> (Vec<String>, Option<i32>) {
        let mut lines = Vec::new();
        while let Some(line) = self.line().await {
            lines.push(line);
        }
        let status = patiently("fibfob to end", self.process.wait()).await;
        (lines, status.expect("a child can be waited for").code())
    }
}
