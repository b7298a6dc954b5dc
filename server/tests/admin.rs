//! The operator's hand on a server: each command, on every engine, over the socket; and on several servers.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fibfob_protocol::{
    Action, CloseReason, Code, CommandId, Event, FirstMoveRule, MatchId, MatchSetup, Opponent,
    PhaseView, RefusalReason, RequestBody, ServerMessage, Start,
};
use fibfob_server::limits::ADMIN_CONNECTIONS_MAX;
use fibfob_server::{Bounds, Config};
use fibfob_store::{Memory, Store};
use fibfob_store_postgres::Postgres;
use fibfob_store_sqlite::Sqlite;
use fibfob_test_postgres::Database;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio_tungstenite::tungstenite::Message;

use fixture::{Client, TestServer, within_limit};

/// A server with its socket for operators.
struct Operated {
    server: TestServer,
    socket: PathBuf,
    _folder: TempDir,
}

impl Operated {
    async fn over(store: Store) -> Self {
        let folder = TempDir::new().unwrap();
        let socket = folder.path().join("admin.sock");
        Self {
            server: TestServer::with_operators(store, &socket).await,
            socket,
            _folder: folder,
        }
    }

    async fn request(&self, head: &str, body: &str) -> (u16, Value) {
        let mut line = UnixStream::connect(&self.socket).await.unwrap();
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: admin\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        line.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within_limit("an answer", line.read_to_string(&mut answer))
            .await
            .unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    async fn perform(&self, command: &str, fields: Value) -> Value {
        let head = format!("POST /{command}");
        let (status, answer) = self.request(&head, &fields.to_string()).await;
        assert_eq!(status, 200, "{command}: {answer}");
        answer
    }

    /// The codes of the listed matches.
    async fn lists(&self, filter: Value) -> Vec<String> {
        let found = self.perform("matches", filter).await;
        let rows = found["matches"]["matches"].as_array().unwrap();
        let code = |row: &Value| row["code"].as_str().unwrap().to_owned();
        rows.iter().map(code).collect()
    }
}

fn nim() -> RequestBody {
    RequestBody::Create(MatchSetup {
        start: Start::Position("3,4".to_owned()),
        opponent: Opponent::Open,
        first: FirstMoveRule::Me,
        visibility: fibfob_protocol::Visibility::Public,
        ..MatchSetup::new("nim")
    })
}

async fn playing(creator: &mut Client, joiner: &mut Client) -> (Code, MatchId) {
    let made = creator.request(nim()).await.unwrap();
    let (code, id) = (made.code.unwrap(), made.match_id.unwrap());
    let join = RequestBody::Join {
        code: code.to_string(),
    };
    joiner.request(join).await.unwrap();
    (code, id)
}

/// Waits until the lobby lists so many matches in play.
async fn until_listed(client: &mut Client, count: usize) {
    while client.lobby().await.playing.len() != count {}
}

/// Waits until the operator's words have ended the match for this client.
async fn is_told(client: &mut Client, id: MatchId, version: u64, words: &str) {
    let shown = client.frame_of(id, version).await;
    let Event::Stopped { text } = &shown.timed.event else {
        panic!("{:?}", shown.timed);
    };
    assert_eq!(text.to_string(), words);
    let reason = CloseReason::Stopped;
    assert_eq!(shown.state.phase, PhaseView::Closed { reason });
}

/// Waits until the client is told that it is banned and disconnected, and tries again in vain.
async fn is_banned(server: &TestServer, client: &mut Client) {
    let is_refusal = |message: &ServerMessage| matches!(message, ServerMessage::Refused(_));
    match client.wait("a refusal", is_refusal).await {
        ServerMessage::Refused(refused) => {
            assert_eq!((refused.reason, refused.id), (RefusalReason::Banned, None));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(client.closed().await, 1008);
    let token = client.token();
    let hello = json!({"type": "hello", "protocol": "fibfob.v1", "token": token});
    let mut again = server.open().await;
    let refused = again.refused(Message::text(hello.to_string())).await;
    assert_eq!(refused.reason, RefusalReason::Banned);
    assert!(refused.retry_after_ms > Some(6 * 24 * 3_600_000));
    assert!(refused.message.contains("until 20"), "{}", refused.message);
}

async fn every_command(store: Store) {
    let operated = Operated::over(store).await;
    let server = &operated.server;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let (first, first_id) = playing(&mut ada, &mut bo).await;
    let (second, second_id) = playing(&mut bo, &mut ada).await;
    let made = ada.request(nim()).await.unwrap();
    let (alone, alone_id) = (made.code.unwrap().to_string(), made.match_id.unwrap());
    ada.play(first_id, 2, "take 1 from 1").await.unwrap();
    lists_and_shows(&operated, &ada, first, second, &alone).await;

    // A match is hidden, and shown again.
    let watch = RequestBody::Lobby {
        watch: true,
        page: 0,
    };
    ada.send_request(CommandId::fresh(), watch).await;
    until_listed(&mut ada, 2).await;
    operated.perform("hide", json!({"code": second})).await;
    until_listed(&mut ada, 1).await;
    let (_, page) = server.get(&format!("/m/{second}")).await;
    assert!(!page.contains("Bo against"), "the link names nobody");
    operated.perform("unhide", json!({"code": second})).await;
    until_listed(&mut ada, 2).await;

    // The operator says something, and everybody who is connected hears it once.
    let words = "restart at eight";
    let said = operated.perform("say", json!({"text": words})).await;
    assert!(
        said["done"]
            .as_str()
            .unwrap()
            .contains("connections here: 2"),
        "{said}"
    );
    for client in [&mut ada, &mut bo] {
        let is_notice = |message: &ServerMessage| matches!(message, ServerMessage::Notice(_));
        let ServerMessage::Notice(notice) = client.wait("a notice", is_notice).await else {
            panic!("a notice");
        };
        assert_eq!(notice.text.to_string(), words);
    }

    // A match is closed, and both players are told.
    let words = "closed for a test";
    let close = json!({"code": first, "reason": words});
    let done = operated.perform("close", close.clone()).await;
    assert_eq!(done["done"], format!("closed {first}: {words}"));
    is_told(&mut ada, first_id, 4, words).await;
    is_told(&mut bo, first_id, 4, words).await;
    let (status, again) = operated.request("POST /close", &close.to_string()).await;
    assert_eq!(status, 409, "{again}");
    assert!(
        again["error"].as_str().unwrap().contains("closed"),
        "{again}"
    );
    assert_eq!(
        operated.lists(json!({"phase": "closed"})).await,
        [first.to_string()],
        "the second one goes on"
    );
    // Both players find the closed match among their finished ones. Ada does not find the one that nobody joined.
    let (id, action) = (alone_id, Action::Withdraw);
    ada.request(RequestBody::Act { id, action }).await.unwrap();
    for client in [&mut ada, &mut bo] {
        let finished = client.matches(true, None).await.matches;
        let finished: Vec<Code> = finished.iter().map(|one| one.code).collect();
        assert_eq!(finished, [first]);
        let record = RequestBody::Record { before: None };
        let ServerMessage::Record(record) = client.query(record).await else {
            panic!("a record");
        };
        assert_eq!(record.matches, [], "nobody has won it");
    }
    bo.play(second_id, 2, "take 1 from 1").await.unwrap();

    // A guest is banned for a while.
    let guest = bo.guest().to_string();
    let ban = |yes| json!({"who": guest, "for": "7d", "reason": "rude", "yes": yes});
    let would = operated.perform("ban", ban(false)).await;
    assert!(
        would["confirm"].as_str().unwrap().contains("here: 1"),
        "{would}"
    );
    assert_eq!(operated.perform("bans", json!({})).await["bans"], json!([]));
    operated.perform("ban", ban(true)).await;
    is_banned(server, &mut bo).await;
    assert_eq!(
        operated.perform("bans", json!({})).await["bans"][0]["who"],
        guest
    );
    operated.perform("unban", json!({"who": guest})).await;
    let bo = server.connect_as("Bo", bo.token()).await;
    // A network is.
    let all = json!({"who": "127.0.0.0/8", "for": "8d", "yes": true});
    operated.perform("ban", all).await;
    is_banned(server, &mut ada).await;
    operated
        .perform("unban", json!({"who": "127.0.0.0/8"}))
        .await;

    changes_persons(&operated, &bo).await;
    let log = operated.perform("log", json!({})).await;
    let whats = log["log"].as_array().unwrap().iter();
    let whats: Vec<&str> = whats.map(|act| act["what"].as_str().unwrap()).collect();
    let beginnings: Vec<&str> = whats
        .iter()
        .map(|what| what.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        beginnings,
        [
            "hid", "showed", "said:", "closed", "banned", "ended", "banned", "ended", "renamed",
            "forgot", "removed"
        ],
    );
    assert!(log["log"][0]["by"].as_str().unwrap().contains('('), "{log}");
    operated.server.stop().await;
}

async fn lists_and_shows(
    operated: &Operated,
    ada: &Client,
    first: Code,
    second: Code,
    alone: &str,
) {
    let (first, second) = (first.to_string(), second.to_string());
    // Those of one millisecond come in any order.
    let mut listed = operated.lists(json!({})).await;
    listed.sort();
    let mut all = [&first, &second, alone];
    all.sort_unstable();
    assert_eq!(listed, all);
    assert_eq!(operated.lists(json!({"phase": "open"})).await, [alone]);
    assert_eq!(operated.lists(json!({"limit": 1})).await.len(), 1);
    assert_eq!(operated.lists(json!({"game": "chomp"})).await, [""; 0]);
    assert_eq!(operated.lists(json!({"older_than": "1h"})).await, [""; 0]);
    let from_here = operated
        .lists(json!({"address": "127.0.0.1", "phase": "playing"}))
        .await;
    assert_eq!(from_here.len(), 2);
    let elsewhere = operated.lists(json!({"address": "192.0.2.0/24"})).await;
    assert_eq!(elsewhere, [""; 0]);
    let of_ada = operated.lists(json!({"guest": ada.guest()})).await;
    assert_eq!(of_ada.len(), 3);

    let shown = operated.perform("show", json!({"code": first})).await;
    let shown = &shown["match"];
    assert_eq!(shown["moves"], json!(["creator: take 1 from 1"]));
    assert_eq!(shown["state"]["players"]["joiner"]["name"], "Bo");
    assert_eq!(
        (&shown["events"], &shown["phase"]),
        (&json!(3), &json!("playing"))
    );

    let guests = operated.perform("guests", json!({})).await;
    let guests = guests["guests"]["guests"].as_array().unwrap().clone();
    let row = guests
        .iter()
        .find(|row| row["guest"] == json!(ada.guest()))
        .unwrap();
    assert_eq!((&row["name"], &row["seats"]), (&json!("Ada"), &json!(3)));
    assert_eq!(row["addresses"], json!(["127.0.0.1"]));
    let counts = &operated.perform("stats", json!({})).await["stats"];
    assert_eq!(
        (&counts["matches"], &counts["guests"]),
        (&json!(3), &json!(2))
    );

    let exported = operated
        .perform("export", json!({"since": "1h", "values": true}))
        .await;
    let exported = &exported["export"];
    assert_eq!(exported["matches"].as_array().unwrap().len(), 3);
    let end = exported["next"].as_str().unwrap();
    let rest = operated.perform("export", json!({"after": end})).await;
    assert_eq!(rest["export"]["matches"], json!([]));

    for (head, body, status) in [
        ("GET /stats", "{}", 405),
        ("POST /nothing", "{}", 400),
        ("POST /close", "{\"code\":\"K7M2QX\",\"reason\":\"\"}", 409),
        (
            "POST /close",
            "{\"code\":\"K7M2QX\",\"reason\":\"no\"}",
            409,
        ),
        ("POST /close", "no JSON", 400),
        ("POST /matches", "{\"limit\":\"many\"}", 400),
    ] {
        let (found, answer) = operated.request(head, body).await;
        assert_eq!(found, status, "{head}: {answer}");
        assert!(answer["error"].is_string(), "{answer}");
    }
}

#[tokio::test]
async fn a_rematch_of_a_hidden_match_is_hidden() {
    let store = Store::new(Memory::default());
    let operated = Operated::over(store.clone()).await;
    let server = &operated.server;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let (code, id) = playing(&mut ada, &mut bo).await;
    operated.perform("hide", json!({"code": code})).await;
    let rematch = async |ada: &mut Client, bo: &mut Client, id| {
        ada.request(Action::Resign.in_match(id)).await.unwrap();
        ada.request(Action::OfferRematch.in_match(id))
            .await
            .unwrap();
        let accepted = bo.request(Action::AcceptRematch.in_match(id)).await;
        let next = accepted.unwrap().next.unwrap();
        for client in [ada, bo] {
            let since = fibfob_protocol::Version(0);
            let resume = RequestBody::Resume { id: next.id, since };
            client.request(resume).await.unwrap();
        }
        next
    };
    let second = rematch(&mut ada, &mut bo, id).await;
    let third = rematch(&mut ada, &mut bo, second.id).await;
    // Rematches that there are when a match is hidden are hidden with it.
    let (shown, shown_id) = playing(&mut ada, &mut bo).await;
    let next = rematch(&mut ada, &mut bo, shown_id).await;
    until_lobby_lists(&mut ada, next.code).await;
    let hid = operated.perform("hide", json!({"code": shown})).await;
    assert_eq!(hid["done"], format!("hid {shown}; rematches: 1"));
    operated.server.stop().await;
    let operated = Operated::over(store).await;
    let mut ada = operated.server.connect_as("Ada", ada.token()).await;
    for (id, code) in [(third.id, third.code), (next.id, next.code)] {
        let since = fibfob_protocol::Version(0);
        ada.request(RequestBody::Resume { id, since })
            .await
            .unwrap();
        let (_, page) = operated.server.get(&format!("/m/{code}")).await;
        assert!(!page.contains("Ada"), "the link names nobody");
    }
    let watch = RequestBody::Lobby {
        watch: false,
        page: 0,
    };
    ada.send_request(CommandId::fresh(), watch).await;
    let lobby = ada.lobby().await;
    assert_eq!((lobby.playing, lobby.open), (Vec::new(), Vec::new()));
    operated.server.stop().await;
}

/// Waits until the lobby lists the match as one in play.
async fn until_lobby_lists(client: &mut Client, code: Code) {
    let watch = RequestBody::Lobby {
        watch: true,
        page: 0,
    };
    client.send_request(CommandId::fresh(), watch).await;
    while !client
        .lobby()
        .await
        .playing
        .iter()
        .any(|entry| entry.code == code)
    {}
}

#[tokio::test]
async fn idle_and_slow_connections_to_the_socket_end_and_keep_nobody_out() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("admin.sock");
    let config = Config {
        bounds: Bounds {
            http_head_within: Duration::from_millis(500),
            ..Bounds::default()
        },
        ..Config::default()
    };
    let store = Store::new(Memory::default());
    let server = TestServer::with_operators_as(store, &socket, config).await;
    let mut idle = Vec::new();
    for part in [
        "",
        "GET /st",
        "POST /ban HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{",
    ] {
        for _ in 0..ADMIN_CONNECTIONS_MAX {
            let mut line = UnixStream::connect(&socket).await.unwrap();
            line.write_all(part.as_bytes()).await.unwrap();
            idle.push(line);
        }
    }
    let operated = Operated {
        server,
        socket,
        _folder: folder,
    };
    assert!(operated.perform("stats", json!({})).await["stats"].is_object());
    for mut line in idle {
        let mut answer = String::new();
        within_limit("the end", line.read_to_string(&mut answer))
            .await
            .unwrap();
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 40"),
            "{answer}"
        );
    }
    operated.server.stop().await;
}

#[tokio::test]
async fn a_ban_has_one_form_of_a_network_and_a_reason_of_bounded_length() {
    let operated = Operated::over(Store::new(Memory::default())).await;
    let server = &operated.server;
    let mut ada = server.connect("Ada").await;
    for reason in [
        "x".repeat(141),
        "a\u{1b}[2J".to_owned(),
        "a\nb".to_owned(),
        "\u{202e}b".to_owned(),
    ] {
        for yes in [false, true] {
            let ban = json!({"who": "127.0.0.1", "for": "7d", "reason": reason, "yes": yes});
            let (status, refused) = operated.request("POST /ban", &ban.to_string()).await;
            assert_eq!(status, 409, "{refused}");
            assert!(
                refused["error"]
                    .as_str()
                    .unwrap()
                    .contains("1 to 140 visible"),
                "{refused}"
            );
        }
    }
    let mapped = json!({"who": "::ffff:127.0.0.9/120", "for": "7d", "reason": "rude", "yes": true});
    operated.perform("ban", mapped).await;
    is_banned(server, &mut ada).await;
    assert_eq!(
        operated.perform("bans", json!({})).await["bans"][0]["who"],
        "127.0.0.0/24"
    );
    let ended = operated
        .perform("unban", json!({"who": "127.0.0.77/24"}))
        .await;
    assert_eq!(ended["done"], "ended the ban of 127.0.0.0/24");
    server.connect("Ada").await;
    operated.server.stop().await;
}

async fn changes_persons(operated: &Operated, bo: &Client) {
    let guest = bo.guest();
    // A mistyped id is not forgotten, renamed or banned, and the answer says so.
    let nobody = "00000000-0000-4000-8000-00000000000a";
    for (act, fields) in [
        ("forget", json!({"guest": nobody, "yes": true})),
        ("rename", json!({"guest": nobody, "name": "Cy"})),
        ("ban", json!({"who": nobody, "for": "7d", "yes": true})),
        ("person", json!({"guest": nobody})),
    ] {
        let (status, refused) = operated
            .request(&format!("POST /{act}"), &fields.to_string())
            .await;
        let why = refused["error"].as_str().unwrap();
        assert!(
            status == 409 && why.contains("is not known here"),
            "{act}: {refused}"
        );
    }
    // Everything about a guest, found by a part of its name.
    let named = operated.perform("guests", json!({"name": "BO"})).await;
    let named = named["guests"]["guests"].as_array().unwrap();
    assert_eq!((named.len(), &named[0]["guest"]), (1, &json!(guest)));
    let person = operated.perform("person", json!({"guest": guest})).await;
    let person = &person["person"];
    let codes = person["matches"].as_array().unwrap();
    assert_eq!(codes.len(), 2, "{person}");
    assert_eq!(
        (&codes[0]["name"], &codes[0]["game"]),
        (&json!("Bo"), &json!("nim"))
    );
    let acts = person["acts"].as_array().unwrap().iter();
    let acts: Vec<&str> = acts.map(|act| act["what"].as_str().unwrap()).collect();
    assert!(acts[0].starts_with("banned"), "{person}");
    let rename = json!({"guest": guest, "name": "Cy"});
    operated.perform("rename", rename).await;
    let of_bo = operated.perform("matches", json!({"guest": guest})).await;
    assert_eq!(of_bo["matches"]["matches"][0]["creator"]["name"], "Cy");
    let would = operated.perform("forget", json!({"guest": guest})).await;
    assert!(
        would["confirm"].as_str().unwrap().contains("matches: 2"),
        "{would}"
    );
    let forget = json!({"guest": guest, "yes": true});
    let forgot = operated.perform("forget", forget).await;
    assert!(
        forgot["done"].as_str().unwrap().ends_with("; matches: 2"),
        "{forgot}"
    );
    assert_eq!(operated.lists(json!({"guest": guest})).await, [""; 0]);
    let long_ago = json!({"finished_before": "2020-01-01", "yes": true});
    let pruned = operated.perform("prune", long_ago).await;
    assert!(
        pruned["done"].as_str().unwrap().contains("matches: 0"),
        "{pruned}"
    );
}

#[tokio::test]
async fn every_command_is_done_in_memory() {
    every_command(Store::new(Memory::default())).await;
}

#[tokio::test]
async fn every_command_is_done_on_a_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.sqlite");
    every_command(Store::new(Sqlite::open(&file).unwrap())).await;
}

