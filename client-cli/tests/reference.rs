//! The reference commands as a shell runs them: exit codes, pipes, Ctrl-C.

use std::io::Read;
use std::process::{Command, Output, Stdio};

use fibfob_games::Catalogue;

fn fibfob(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob"));
    command.args(words).stdin(Stdio::null());
    command
}

#[track_caller]
fn check(words: &[&str], code: i32, in_stdout: &str, in_stderr: &str) {
    let Output {
        status,
        stdout,
        stderr,
    } = fibfob(words).output().expect("the program is built");
    let [stdout, stderr] =
        [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("the output is UTF-8"));
    assert_eq!(status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(in_stdout), "{stdout}");
    assert!(stderr.contains(in_stderr), "{stderr}");
}

#[test]
fn every_result_has_its_exit_code() {
    check(&["games"], 0, "kayles · Kayles\n", "");
    let games = serde_json::to_string(Catalogue::built()).unwrap();
    check(&["games", "--json"], 0, &games, "");
    check(&["rules", "kayles"], 0, "period 12", "");
    check(&["rules", "kayles", "--json"], 0, r#""how_to_play":{"#, "");
    check(&["rules", "chess"], 2, "", "there is no such game");
    check(&["rules"], 0, "erased from reality", "");
    check(&["rules", "Kayels"], 2, "", "did you mean `kayles`?");
    check(&["compare", "nim 3", "nim 1,2"], 0, "equivalent", "");
    check(&["compare", "nim 3", "nim 1"], 1, "a Nim heap of 3", "");
    check(&["compare", "nim 3", "misere-nim 3"], 1, "", "no nimber");
    check(&["compare", "nim 3"], 2, "", "required");
    check(&["mex", "0", "1", "1", "3"], 0, "2\n", "");
    check(&["mex"], 0, "0\n", "");
    check(
        &["mex", "0,2", "--json"],
        0,
        r#"{"numbers":[0,2],"mex":1}"#,
        "",
    );
    check(&["mex", "0", "-1"], 1, "", "\"-1\" is not a nimber");
    // A lost position is solved, too.
    check(&["solve", "nim", "3,3"], 0, "winning moves: none\n", "");
    check(
        &["solve", "--game", "nim", "1", "--json"],
        0,
        r#""steps":[{"step":"part""#,
        "",
    );
}

#[test]
fn a_table_is_csv_in_a_pipe_with_remarks_on_standard_error() {
    let kayles = ["table", "kayles", "--to", "100"];
    check(&kayles, 0, "\n100,1,N\n", "period 12 from 71");
    check(
        &["table", "kayles", "--to", "100", "--plain"],
        0,
        "period 12 from 71",
        "",
    );
    check(&["table", "fib-fob"], 1, "", "has no table");
    check(
        &["table", "nim", "--to", "5", "--size", "5"],
        2,
        "",
        "cannot be used with",
    );
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for words in [
        &["table", "nim", "--to", "100000"][..],
        &["games"],
        &["rules", "nim"],
        &["mex", "1"],
    ] {
        let mut child = fibfob(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut errors = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{errors}");
        assert!(!errors.contains("fibfob:"), "{errors}");
    }
}

/// Returns true if a process handles SIGINT itself, according to `/proc`.
#[cfg(target_os = "linux")]
fn catches_ctrl_c(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mut caught = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.find_map(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// The processor time after which the first rows of a table are computed, in hundredths of a second.
#[cfg(target_os = "linux")]
const TICKS_OF_A_ROW: u64 = 60;

/// Returns the processor time of a process in ticks, according to `/proc`.
#[cfg(target_os = "linux")]
fn ticks_worked(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold spaces; the user time is the twelfth field after it.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields);
    let ticks = fields.and_then(|fields| fields.split_whitespace().nth(11)?.parse().ok());
    ticks.unwrap_or_default()
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_shows_what_is_computed() {
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};

    // Long enough to be interrupted on any machine: nearly a million positions with long rows.
    let mut child = fibfob(&["table", "kayles", "--size", "999"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    // The signal is sent once it is handled and a first row is computed, however slow the machine is.
    while !catches_ctrl_c(child.id()) || ticks_worked(child.id()) < TICKS_OF_A_ROW {
        assert!(
            Instant::now() < deadline,
            "SIGINT is not handled or no row was computed"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let signalled = Command::new("kill").args(["-INT", &id]).status();
    assert!(signalled.unwrap().success());
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        output
            .next()
            .unwrap()
            .unwrap()
            .starts_with("group 1\\group 2,0,1")
    );
    assert!(output.next().unwrap().unwrap().starts_with("0,0,1,2,3,1,4"));
    output.for_each(drop);
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert!(errors.contains("interrupted: "), "{errors}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
