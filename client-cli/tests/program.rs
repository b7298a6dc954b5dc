//! The program itself, as a shell or another program meets it, where no server is needed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

fn fibfob(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob"));
    command.args(words);
    command
        .env_remove("FIBFOB_SERVER")
        .env_remove("FIBFOB_IDENTITY");
    command
}

fn run(words: &[&str]) -> Output {
    fibfob(words)
        .stdin(Stdio::null())
        .output()
        .expect("it was built")
}

#[track_caller]
fn check(words: &[&str], code: i32, in_stdout: &str, in_stderr: &str) {
    let Output {
        status,
        stdout,
        stderr,
    } = run(words);
    let [stdout, stderr] =
        [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("it speaks UTF-8"));
    assert_eq!(status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(in_stdout), "{stdout}");
    assert!(stderr.contains(in_stderr), "{stderr}");
}

#[test]
fn a_position_is_solved_and_explained() {
    let words = ["solve", "g6@3", "time=15", "nuggets=5", "fib=12", "fob=9"];
    check(&words, 0, "6⊕5⊕2⊕15⊕2⊕1 = 13; time 15 → 2 makes it 0\n", "");
    check(
        &["solve", "--game", "nim", "3,4,5"],
        0,
        "winning moves: take 2 from 1\n",
        "",
    );
    check(
        &["solve", "--game", "nim", "3,4,5", "--json"],
        0,
        r#""nimber":2"#,
        "",
    );
    // A lost position is an answer, too.
    check(
        &["solve", "--game", "nim", "3,3"],
        0,
        "winning moves: none\n",
        "",
    );
}

#[test]
fn wrong_input_is_1_and_wrong_usage_is_2() {
    check(&["solve", "z9"], 1, "", "expected a square");
    check(&["solve"], 2, "", "required");
    check(
        &["solve", "--game", "chess", "e4"],
        2,
        "",
        "there is no such game",
    );
    check(
        &["play", "--join", "nonsense"],
        2,
        "",
        "a match code has 6 characters",
    );
    check(&["frolic"], 2, "", "unrecognized subcommand");
    check(&["--help"], 0, "Exit codes", "");
}

#[test]
fn no_server_is_1_and_says_what_to_do() {
    // The port was free a moment ago, and nobody listens on it now.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = format!("127.0.0.1:{port}");
    let words = [
        "watch",
        "K7M2QX",
        "--give-up-after",
        "0s",
        "--server",
        &server,
    ];
    check(&words, 1, "", "start one with `fibfob-server`");
}

#[test]
fn the_environment_names_the_server_unless_it_is_wrong() {
    let mut command = fibfob(&["lobby"]);
    let output = command.env("FIBFOB_SERVER", "ftp://host").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("FIBFOB_SERVER")
    );
}

#[test]
fn there_is_no_seat_to_come_back_to() {
    let data = tempfile::tempdir().unwrap();
    let mut command = fibfob(&["play", "--resume", "K7M2QX"]);
    let output = command.env("FIBFOB_DATA", data.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("no seat of match K7M2QX")
    );
}

#[test]
fn a_batch_is_a_conversation() {
    let mut command = fibfob(&["solve", "--batch"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    // Each question waits for the answer to the one before.
    for coins in 1..=3 {
        writeln!(input, r#"{{"game":"nim","position":"{coins}"}}"#).unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains(&format!(r#""nimber":{coins}"#)), "{answer}");
    }
    drop(input);
    assert!(answers.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut command = fibfob(&["solve", "--batch"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // It may be gone before all is written.
    let _ = writeln!(input, r#"{{"game":"nim","position":"1"}}"#);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut complaint = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    assert_eq!(complaint, "");
}