#[tokio::test]
async fn every_command_is_done_on_a_database() {
    let database = Database::create();
    let url = database.url().parse().unwrap();
    every_command(Store::new(Postgres::open(&url, true).await.unwrap())).await;
}

/// Runs `fibfob-server admin` on a store, while this process serves.
async fn admin(store: &str, words: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob-server"));
    command.args(["--store", store, "--allow-single-database", "admin"]);
    command.args(words);
    let ended = tokio::task::spawn_blocking(move || command.output());
    let ended = ended.await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{words:?}: {said}");
}

#[tokio::test]
async fn two_servers_obey_what_is_done_straight_on_their_database() {
    let database = Database::create();
    let url = database.url();
    let mut servers = Vec::new();
    for _ in 0..2 {
        let store = Postgres::open(&url.parse().unwrap(), true).await.unwrap();
        servers.push(TestServer::over(Store::new(store), Config::default()).await);
    }
    let (mut ada, mut bo) = (
        servers[0].connect("Ada").await,
        servers[1].connect("Bo").await,
    );
    let (code, id) = playing(&mut ada, &mut bo).await;
    let code = code.to_string();
    admin(&url, &["say", "restart at eight"]).await;
    for client in [&mut ada, &mut bo] {
        let is_notice = |message: &ServerMessage| matches!(message, ServerMessage::Notice(_));
        client.wait("a notice", is_notice).await;
    }
    admin(&url, &["close", &code, "--reason", "no more"]).await;
    is_told(&mut ada, id, 3, "no more").await;
    is_told(&mut bo, id, 3, "no more").await;
    let net = "127.0.0.1";
    admin(&url, &["ban", net, "--for", "7d", "--yes"]).await;
    is_banned(&servers[0], &mut ada).await;
    is_banned(&servers[1], &mut bo).await;
    for server in servers {
        server.stop().await;
    }
}

/// The socket of a server is its own user's alone.
#[tokio::test]
async fn a_socket_of_a_killed_server_is_replaced_and_one_of_a_running_server_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("admin.sock");
    let listen = || fibfob_server::admin::listen(Some((path.clone(), true)));
    let first = listen().await.unwrap().unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let taken = listen().await.unwrap_err().to_string();
    assert!(taken.contains("another server listens there"), "{taken}");
    drop(first);
    assert!(path.exists(), "as after a kill");
    listen().await.unwrap().unwrap();
    let nowhere = folder.path().join("nothing/admin.sock");
    let named = fibfob_server::admin::listen(Some((nowhere.clone(), true))).await;
    assert!(named.is_err());
    let unnamed = fibfob_server::admin::listen(Some((nowhere, false))).await;
    assert!(unnamed.unwrap().is_none(), "the server starts without");
}
