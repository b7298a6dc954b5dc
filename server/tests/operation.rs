//! The server program under an operator's mistakes: signals at bad moments, too few open files,
//! misspelt variables, addresses that nobody reaches.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;
use tempfile::TempDir;

/// The program.
const SERVER: &str = env!("CARGO_BIN_EXE_fibfob-server");

/// A running program, whose first line of output was read.
struct Running {
    process: Child,
    address: String,
    log: BufReader<ChildStderr>,
    logged: String,
}

/// Starts the program under a shell that first does `setting`.
fn start_under(setting: &str, variables: &[(&str, &str)], args: &[&str]) -> Running {
    start_at("127.0.0.1:0", setting, variables, args)
}

/// [`start_under`], at another address.
fn start_at(address: &str, setting: &str, variables: &[(&str, &str)], args: &[&str]) -> Running {
    let mut command = Command::new("sh");
    let script = format!("{setting}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, SERVER, "--listen", address]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
        command.env_remove(name);
    }
    let mut process = command
        .args(args)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut printed = BufReader::new(process.stdout.take().unwrap());
    printed.read_line(&mut first).unwrap();
    let address = first.split_once("//").map_or("", |(_, rest)| rest);
    let address = address.split_whitespace().next().unwrap_or("").to_owned();
    std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
    Running {
        log: BufReader::new(process.stderr.take().unwrap()),
        process,
        address,
        logged: String::new(),
    }
}

fn start(args: &[&str]) -> Running {
    start_under("true", &[], args)
}

