//! The program as an operator meets it: what it prints, how it fails, how it ends.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by a panic"
)]

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use fibfob_protocol::ServerMessage;
use futures_util::{SinkExt, StreamExt};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

fn server(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a server that does not get as far as serving.
fn fails(args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = server(args).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// A serving server; what it has printed before it served, and where it listens.
struct Serving {
    process: Child,
    printed: String,
    address: String,
}

fn serve(args: &[&str]) -> Serving {
    let mut process = server(&[&["--listen", "127.0.0.1:0"], args].concat())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    while !printed.contains("Ctrl-C") {
        assert_ne!(
            lines.read_line(&mut printed).unwrap(),
            0,
            "it has ended: {printed}"
        );
    }
    let address = printed
        .lines()
        .next()
        .unwrap()
        .split_once("//")
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .unwrap()
        .to_owned();
    Serving {
        process,
        printed,
        address,
    }
}

impl Serving {
    fn terminate(&self) {
        let id = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
    }

    fn end(mut self) -> (Option<i32>, String) {
        let status = self.process.wait().unwrap();
        let mut log = String::new();
        self.process
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        (status.code(), log)
    }

    async fn connect(&self) -> (Socket, String) {
        let (mut socket, _) = connect_async(format!("ws://{}/ws", self.address))
            .await
            .unwrap();
        let hello = r#"{"type":"hello","protocol":"fibfob.v1"}"#;
        socket.send(Message::text(hello)).await.unwrap();
        let answer = socket.next().await.unwrap().unwrap().into_text().unwrap();
        match serde_json::from_str(&answer).unwrap() {
            ServerMessage::Welcome(welcome) => (socket, welcome.token),
            other => panic!("{other:?}"),
        }
    }
}

fn sqlite(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("matches.sqlite").display())
}

#[tokio::test]
async fn it_says_where_it_is_and_no_log_level_shows_a_token() {
    let serving = serve(&["--store", "memory", "--log", "trace"]);
    let address = &serving.address;
    assert!(serving.printed.contains(&format!(
        "fibfob play --join CODE --server http://{address}"
    )));
    assert!(serving.printed.contains("LOST"), "memory is announced");
    let (mut socket, token) = serving.connect().await;
    let again = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
    socket.send(Message::text(again)).await.unwrap();
    socket.next().await.unwrap().unwrap();
    socket.close(None).await.unwrap();
    while socket.next().await.is_some() {}
    serving.terminate();
    let (code, log) = serving.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(
        log.contains("a connection ended"),
        "the level is in force: {log}"
    );
    let (_, secret) = token.split_once('.').unwrap();
    assert!(!log.contains(secret));
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let folder = TempDir::new().unwrap();
    let store = sqlite(&folder);
    let serving = serve(&["--store", &store]);
    let (mut socket, _) = serving.connect().await;
    // A command that cannot be finished keeps the first signal's drain from ending.
    let other = rusqlite::Connection::open(folder.path().join("matches.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let create = r#"{"type":"create","id":"a","game":"nim"}"#;
    socket.send(Message::text(create)).await.unwrap();
    socket.send(Message::Ping(Vec::new().into())).await.unwrap();
    assert!(matches!(
        socket.next().await.unwrap().unwrap(),
        Message::Pong(_)
    ));
    serving.terminate();
    let goodbye = socket.next().await.unwrap().unwrap().into_text().unwrap();
    assert!(goodbye.contains("goodbye"), "{goodbye}");
    serving.terminate();
    assert_eq!(serving.end().0, Some(130));
}

#[test]
fn a_port_or_a_store_in_use_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, error) = fails(&["--listen", &address, "--store", "memory"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("is in use") && error.contains("--listen"),
        "{error}"
    );

    let folder = TempDir::new().unwrap();
    let store = sqlite(&folder);
    let serving = serve(&["--store", &store]);
    let (code, error) = fails(&["--listen", "127.0.0.1:0", "--store", &store]);
    assert_eq!(code, Some(1));
    assert!(error.contains("in use by another fibfob-server"), "{error}");
    serving.terminate();
    assert_eq!(serving.end().0, Some(0));
}

#[test]
fn wrong_options_and_files_are_said() {
    let (code, error) = fails(&["--store", "postgres:"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("expected `sqlite:PATH` or `memory`"),
        "{error}"
    );
    let (code, error) = fails(&["--store", "memory", "--log", "fibfob_server=loud"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("--log"), "{error}");

    let folder = TempDir::new().unwrap();
    let file = folder.path().join("letters.txt");
    std::fs::write(&file, "Dear Ada, ".repeat(100)).unwrap();
    let store = format!("sqlite:{}", file.display());
    let (code, error) = fails(&["--listen", "127.0.0.1:0", "--store", &store]);
    assert_eq!(code, Some(1));
    assert!(error.contains("not a database"), "{error}");
    let below = format!("sqlite:{}", Path::new(&file).join("x.sqlite").display());
    let (code, error) = fails(&["--listen", "127.0.0.1:0", "--store", &below]);
    assert_eq!(code, Some(1));
    assert!(error.contains("letters.txt"), "{error}");
}

#[test]
fn the_environment_stands_behind_the_flags() {
    let mut named = server(&["--store", "memory"]);
    named
        .env("FIBFOB_LISTEN", "nowhere")
        .env("FIBFOB_STORE", "nothing");
    let Output { status, stderr, .. } = named.output().unwrap();
    let error = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(
        error.contains("nowhere") && !error.contains("nothing"),
        "{error}"
    );
}
