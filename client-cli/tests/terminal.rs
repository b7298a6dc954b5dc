//! The program on a terminal of its own.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod hostile;

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The time limit of every wait.
const LIMIT: Duration = Duration::from_secs(30);

/// A `fibfob` and the other end of its terminal.
struct OnTerminal {
    terminal: File,
    process: Child,
    seen: String,
    /// What it keeps.
    _folder: tempfile::TempDir,
}

impl OnTerminal {
    fn start(words: &[&str]) -> Self {
        Self::start_to(words, None)
    }

    /// Starts it with its output at another place than the terminal, if one is given.
    fn start_to(words: &[&str], output: Option<Stdio>) -> Self {
        let terminal =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let inner = open(
            &name,
            OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&inner, size).unwrap();
        let inner = File::from(inner);
        let folder = tempfile::tempdir().unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_fibfob"))
            .args(words)
            .env("TERM", "xterm-256color")
            .env("FIBFOB_THEME", "dark")
            .env("FIBFOB_DATA", folder.path())
            .env_remove("FIBFOB_SERVER")
            .env_remove("FIBFOB_CONFIG")
            .stdin(inner.try_clone().unwrap())
            .stdout(output.unwrap_or_else(|| inner.try_clone().unwrap().into()))
            .stderr(inner)
            .spawn()
            .unwrap();
        Self {
            terminal: File::from(terminal),
            process,
            seen: String::new(),
            _folder: folder,
        }
    }

