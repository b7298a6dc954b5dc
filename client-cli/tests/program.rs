//! The program as a shell or another program runs it, where no server is needed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The longest time for a command to notice that no server answers, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

fn fibfob(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob"));
    command.args(words);
    command
        .env("FIBFOB_DATA", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("FIBFOB_SERVER")
        .env_remove("FIBFOB_NAME")
        .env_remove("FIBFOB_CONFIG")
        .env_remove("FIBFOB_IDENTITY");
    command
}

fn run(words: &[&str]) -> Output {
    fibfob(words)
        .stdin(Stdio::null())
        .output()
        .expect("the program is built")
}

#[track_caller]
fn check(words: &[&str], code: i32, in_stdout: &str, in_stderr: &str) {
    let Output {
        status,
        stdout,
        stderr,
    } = run(words);
    let [stdout, stderr] =
        [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("the output is UTF-8"));
    assert_eq!(status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(in_stdout), "{stdout}");
    assert!(stderr.contains(in_stderr), "{stderr}");
}

#[test]
fn wrong_input_exits_with_1_and_wrong_usage_with_2() {
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
fn a_missing_server_exits_with_1_and_a_hint() {
    // The port was free a moment ago, and no process listens on it now.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = format!("127.0.0.1:{port}");
    for command in [
        "watch K7M2QX",
        "review K7M2QX",
        "play --join K7M2QX",
        "play",
        "lobby",
        "matches",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--server", &server]).collect();
        let begun = Instant::now();
        check(&words, 1, "", "start one with `fibfob-server`");
        assert!(
            begun.elapsed() < AT_ONCE,
            "{command}: {:?}",
            begun.elapsed()
        );
    }
    let output = run(&["analyse", "nim", "3,4,5", "--server", &server]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("server"), "{said}");
}

#[test]
fn what_the_page_teaches_is_told_with_its_address() {
    let here = "http://127.0.0.1:7171";
    check(&["learn"], 0, &format!("{here}/learn\n"), "");
    let words = ["learn", "--server", "wss://play.example/ws"];
    check(&words, 0, "https://play.example/learn\n", "");
    for (line, path) in [
        ("learn copycat", "/learn"),
        ("lesson", "/learn"),
        ("puzzle --game nim --seed 7 --json", "/learn"),
        ("today --guest", "/today"),
        ("record", "/learn/record"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let said = format!("fibfob: the page has `{}` now: {here}{path}\n", words[0]);
        check(&words, 2, "", &said);
        let named = [&words[..], &["--server=https://play.example"]].concat();
        check(&named, 2, "", &said.replace(here, "https://play.example"));
    }
    check(
        &["learn", "--server", "ftp://x"],
        2,
        "",
        "expected an address",
    );
    check(&["learn", "--help"], 0, "fibfob device", "");
}

#[test]
fn a_program_plays_the_bot_where_no_server_is_named_and_none_answers() {
    let is_served = std::net::TcpStream::connect("127.0.0.1:7171").is_ok();
    let words = "play --bot --json --guest --game nim --start 3 --first me";
    let mut command = fibfob(&words.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "take 3 from 1").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.lines().all(|line| line.starts_with('{')), "{said}");
    assert_ne!(said.contains("the bot plays here"), is_served, "{said}");
    assert!(said.contains(r#""type":"result""#), "{said}");
}

#[test]
fn a_match_without_a_move_leads_a_script_back_to_its_analysis() {
    let mut command = fibfob(&["analyse", "nim", "3,4"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = b"play novice\nresign\ntake 1 from 2\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("take 1 from 2: nim 3,3"), "{said}");
}

#[test]
fn an_invalid_server_in_the_environment_is_refused() {
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
fn resume_without_a_saved_seat_is_refused() {
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
fn a_batch_answers_each_line_before_the_next() {
    let mut command = fibfob(&["solve", "--batch"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    // Each line is written after the answer to the one before.
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
fn a_closed_pipe_is_not_an_error() {
    let mut command = fibfob(&["solve", "--batch"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The program may exit before the line is written.
    let _ = writeln!(input, r#"{{"game":"nim","position":"1"}}"#);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(errors, "");
}

#[test]
fn an_option_that_names_a_file_of_somebody_else_is_refused_and_the_file_stays() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let precious = "Dear Fob,\nkeep this.\n";
    std::fs::write(at("precious.txt"), precious).expect("room");
    std::fs::create_dir(at("folder")).expect("room");
    std::os::unix::fs::symlink(at("precious.txt"), at("link")).expect("room");
    let made = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.expect("mkfifo is installed").success());
    for option in ["--identity", "--ca-cert"] {
        for kind in ["precious.txt", "folder", "link", "pipe"] {
            let path = at(kind);
            let path = path.to_str().expect("it is UTF-8");
            for command in [&["matches"][..], &["forget-me", "--yes"]] {
                let server = ["--server", "http://127.0.0.1:9", option, path];
                check(&[command, &server].concat(), 1, "", path);
            }
        }
    }
    let kept = std::fs::read_to_string(at("precious.txt"));
    assert_eq!(kept.expect("it is there"), precious);
    assert!(at("link").is_symlink() && at("folder").is_dir() && at("pipe").exists());
}
