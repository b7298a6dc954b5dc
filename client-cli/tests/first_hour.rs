//! The first hour of somebody who has never seen the game, typed on a terminal that tmux draws: a match and its record,
//! and the analysis.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The time limit of every wait.
const LIMIT: Duration = Duration::from_secs(30);

/// A tmux of its own, which ends with the test.
struct Tmux {
    socket: String,
    data: tempfile::TempDir,
}

impl Tmux {
    fn new() -> Self {
        let tmux = Self {
            socket: format!("fibfob-first-hour-{}", std::process::id()),
            data: tempfile::tempdir().unwrap(),
        };
        // Without a session of its own, tmux would end between two programs; windows stay when a program has ended.
        let base = ["new-session", "-d", "-s", "base", ";"];
        let stay = ["set-option", "-g", "remain-on-exit", "on"];
        let started = tmux.run(&[&base[..], &stay].concat());
        assert!(started.status.success(), "{started:?}");
        tmux
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command
            .args(["-L", &self.socket, "-f", "/dev/null"])
            .args(words);
        command.env("LANG", "C.UTF-8").env_remove("TMUX");
        command.output().expect("this test needs tmux")
    }

    /// Starts a `fibfob` on a screen of its own.
    fn fibfob(&self, words: &str) {
        let program = env!("CARGO_BIN_EXE_fibfob");
        assert!(Path::new(program).is_file());
        let data = self.data.path().display();
        let line = format!(
            "env -u FIBFOB_SERVER -u FIBFOB_CONFIG FIBFOB_DATA={data} FIBFOB_THEME=dark LANG=C.UTF-8 {program} {words}"
        );
        let new = [
            "new-session",
            "-d",
            "-s",
            "first",
            "-x",
            "90",
            "-y",
            "30",
            &line,
        ];
        self.run(&["kill-session", "-t", "first"]);
        let started = self.run(&new);
        assert!(started.status.success(), "{started:?}");
    }

    fn screen(&self) -> String {
        // Lines that were wrapped are joined.
        let shown = self.run(&["capture-pane", "-p", "-J", "-t", "first"]);
        String::from_utf8(shown.stdout).unwrap()
    }

    /// Waits until the screen is as it should be; returns the screen.
    fn waits(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(start.elapsed() < LIMIT, "{what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the screen shows a text.
    fn shows(&self, text: &str) -> String {
        self.waits(&format!("{text:?} is not shown"), |screen| {
            screen.contains(text)
        })
    }

    /// Leaves the program, and waits until it has ended.
    fn quit(&self) {
        self.types("quit");
        let start = Instant::now();
        while self
            .run(&["display-message", "-p", "-t", "first", "#{pane_dead}"])
            .stdout
            != b"1\n"
        {
            assert!(
                start.elapsed() < LIMIT,
                "the program goes on:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Closes the window above the screen. Keys right after an Escape would be one with it.
    fn close(&self) {
        self.shows("key closes");
        self.key("Escape");
        self.waits("a window is open", |screen| !screen.contains("key closes"));
    }

    fn key(&self, key: &str) {
        self.run(&["send-keys", "-t", "first", key]);
    }

    /// Types a line.
    fn types(&self, line: &str) {
        self.run(&["send-keys", "-t", "first", "-l", line]);
        self.key("Enter");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn the_first_hour_on_a_terminal() {
    let tmux = Tmux::new();
    match_and_its_record(&tmux);

    // The analysis board.
    tmux.fibfob("analyse wythoff-nim 3,6");
    tmux.shows("Whoever is to move can win.");
    tmux.types("take 0,1");
    tmux.shows("Whoever is to move loses against good play.");
    tmux.types("why");
    tmux.shows("golden pairs");
    tmux.close();
    tmux.key("Left");
    tmux.shows("heap 2 6");
    tmux.types("options");
    tmux.shows("The first empty box is 1");
    tmux.close();

    // A match from there leads back to it.
    tmux.types("play novice");
    tmux.shows("Your move.");
    tmux.types("take 1,1");
    tmux.shows("Your move. The novice bot");
    tmux.types("resign");
    tmux.shows("once more");
    tmux.types("resign");
    tmux.shows("Enter goes back to where you came from.");
    tmux.key("Enter");
    tmux.shows("Analysis  Wythoff");
}

fn match_and_its_record(tmux: &Tmux) {
    tmux.fibfob("play --game nim --start 3,4,5 --bot perfect --offline --first me --no-rules");
    tmux.shows("Your move.");
    tmux.types("hint");
    tmux.shows("look at heap 1");
    tmux.types("try take 3 from 1");
    tmux.shows("loses: the other player answers");
    // The start was won, and this gives it away.
    tmux.types("take 3 from 1");
    tmux.shows("2. The perfect bot");
    tmux.types("resign");
    tmux.shows("once more");
    tmux.types("resign");
    tmux.shows(
        "You had the win until move 1. There you took 3 from heap 1; heap 1 from 3 to 1 wins.",
    );
    let screen = tmux.shows("the win was given away");
    assert!(
        screen.contains("▀▄▄   ▀ you can win  ▄ the perfect bot can win"),
        "{screen}"
    );
    tmux.key("Left");
    tmux.shows("1. you took 3 from heap 1, giving the perfect bot the win.");
    tmux.types("try");
    tmux.shows("Move 1 gave the win away.");
    tmux.types("take 2 from 1");
    tmux.shows("1 of 1 found");
    tmux.types("play novice");
    tmux.shows("the novice bot");
    tmux.shows("Your move.");
    tmux.quit();
}