    /// Reads until this text was drawn.
    fn wait_for(&mut self, text: &str) {
        let limit = Timespec::try_from(LIMIT).unwrap();
        let mut bytes = [0; 4096];
        while !self.seen.contains(text) {
            let mut fds = [PollFd::new(&self.terminal, PollFlags::IN)];
            let ready = poll(&mut fds, Some(&limit));
            assert_eq!(ready, Ok(1), "{text:?} is not in {:?}", self.seen);
            let read = self.terminal.read(&mut bytes);
            let read = read.unwrap_or_else(|error| panic!("{error}: {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    fn type_line(&mut self, line: &str) {
        write!(self.terminal, "{line}\r").unwrap();
    }

    /// Closes the terminal and waits for the program to end.
    fn vanish(self) -> ExitStatus {
        drop(self.terminal);
        Self::ended(self.process)
    }

    fn ended(mut process: Child) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = process.try_wait().unwrap() {
                return status;
            }
            if start.elapsed() > LIMIT {
                process.kill().unwrap();
                panic!("the program does not end");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn the_program_ends_when_its_terminal_vanishes_also_while_something_is_typed() {
    let words = ["play", "--game", "nim", "--bot", "--offline", "--no-rules"];
    let typed = "say hello ".repeat(200);
    // Whether the input is being read at that instant is chance.
    for line in [None].into_iter().chain([Some(&typed); 20]) {
        let mut program = OnTerminal::start(&words);
        // An unstyled space is not drawn, so that a text with one may come in two parts.
        program.wait_for("heap");
        line.inspect(|line| program.type_line(line));
        // It has no controlling terminal, so that no signal tells it.
        let status = program.vanish();
        assert_eq!(status.code(), Some(130), "{status}");
    }
}

#[test]
fn keys_that_come_faster_than_the_screen_is_drawn_are_drawn_together() {
    const KEYS: usize = 12_000;
    let words = ["play", "--game", "nim", "--bot", "--offline", "--no-rules"];
    let mut program = OnTerminal::start(&words);
    program.wait_for("heap");
    // Typed beside the reading: the program does not read on while nobody takes what it draws.
    let mut keyboard = program.terminal.try_clone().unwrap();
    let ctrl_c = '\u{3}';
    let keys = "x".repeat(KEYS) + &ctrl_c.to_string();
    let typing = std::thread::spawn(move || keyboard.write_all(keys.as_bytes()));
    program.wait_for("\u{1b}[?1049l");
    typing.join().unwrap().unwrap();
    // Each picture ends with the cursor.
    let pictures = program.seen.matches("\u{1b}[?25h").count();
    assert!(pictures < KEYS / 10, "{pictures} pictures");
    assert_eq!(program.vanish().code(), Some(130));
}

#[test]
fn a_match_against_the_bot_needs_no_server() {
    let words = ["play", "--game", "rooks", "--start", "a1@3", "--bot"];
    let words = [&words[..], &["--first", "me", "--offline"]].concat();
    let mut program = OnTerminal::start(&words);
    // The first match of a game begins with its rules; what is typed closes them.
    program.wait_for("lift");
    program.type_line("A1@2");
    program.wait_for("erased from reality (no move left, after 2 moves).");
    // A title ends with the same sign that rings.
    let signs = program.seen.matches('\u{7}').count();
    let titles = program.seen.matches("\u{1b}]0;").count();
    assert!(signs > titles, "{:?}", program.seen);
    assert!(
        program.seen.contains("your move · Rooks"),
        "the window had a title"
    );
    program.type_line("quit");
    program.wait_for("match ");
    let status = program.vanish();
    assert!(status.code().is_some(), "{status}");
}

#[test]
fn a_hostile_server_cannot_control_the_terminal() {
    let server = hostile::start();
    let url = format!("http://{server}");
    let at_server = ["--server", &url, "--guest", "--give-up-after", "1s"];
    // A screen has its own sequences, so that those of the server are looked for.
    let watch = ["watch", hostile::FULL_MATCH];
    let mut program = OnTerminal::start(&[&watch[..], &at_server].concat());
    program.wait_for("\u{1b}[?1049l");
    program.wait_for("EVIL");
    for sign in hostile::SIGNS {
        assert!(
            !program.seen.contains(sign),
            "{sign:?} in {:?}",
            program.seen
        );
    }
    let _ = program.vanish();
    for words in [
        &["lobby"][..],
        &["matches"],
        &["watch", hostile::FULL_MATCH],
        &["watch", hostile::CLOSED_MATCH],
        &["play", "--join", hostile::FULL_MATCH],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ended = Command::new(env!("CARGO_BIN_EXE_fibfob"))
            .args([words, &at_server].concat())
            .env("FIBFOB_DATA", folder.path())
            .env_remove("FIBFOB_SERVER")
            .env_remove("FIBFOB_CONFIG")
            .output()
            .unwrap();
        let said = String::from_utf8([ended.stdout, ended.stderr].concat()).unwrap();
        assert!(said.contains("EVIL"), "{words:?}: {said:?}");
        let is_hidden = |letter: char| {
            letter != '\n' && letter.is_control() || hostile::SIGNS.contains(&&*letter.to_string())
        };
        assert!(!said.contains(is_hidden), "{words:?}: {said:?}");
    }
}

/// A match of one move, whose end leads to its record.
const LOST: [&str; 12] = [
    "play",
    "--plain",
    "--game",
    "nim",
    "--start",
    "3,4,5",
    "--bot",
    "perfect",
    "--first",
    "me",
    "--offline",
    "--no-rules",
];

#[test]
fn an_analysis_in_plain_lines_lasts_as_long_as_somebody_types() {
    let mut program = OnTerminal::start(&LOST);
    program.wait_for("your move");
    program.type_line("take 3 from 1");
    program.type_line("resign");
    program.wait_for("once more");
    program.type_line("resign");
    program.wait_for("You had the win until move 1.");
    // Longer than the program waits for late answers.
    std::thread::sleep(Duration::from_secs(4));
    program.type_line("try");
    program.wait_for("Move 1 gave the win away.");
    assert!(program.vanish().code().is_some());
}

#[test]
fn a_match_whose_lines_go_to_a_file_ends_the_program() {
    let mut program = OnTerminal::start_to(&LOST, Some(Stdio::null()));
    program.type_line("take 3 from 1");
    // A script's line, which is held until the bot has moved, and counts at once.
    program.type_line("resign");
    OnTerminal::ended(program.process);
}