impl Running {
    fn send(&self, signal: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Reads the log until a line has this text.
    fn wait_for_log(&mut self, text: &str) {
        while !self.logged.contains(text) {
            let read = self.log.read_line(&mut self.logged).unwrap();
            assert_ne!(read, 0, "it ended without {text}: {}", self.logged);
        }
    }

    /// The status line of `GET /readyz`.
    fn readyz(&self) -> String {
        let answer = self.readyz_answer();
        answer.lines().next().unwrap().to_owned()
    }

    /// Asks until a look at the store has led to this status line.
    fn wait_for_readyz(&self, status: &str) {
        while self.readyz() != status {}
    }

    fn readyz_answer(&self) -> String {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let get = format!(
            "GET /readyz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        );
        socket.write_all(get.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The soft and the hard limit of open files.
    fn open_files(&self) -> (String, String) {
        let path = format!("/proc/{}/limits", self.process.id());
        let limits = std::fs::read_to_string(path).unwrap();
        let line = limits.lines().find(|line| line.starts_with("Max open"));
        let mut words = line.unwrap().split_whitespace().skip(3).map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap())
    }

    /// Ends it by SIGTERM, and returns its exit code and its whole log.
    fn end(mut self) -> (Option<i32>, String) {
        self.send("-TERM");
        let status = self.process.wait().unwrap();
        self.log.read_to_string(&mut self.logged).unwrap();
        (status.code(), self.logged)
    }
}

#[test]
fn sigterm_right_after_the_first_line_drains() {
    for _ in 0..20 {
        let (code, log) = start(&["--store", "memory"]).end();
        assert_eq!(code, Some(0), "{log}");
    }
}

#[test]
fn readyz_says_where_an_acknowledged_move_is_kept() {
    let folder = TempDir::new().unwrap();
    let file = format!("sqlite:{}", folder.path().join("matches.sqlite").display());
    for (store, kept) in [
        ("memory", "memory, which ends with this process"),
        (&file, "SQLite, on this machine's disk"),
    ] {
        let mut running = start(&["--store", store]);
        running.wait_for_log("\"ready\"");
        let answer = running.readyz_answer();
        assert!(
            answer.ends_with(&format!("\r\n\r\nready\nstore: {kept}\n")),
            "{answer}"
        );
        assert_eq!(running.end().0, Some(0));
    }
}

#[test]
fn sighup_without_a_certificate_is_ignored_with_a_line() {
    let mut running = start(&["--store", "memory"]);
    running.send("-HUP");
    running.wait_for_log("SIGHUP is ignored");
    assert_eq!(running.readyz(), "HTTP/1.1 200 OK");
    assert_eq!(running.end().0, Some(0));
}

#[test]
fn the_limit_of_open_files_is_raised_and_a_low_one_is_named() {
    let mut running = start_under("ulimit -S -n 256", &[], &["--store", "memory"]);
    running.wait_for_log("\"ready\"");
    let (soft, hard) = running.open_files();
    assert_eq!(soft, hard);
    assert_ne!(soft, "256", "this machine's hard limit is above the test's");
    running.end();
    let mut running = start_under("ulimit -n 256", &[], &["--store", "memory"]);
    running.wait_for_log("may open too few files for 16384 connections");
    running.end();
}

#[test]
fn a_lack_of_descriptors_is_logged_once_a_minute() {
    let mut running = start_under("ulimit -n 40", &[], &["--store", "memory"]);
    let address = running.address.clone();
    let sockets: Vec<TcpStream> = (0..60)
        .map(|_| TcpStream::connect(&address).unwrap())
        .collect();
    running.wait_for_log("could not be accepted");
    // Several accepts fail in this time, each after a pause of 200 ms.
    std::thread::sleep(Duration::from_secs(2));
    drop(sockets);
    let (_, log) = running.end();
    assert_eq!(log.matches("could not be accepted").count(), 1, "{log}");
}

#[test]
fn ready_is_logged_only_when_readyz_says_so() {
    let folder = TempDir::new().unwrap();
    let store = format!("sqlite:{}", folder.path().join("a.sqlite").display());
    start(&["--store", &store]).end();
    // Large enough to open the store, too small to write it.
    let full = "trap '' XFSZ; prlimit --pid $$ --fsize=65536:unlimited";
    let mut running = start_under(full, &[], &["--store", &store]);
    running.wait_for_log("not ready yet");
    running.wait_for_readyz("HTTP/1.1 503 Service Unavailable");
    assert!(!running.logged.contains("\"ready\""), "{}", running.logged);
    let id = running.process.id().to_string();
    let lifted = Command::new("prlimit")
        .args(["--pid", &id, "--fsize=unlimited:unlimited"])
        .status();
    assert!(lifted.unwrap().success());
    running.wait_for_log("\"ready\"");
    assert_eq!(running.readyz(), "HTTP/1.1 200 OK");
    running.end();
}

#[test]
fn empty_variables_are_ignored_and_misspelt_ones_are_warned_of() {
    let empty_and_wrong = [
        ("FIBFOB_GRACE", ""),
        ("FIBFOB_STORE", ""),
        ("FIBFOB_STROE", "memory"),
        ("FIBFOB_SERVER", "http://127.0.0.1:1"),
        ("FIBFOB_BOT_PAUSE", "2s"),
    ];
    let folder = TempDir::new().unwrap();
    let home = folder.path().to_str().unwrap();
    let variables = [
        &empty_and_wrong[..],
        &[("HOME", home), ("XDG_DATA_HOME", home)],
    ]
    .concat();
    let mut running = start_under("true", &variables, &[]);
    running.wait_for_log("\"ready\"");
    let unknown = running
        .logged
        .matches("unknown environment variable")
        .count();
    assert_eq!(unknown, 1, "{}", running.logged);
    assert!(running.logged.contains("FIBFOB_STROE"));
    running.end();
}

#[test]
fn listening_beyond_loopback_without_tls_is_named() {
    let warned = |args: &[&str]| {
        let args = [&["--store", "memory"], args].concat();
        let mut running = start_at("0.0.0.0:0", "true", &[], &args);
        running.wait_for_log("\"ready\"");
        running.end().1.contains("without TLS")
    };
    assert!(warned(&[]));
    assert!(!warned(&["--public-url", "https://fib.example"]));
}

#[test]
fn a_store_that_is_moved_away_while_the_server_runs_is_noticed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let away = folder.path().join("away.sqlite");
    let store = format!("sqlite:{}", path.display());
    let mut running = start(&["--store", &store]);
    running.wait_for_log("\"ready\"");
    assert_eq!(running.readyz(), "HTTP/1.1 200 OK");
    std::fs::rename(&path, &away).unwrap();
    // Nobody plays and nobody asks.
    running.wait_for_log("the store cannot write");
    running.wait_for_readyz("HTTP/1.1 503 Service Unavailable");
    std::fs::rename(&away, &path).unwrap();
    running.wait_for_log("the store writes again");
    running.wait_for_readyz("HTTP/1.1 200 OK");
    running.end();
}

/// `fibfob-backup`, which the package's timer runs each night.
#[test]
fn the_nightly_backup_keeps_the_newest_ones_and_what_is_not_its_own() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let store = format!("sqlite:{}", at("a.sqlite").display());
    drop(Store::new(Sqlite::open(&at("a.sqlite")).unwrap()));
    let old = ["20250101T031500Z", "20250102T031500Z", "20250103T031500Z"];
    for date in old {
        std::fs::write(at(&format!("matches-{date}.sqlite")), "a backup").unwrap();
    }
    std::fs::write(at("matches-precious.sqlite"), "not of the timer").unwrap();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deploy/debian/fibfob-backup"
    );
    let programs = std::path::Path::new(SERVER).parent().unwrap().display();
    let backup = |kept: &str| {
        let mut command = Command::new(script);
        command.env("PATH", format!("{programs}:/usr/bin:/bin"));
        command
            .env("FIBFOB_STORE", &store)
            .env("BACKUPS_KEPT", kept);
        command
            .env("BACKUP_FOLDER", folder.path())
            .output()
            .unwrap()
    };
    let wrong = backup("none");
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    let made = backup("2");
    assert!(made.status.success(), "{made:?}");
    let found = std::fs::read_dir(folder.path()).unwrap();
    let names = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut kept: Vec<String> = names.filter(|name| name.starts_with("matches-")).collect();
    kept.sort();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert_eq!(kept[0], format!("matches-{}.sqlite", old[2]));
    assert!(
        kept[1] > kept[0] && kept[2] == "matches-precious.sqlite",
        "{kept:?}"
    );
}
