//! The Prometheus metrics: their values, and that they reveal no person.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]
#![expect(clippy::float_cmp, reason = "counts are whole")]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;
mod openmetrics;

use std::time::Duration;

use fibfob_protocol::{Accepted, FirstMoveRule, MatchSetup, Opponent, RequestBody, Start, Version};
use fibfob_server::{Config, MetricsEndpoint};
use fibfob_store::{Memory, Store};
use fibfob_store_sqlite::Sqlite;
use fixture::{Client, TestServer};
use openmetrics::Exposition;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

/// The pause between two readings of the metrics.
const LOOK_EVERY: Duration = Duration::from_millis(20);

fn nim(opponent: Opponent) -> MatchSetup {
    MatchSetup {
        start: Start::Position("1,2".to_owned()),
        opponent,
        first: FirstMoveRule::Me,
        ..MatchSetup::new("nim")
    }
}

async fn numbers(server: &TestServer) -> Exposition {
    let accept = "Accept: application/openmetrics-text; version=1.0.0";
    let (head, body) = server.get_with("/metrics", accept).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("application/openmetrics-text; version=1.0.0"));
    Exposition::read(&body)
}

/// Waits until a metric has a value, which may be shortly after the client's answer.
async fn becomes(server: &TestServer, name: &str, labels: &[(&str, &str)], value: f64) {
    fixture::within_limit(&format!("{name} {labels:?} to be {value}"), async {
        while numbers(server).await.value(name, labels) != value {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    })
    .await;
}

/// Two players and a spectator of a finished match, each of whom has seen all events.
struct Played {
    server: TestServer,
    ada: Client,
    bo: Client,
    eve: Client,
    made: Accepted,
    _folder: TempDir,
}

/// Plays a match with some refused commands on an SQLite store.
async fn played() -> Played {
    let folder = TempDir::new().unwrap();
    let store = Store::new(Sqlite::open(&folder.path().join("matches.sqlite")).unwrap());
    let config = Config {
        snapshot_after: 3,
        ..Config::default()
    };
    let server = TestServer::over(store, config).await;
    let mut ada = server.connect("Ada").await;
    let mut bo = server.connect("Bo").await;
    let mut eve = server.connect("Eve").await;
    let made = ada
        .request(RequestBody::Create(nim(Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap().to_string());
    eve.request(RequestBody::Spectate { code: code.clone() })
        .await
        .unwrap();
    bo.request(RequestBody::Join { code }).await.unwrap();
    becomes(&server, "fibfob_matches", &[("state", "playing")], 1.0).await;
    ada.play(id, 2, "take 1 from 2").await.unwrap();
    ada.play(id, 2, "take 1 from 2").await.unwrap_err();
    eve.play(id, 3, "take 1 from 1").await.unwrap_err();
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    ada.play(id, 4, "take 1 from 2").await.unwrap();
    for viewer in [&mut ada, &mut bo, &mut eve] {
        for version in 1..=5 {
            viewer.frame(version).await;
        }
    }
    Played {
        server,
        ada,
        bo,
        eve,
        made,
        _folder: folder,
    }
}

#[tokio::test]
async fn a_match_changes_the_metrics() {
    let mut played = played().await;
    let server = &played.server;
    let greeting = server.open().await;
    becomes(server, "fibfob_connections", &[("role", "greeting")], 1.0).await;
    let lobby = server.connect("Ian").await;
    becomes(server, "fibfob_connections", &[("role", "lobby")], 1.0).await;
    becomes(server, "fibfob_connections", &[("role", "player")], 2.0).await;
    becomes(server, "fibfob_connections", &[("role", "spectator")], 1.0).await;

    let seen = numbers(server).await;
    let accepted = |kind| seen.value("fibfob_commands_accepted_total", &[("kind", kind)]);
    let kinds = ["hello", "create", "join", "spectate", "play"];
    assert_eq!(kinds.map(accepted), [4.0, 1.0, 1.0, 1.0, 3.0]);
    let refused = |why| seen.value("fibfob_commands_refused_total", &[("reason", why)]);
    assert_eq!(
        ["stale", "not-a-player", "busy"].map(refused),
        [1.0, 1.0, 0.0]
    );
    assert_eq!(seen.value("fibfob_move_seconds_count", &[]), 5.0);
    let ended = |why| seen.value("fibfob_matches_finished_total", &[("reason", why)]);
    assert_eq!(
        ["no-move-left", "resigned", "not-begun"].map(ended),
        [1.0, 0.0, 0.0]
    );
    assert_eq!(seen.value("fibfob_matches", &[("state", "over")]), 1.0);
    assert_eq!(seen.value("fibfob_matches", &[("state", "playing")]), 0.0);
    assert_eq!(seen.value("fibfob_events_stored_total", &[]), 5.0);
    assert_eq!(seen.value("fibfob_commit_events_sum", &[]), 5.0);
    let commits = seen.value("fibfob_commit_events_count", &[]);
    assert!((1.0..=5.0).contains(&commits));
    assert_eq!(seen.value("fibfob_commit_seconds_count", &[]), commits);
    assert!(seen.value("fibfob_commit_seconds_sum", &[]) > 0.0);
    assert_eq!(seen.value("fibfob_commit_failures_total", &[]), 0.0);
    let frames = [("kind", "frame")];
    // Each of the three was sent a snapshot first, the creator and the spectator of version 1.
    assert_eq!(seen.value("fibfob_frames_sent_total", &frames), 11.0);
    assert!(seen.value("fibfob_frames_sent_bytes_total", &frames) > 11.0 * 100.0);
    let snapshots = [("kind", "snapshot")];
    assert_eq!(seen.value("fibfob_frames_sent_total", &snapshots), 3.0);
    assert_eq!(seen.value("fibfob_connections_opened_total", &[]), 5.0);
    assert_eq!(seen.value("fibfob_ready", &[]), 1.0);
    let append = [("queue", "append")];
    assert_eq!(seen.value("fibfob_queue_length", &append), 0.0);
    assert_eq!(seen.value("fibfob_queue_capacity", &append), 1024.0);

    let mut ask = async |since| {
        let (id, since) = (played.made.match_id.unwrap(), Version(since));
        played
            .eve
            .request(RequestBody::Resume { id, since })
            .await
            .unwrap();
    };
    ask(5).await;
    ask(3).await;
    ask(0).await;
    let seen = numbers(server).await;
    let resumes = |kind| seen.value("fibfob_resumes_total", &[("kind", kind)]);
    let kinds = ["nothing", "events", "unnoticed"];
    assert_eq!(kinds.map(resumes), [1.0, 2.0, 0.0]);
    becomes(
        server,
        "fibfob_frames_sent_total",
        &[("kind", "snapshot")],
        6.0,
    )
    .await;

    played.bo.refused(Message::text("what?")).await;
    drop((played.ada, greeting, lobby));
    let seen = becomes(
        server,
        "fibfob_connections_closed_total",
        &[("reason", "gone")],
        3.0,
    );
    seen.await;
    becomes(server, "fibfob_connections", &[("role", "player")], 1.0).await;
    let seen = numbers(server).await;
    let malformed = [("reason", "malformed")];
    assert_eq!(seen.value("fibfob_commands_refused_total", &malformed), 1.0);
    assert_eq!(seen.value("fibfob_refused_total", &malformed), 1.0);
    assert!(seen.value("fibfob_store_bytes", &[]) > 4096.0);
    assert!(seen.value("fibfob_store_free_bytes", &[]) > 0.0);
    assert!(seen.value("process_resident_memory_bytes", &[]) > 1e6);
    let [files, most] = ["process_open_fds", "process_max_fds"].map(|name| seen.value(name, &[]));
    assert!(0.0 < files && files < most, "{files} of {most}");
    let end = seen.value("fibfob_certificate_not_after_seconds", &[]);
    assert_eq!(end, f64::INFINITY, "there is none");
    let roles = ["greeting", "lobby", "spectator"].map(|role| ("role", role));
    let roles = roles.map(|role| seen.value("fibfob_connections", &[role]));
    assert_eq!(roles, [0.0, 0.0, 1.0]);
}

#[tokio::test]
async fn the_time_of_a_bot_is_observed() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let bot = nim(Opponent::Bot("perfect".parse().unwrap()));
    let id = ada
        .request(RequestBody::Create(bot))
        .await
        .unwrap()
        .match_id
        .unwrap();
    ada.play(id, 1, "take 1 from 2").await.unwrap();
    for version in 1..=3 {
        ada.frame(version).await;
    }
    let seen = numbers(&server).await;
    assert_eq!(seen.value("fibfob_bot_think_seconds_count", &[]), 1.0);
    assert!(seen.value("fibfob_bot_think_seconds_sum", &[]) > 0.0);
}

#[tokio::test]
async fn docs_metrics_md_lists_every_metric() {
    // All series are there before anything has happened.
    let server = TestServer::start(Config::default()).await;
    let seen = numbers(&server).await;
    let served = seen.families.iter().map(|(name, family)| {
        let labels: Vec<_> = family
            .labels()
            .into_iter()
            .map(|l| format!("`{l}`"))
            .collect();
        let help = family.help.trim_end_matches('.');
        format!(
            "| `{name}` | {} | {} | {help} |",
            family.kind,
            labels.join(", ")
        )
    });
    let mut served: Vec<_> = served.collect();
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/METRICS.md");
    let table = std::fs::read_to_string(table).unwrap();
    let mut documented: Vec<_> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    served.sort_unstable();
    documented.sort_unstable();
    assert_eq!(documented, served);
}

#[tokio::test]
async fn the_metrics_contain_no_guest_match_or_token() {
    let played = played().await;
    let (_, text) = played.server.get("/metrics").await;
    let token = played.ada.token();
    let (guest, secret) = token.split_once('.').unwrap();
    let code = played.made.code.unwrap().to_string();
    let id = played.made.match_id.unwrap().to_string();
    for private in [guest, secret, &code, &id, "Ada", "take 1"] {
        assert!(!text.contains(private), "{private}");
    }
}

#[tokio::test]
async fn the_metrics_are_served_at_the_configured_endpoint() {
    let (store, config) = (Store::new(Memory::default()), Config::default());
    let own = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = own.local_addr().unwrap();
    let server = TestServer::behind(MetricsEndpoint::Own(own), store.clone(), config.clone()).await;
    assert!(server.get("/metrics").await.0.starts_with("HTTP/1.1 404"));
    let get = async |path| fixture::get(address, path).await.0;
    assert!(get("/metrics").await.starts_with("HTTP/1.1 200"));
    assert!(get("/readyz").await.starts_with("HTTP/1.1 200"));
    for elsewhere in ["/", "/ws", "/api/games"] {
        assert!(get(elsewhere).await.starts_with("HTTP/1.1 404"));
    }
    server.stop().await;

    let server = TestServer::behind(MetricsEndpoint::Off, store.clone(), config.clone()).await;
    assert!(server.get("/metrics").await.0.starts_with("HTTP/1.1 404"));
    server.stop().await;
}

#[tokio::test]
async fn on_the_client_port_they_are_served_to_this_machine_only() {
    let config = Config {
        public_url: Some("https://fib.example".parse().unwrap()),
        ..Config::default()
    };
    let server = TestServer::start(config).await;
    let is_shown = |head: &str| head.starts_with("HTTP/1.1 200");
    assert!(is_shown(&server.get("/metrics").await.0));
    // What a proxy of this machine forwards comes from elsewhere.
    for forwarded in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"] {
        let header = format!("{forwarded}: 127.0.0.1");
        let (head, why) = server.get_with("/metrics", &header).await;
        assert!(head.starts_with("HTTP/1.1 403") && why.contains("--metrics-listen"));
    }
    let line = tokio::net::TcpStream::connect(server.address)
        .await
        .unwrap();
    let (head, _) = fixture::get_over(line, "fib.example", "/metrics").await;
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
}

#[tokio::test]
async fn a_panic_is_counted() {
    let server = TestServer::start(Config::default()).await;
    fibfob_server::log_panics();
    let caught = std::panic::catch_unwind(|| panic!("the test"));
    drop(std::panic::take_hook());
    assert!(caught.is_err());
    becomes(&server, "fibfob_panics_total", &[], 1.0).await;
}
