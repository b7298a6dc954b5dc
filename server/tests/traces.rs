//! What an operator sees of a running server: the lines of its log, in each format, and its banner.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

/// A server whose log is a file, as the journal would read it or as a program would.
struct Watched {
    process: Child,
    address: String,
    folder: TempDir,
}

impl Watched {
    fn start(is_journal: bool, options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob-server"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
            command.env_remove(name);
        }
        let found = log.metadata().unwrap();
        match is_journal {
            true => command.env("JOURNAL_STREAM", format!("{}:{}", found.dev(), found.ino())),
            // That of an ancestor, whose output is read by another reader than this one's.
            false => command.env("JOURNAL_STREAM", format!("{}:1", found.dev())),
        };
        command
            .args(["--listen", "127.0.0.1:0", "--store", "memory"])
            .args(options);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log);
        let mut process = command.spawn().unwrap();
        let mut first = String::new();
        let mut printed = BufReader::new(process.stdout.take().unwrap());
        printed.read_line(&mut first).unwrap();
        let address = first
            .trim_end()
            .strip_prefix("Fib Fob at http://")
            .unwrap()
            .to_owned();
        Self {
            process,
            address,
            folder,
        }
    }

    /// Ends it, and returns its log.
    fn end(mut self) -> String {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").arg(&id).status().unwrap().success());
        self.process.wait().unwrap();
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Sends bytes of a stranger, and waits for the answer to end.
    fn send(&self, text: &str) {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
    }

    /// Makes and resigns a match against a bot, and begins the rematch; returns the guest's id and both codes.
    async fn resign_a_match(&self) -> (String, [String; 2]) {
        let (mut socket, _) = connect_async(format!("ws://{}/ws", self.address))
            .await
            .unwrap();
        let mut ask = async |message: Value, kind: &str| -> Value {
            socket
                .send(Message::text(message.to_string()))
                .await
                .unwrap();
            loop {
                let text = socket.next().await.unwrap().unwrap().into_text().unwrap();
                let answer: Value = serde_json::from_str(&text).unwrap();
                assert_ne!(answer["type"], "refused", "{answer}");
                if [&answer["type"], &answer["event"]].contains(&&json!(kind)) {
                    return answer;
                }
            }
        };
        let hello = json!({"type": "hello", "protocol": "fibfob.v1"});
        let guest = ask(hello, "welcome").await["guest"].clone();
        let create = json!({
            "type": "create", "id": "1", "game": "nim", "start": {"position": "1,2"},
            "opponent": {"bot": "casual"}, "first": "me"
        });
        let made = ask(create, "accepted").await;
        let resign = json!({"type": "resign", "id": "2", "match": made["match"]});
        ask(resign, "accepted").await;
        let again = json!({"type": "offer-rematch", "id": "3", "match": made["match"]});
        let accepted = ask(again, "rematch-accepted").await;
        let codes = [&made["code"], &accepted["next"]["code"]];
        let codes = codes.map(|code| code.as_str().unwrap().to_owned());
        (guest.as_str().unwrap().to_owned(), codes)
    }
}

#[tokio::test]
async fn a_match_has_a_line_for_its_beginning_and_one_for_its_end() {
    let server = Watched::start(false, &[]);
    let (guest, [code, next]) = server.resign_a_match().await;
    let log = server.end();
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let about = |code: &String| {
        let lines = lines.iter().filter(|line| line["span"]["code"] == **code);
        lines.collect::<Vec<_>>()
    };
    let ([begins, ended], [again]) = (&about(&code)[..], &about(&next)[..]) else {
        panic!("{log}")
    };
    assert_eq!(begins["level"], "INFO");
    let fields = json!({
        "message": "a match begins", "game": "nim", "creator": guest, "joiner": "bot:casual"
    });
    assert_eq!(begins["fields"], fields);
    assert_eq!(again["fields"], fields);
    let fields = json!({
        "message": "a match has ended", "game": "nim", "creator": guest, "joiner": "bot:casual",
        "reason": "resigned", "winner": "joiner"
    });
    assert_eq!(ended["fields"], fields);
}

#[test]
fn refused_clients_are_logged_with_the_configured_part_of_their_address() {
    for (shown, expected) in [
        (None, "127.0.0.0/24"),
        (Some("--log-addresses=full"), "127.0.0.1"),
        (Some("--log-addresses=off"), "not logged"),
    ] {
        let options: Vec<_> = shown.into_iter().collect();
        let server = Watched::start(false, &options);
        for _ in 0..3 {
            server.send("SSH-2.0-OpenSSH_9.2\r\n");
        }
        server.send("GET / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n");
        let log = server.end();
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let refused: Vec<Value> = lines
            .map(|line| line["fields"].clone())
            .filter(|fields| fields["message"] == "clients were refused")
            .collect();
        let [line] = &refused[..] else {
            panic!("{log}")
        };
        let reasons = "malformed 3, wrong-host 1";
        assert_eq!(line["reasons"], reasons);
        assert_eq!(
            (&line["address"], &line["times"]),
            (&expected.into(), &4.into())
        );
        assert_eq!(
            log.contains("127.0.0.1\""),
            expected == "127.0.0.1",
            "{log}"
        );
    }
}

#[tokio::test]
async fn the_journal_receives_text_with_priorities_and_no_times() {
    let server = Watched::start(true, &[]);
    let (_, [code, _]) = server.resign_a_match().await;
    let log = server.end();
    let of = |text: &str| {
        let line = log.lines().find(|line| line.contains(text));
        line.unwrap_or_else(|| panic!("{text} is not in {log}"))
    };
    assert!(of("matches are kept in memory").starts_with("<4>matches"));
    assert!(of("ready").starts_with("<6>ready version="));
    assert!(of("a match begins").starts_with("<6>match{id="));
    assert!(of("a match has ended").contains(&code));
    assert!(!log.contains('\u{1b}'), "no colours: {log}");

    let log = Watched::start(true, &["--log-format", "json"]).end();
    assert!(log.starts_with('{'), "{log}");
    let log = Watched::start(false, &["--log-format", "text"]).end();
    assert!(
        log.starts_with("20") && log.contains("WARN") && !log.contains('\u{1b}'),
        "{log}"
    );
}

#[test]
fn only_a_terminal_is_shown_the_commands_to_begin_with() {
    let server = env!("CARGO_BIN_EXE_fibfob-server");
    let run = format!("exec {server} --listen 127.0.0.1:0 --store memory");
    let mut command = Command::new("setsid");
    command.args([
        "script",
        "--quiet",
        "--return",
        "--command",
        &run,
        "/dev/null",
    ]);
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    while !printed.contains("Ctrl-C ends the server") || !printed.contains(" ready ") {
        assert_ne!(lines.read_line(&mut printed).unwrap(), 0, "{printed}");
    }
    assert!(printed.contains("fibfob play --join CODE"), "{printed}");
    // As a person would.
    process.stdin.take().unwrap().write_all(b"\x03").unwrap();
    lines.read_to_string(&mut printed).unwrap();
    process.wait().unwrap();
    assert!(printed.contains("shut down"), "{printed}");
}
