//! The server program: its output, its errors and its exit.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use fibfob_protocol::ServerMessage;
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

#[allow(dead_code, reason = "shared with other tests")]
mod secure;

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

/// Runs a server that fails to start, and returns its exit code and errors.
fn fails(args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = server(args).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// A running server program, with its first output and its address.
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
    assert_ne!(lines.read_line(&mut printed).unwrap(), 0, "it has ended");
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

    fn hang_up(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-HUP", &id]).status();
        assert!(sent.unwrap().success());
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
async fn it_prints_its_address_and_no_log_level_shows_a_token() {
    let serving = serve(&["--store", "memory", "--log", "trace"]);
    let address = &serving.address;
    assert_eq!(serving.printed, format!("Fib Fob at http://{address}\n"));
    let (mut socket, token) = serving.connect().await;
    let again = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
    let forged = again.replace(&token, &format!("{token}0"));
    for hello in [&again, &forged] {
        socket.send(Message::text(hello.as_str())).await.unwrap();
        receive(&mut socket, "refused").await;
    }
    play_a_match(&mut socket).await;
    let secrets = device_secrets(&mut socket, address).await;
    socket.close(None).await.unwrap();
    while socket.next().await.is_some() {}
    // A returning guest sends the token in its first message.
    for hello in [&forged, &again] {
        let (mut socket, _) = connect_async(format!("ws://{address}/ws")).await.unwrap();
        socket.send(Message::text(hello.as_str())).await.unwrap();
        socket.next().await.unwrap().unwrap();
        socket.close(None).await.unwrap();
        while socket.next().await.is_some() {}
    }
    serving.terminate();
    let (code, log) = serving.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(
        log.contains("a connection ended"),
        "the level is in force: {log}"
    );
    let (_, secret) = token.split_once('.').unwrap();
    for secret in secrets.iter().map(String::as_str).chain([secret]) {
        assert!(!log.contains(secret));
    }
}

/// Uses a device code and a renewed token, and returns what nobody else may know of them.
async fn device_secrets(socket: &mut Socket, address: &str) -> [String; 3] {
    let send = async |socket: &mut Socket, body: &str| {
        socket.send(Message::text(body)).await.unwrap();
    };
    send(socket, r#"{"type":"device-code","id":"d1"}"#).await;
    let code = receive(socket, "device-code").await["code"].clone();
    let code = code.as_str().unwrap().to_owned();
    let take = format!(r#"{{"type":"take-identity","id":"d2","code":"{code}","agree":true}}"#);
    send(socket, &take).await;
    receive(socket, "identity").await;
    send(socket, &take.replace("d2", "d3")).await;
    receive(socket, "refused").await;
    let mut line = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "GET /device/qr.svg HTTP/1.1\r\nHost: {address}\r\nX-Device-Code: {code}\r\n\
         Connection: close\r\n\r\n"
    );
    line.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    line.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    send(socket, r#"{"type":"identity","id":"d5","renew":true}"#).await;
    let token = receive(socket, "identity").await["token"].clone();
    let token = token.as_str().unwrap();
    let (_, renewed) = token.rsplit_once('.').unwrap();
    let letters = code.replace('-', "");
    [code, letters, renewed.to_owned()]
}

/// Plays a match against the bot from its creation to its end.
async fn play_a_match(socket: &mut Socket) {
    let create = r#"{"type":"create","id":"c","game":"nim","start":{"position":"1"},"opponent":{"bot":"perfect"},"first":"me"}"#;
    socket.send(Message::text(create)).await.unwrap();
    let made = receive(socket, "accepted").await;
    let id = made["match"].as_str().unwrap();
    let play = r#"{"type":"play","id":"p","match":"ID","expecting":1,"move":"MOVE"}"#;
    let play = play.replace("ID", id);
    for text in ["take 2 from 1", "take 1 from 1"] {
        let play = Message::text(play.replace("MOVE", text));
        socket.send(play).await.unwrap();
    }
    receive(socket, "refused").await;
    receive(socket, "accepted").await;
}

/// The next message of this type.
async fn receive(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let received = socket.next().await.unwrap().unwrap();
        if let Message::Text(text) = received {
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["type"] == kind {
                return message;
            }
        }
    }
}

#[tokio::test]
async fn the_log_names_guest_action_and_match() {
    let serving = serve(&["--store", "memory", "--log", "fibfob_server=debug"]);
    let (mut socket, token) = serving.connect().await;
    play_a_match(&mut socket).await;
    socket.close(None).await.unwrap();
    while socket.next().await.is_some() {}
    serving.terminate();
    let (_, log) = serving.end();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let find = |message: &str, about: &dyn Fn(&Value) -> bool| {
        let wanted = |line: &&Value| line["fields"]["message"] == message && about(&line["fields"]);
        let found = lines.iter().find(wanted);
        found.unwrap_or_else(|| panic!("no line says {message}: {log}"))
    };
    let span = |line: &Value, name: &str| {
        let spans = line["spans"].as_array().unwrap().clone();
        let named = spans.into_iter().find(|span| span["name"] == name);
        named.unwrap_or_else(|| panic!("{line} is in no {name}"))
    };
    let (guest, _) = token.split_once('.').unwrap();
    let accepted = find("accepted", &|fields| fields["kind"] == "play");
    assert_eq!(accepted["fields"]["role"], "player");
    let connection = span(accepted, "connection");
    assert_eq!(connection["number"], 1);
    let logged = connection["guest"].as_str().unwrap().replace('-', "");
    assert_eq!(logged, guest);
    let refused = find("refused", &|fields| fields["kind"] == "play");
    assert_eq!(refused["fields"]["reason"], "illegal-move");
    let stored = find("stored", &|fields| fields["version"] == "2");
    assert_eq!(stored["fields"]["seat"], "creator");
    let (played, act) = (span(stored, "match"), span(stored, "act"));
    assert!(played["id"].is_string() && played["code"].is_string());
    assert_eq!(
        (&act["seat"], &act["version"]),
        (&"creator".into(), &"1".into())
    );
    for (message, level) in [
        ("starting", "INFO"),
        ("ready", "INFO"),
        ("shut down", "INFO"),
    ] {
        assert_eq!(find(message, &|_| true)["level"], level);
    }
}

#[tokio::test]
async fn a_renewed_certificate_is_used_without_a_restart() {
    let certificate = secure::Certificate::new();
    let (file, key) = (certificate.file(), certificate.key());
    let before = certificate.copy();
    let mut serving = serve(&[
        "--store",
        "memory",
        "--tls-cert",
        file.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
        "--metrics-listen",
        "127.0.0.1:0",
    ]);
    assert!(serving.printed.contains("Fib Fob at https://"));
    let address = serving.address.parse().unwrap();
    secure::connect(address, &before).await.unwrap();
    certificate.renew();
    serving.hang_up();
    let mut log = BufReader::new(serving.process.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("were reloaded")));
    secure::connect(address, &file).await.unwrap();
    assert!(secure::connect(address, &before).await.is_err());

    std::fs::write(&key, "nothing").unwrap();
    serving.hang_up();
    assert!(log.any(|line| line.unwrap().contains("key.pem has no private key")));
    secure::connect(address, &file).await.unwrap();
    serving.terminate();
    assert_eq!(serving.process.wait().unwrap().code(), Some(0));
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
fn a_port_or_store_in_use_is_reported() {
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
fn wrong_options_and_files_are_reported() {
    let (code, error) = fails(&["--store", "postgres:"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("expected `postgres://USER:PASSWORD@HOST:PORT"),
        "{error}"
    );
    let (code, error) = fails(&["--store", "mysql://"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("expected `sqlite:PATH`"), "{error}");
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
fn a_wrong_certificate_is_reported_before_serving() {
    let certificate = secure::Certificate::new();
    let (file, key) = (certificate.file(), certificate.key());
    let (file, key) = (file.to_str().unwrap(), key.to_str().unwrap());
    let memory = ["--listen", "127.0.0.1:0", "--store", "memory"];
    let with = |options: &[&str]| fails(&[&memory, options].concat());
    let (code, error) = with(&["--tls-cert", file]);
    assert_eq!(code, Some(2));
    assert!(error.contains("--tls-key"), "{error}");
    let (code, error) = with(&["--tls-cert", key, "--tls-key", key]);
    assert_eq!(code, Some(1));
    assert!(error.contains("key.pem has no certificate"), "{error}");
    let (code, error) = with(&["--tls-cert", file, "--tls-key", "/nowhere/key.pem"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot read /nowhere/key.pem"), "{error}");
}

#[test]
fn a_key_that_everybody_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let certificate = secure::Certificate::new();
    let (file, key) = (certificate.file(), certificate.key());
    let warns = |mode| {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        // It ends before it serves, because nobody may listen there.
        let options = [
            "--listen",
            "192.0.2.1:1",
            "--tls-cert",
            file.to_str().unwrap(),
        ];
        let key = ["--store", "memory", "--tls-key", key.to_str().unwrap()];
        let (code, log) = fails(&[&options[..], &key].concat());
        assert_eq!(code, Some(1), "{log}");
        log.contains("every user of this machine can read the TLS key")
    };
    assert!(warns(0o644));
    assert!(!warns(0o640));
}

#[test]
fn flags_take_precedence_over_the_environment() {
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

/// Runs a command of an operator on a store, and returns what it prints.
fn admin(store: &str, words: &[&str]) -> String {
    let args = [&["--store", store, "admin"], words].concat();
    let Output {
        status,
        stdout,
        stderr,
    } = server(&args).output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{words:?}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

#[tokio::test]
async fn an_operator_reaches_a_running_server_and_a_stopped_ones_store() {
    let folder = TempDir::new().unwrap();
    let store = sqlite(&folder);
    let mut serving = serve(&["--store", &store]);
    let (mut socket, _) = serving.connect().await;
    let create =
        r#"{"type":"create","id":"c1","game":"nim","start":{"position":"3,4"},"opponent":"open"}"#;
    socket.send(Message::text(create)).await.unwrap();
    let made = receive(&mut socket, "accepted").await;
    let code = made["code"].as_str().unwrap();
    let running = admin(&store, &["matches", "--json"]);
    let running: Value = serde_json::from_str(&running).unwrap();
    assert_eq!(running["matches"]["matches"][0]["code"], code);
    let path = format!("{}.admin.sock", store.strip_prefix("sqlite:").unwrap());
    let asked = Command::new("curl")
        .args([
            "-s",
            "--unix-socket",
            &path,
            "http://admin/matches",
            "-d",
            r#"{"phase":"open"}"#,
        ])
        .output()
        .unwrap();
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert_eq!(asked, running);
    let would = server(&[
        "--store",
        &store,
        "admin",
        "ban",
        "127.0.0.1",
        "--for",
        "1h",
    ])
    .output()
    .unwrap();
    assert_eq!(would.status.code(), Some(1), "it is to be said twice");
    assert!(String::from_utf8(would.stdout).unwrap().contains("--yes"));

    serving.process.kill().unwrap();
    serving.process.wait().unwrap();
    let stopped = admin(&store, &["matches", "--json"]);
    let stopped: Value = serde_json::from_str(&stopped).unwrap();
    assert_eq!(stopped, running);
    admin(&store, &["close", code, "--reason", "not today"]);
    assert!(admin(&store, &["show", code]).contains("stopped"));
    assert!(admin(&store, &["log"]).contains("closed"));
    let serving = serve(&["--store", &store]);
    assert!(
        admin(&store, &["matches"]).contains("no matches"),
        "the socket of the killed server was replaced"
    );
    serving.terminate();
    assert_eq!(serving.end().0, Some(0));
}
