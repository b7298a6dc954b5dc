//! Every bound on one client, reached.

use clap::Parser as _;
use fibfob_games::Level;
use fibfob_protocol::{
    Accepted, Action, ChatDraft, ChatPhrase, CommandId, Opponent, RefusalReason, RequestBody,
    ServerMessage, Version,
};
use fibfob_server::args::Args;
use fibfob_server::limits::{FOLLOWED_MAX, OVER_FOLLOWED_MAX, READ_RATE};
use fibfob_server::{Bounds, Config, Rate};
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Received, TestServer};
use crate::raw::Raw;
use crate::{nim, unhurried};

#[tokio::test]
async fn a_connection_follows_a_bounded_number_of_matches() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let most = ada.limits().following;
    let mut first = None;
    for _ in 0..most {
        let made = ada
            .request(RequestBody::Create(nim("1", Opponent::Open)))
            .await
            .unwrap();
        first.get_or_insert(made);
    }
    let refused = ada
        .request(RequestBody::Create(nim("1", Opponent::Open)))
        .await
        .unwrap_err();
    assert_eq!(refused.reason, RefusalReason::FollowsTooMany);
    let first = first.unwrap();
    let (id, since) = (first.match_id.unwrap(), Version(0));
    ada.request(RequestBody::Resume { id, since })
        .await
        .expect("it is followed already");
    let open_another = || RequestBody::Create(nim("1", Opponent::Open));
    ada.request(RequestBody::Leave { id }).await.unwrap();
    ada.request(open_another()).await.unwrap();
    let refused = ada.request(open_another()).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::FollowsTooMany);
    server.stop().await;
}

#[tokio::test]
async fn matches_that_are_over_do_not_count_and_their_chat_comes_once() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let mut first = None;
    for _ in 0..2 * (ada.limits().following + OVER_FOLLOWED_MAX) {
        let setup = nim("1", Opponent::Bot(Level::Novice));
        let made = ada.request(RequestBody::Create(setup)).await.unwrap();
        let id = made.match_id.unwrap();
        ada.play(id, 1, "take 1 from 1").await.unwrap();
        ada.frame_of(id, 2).await;
        if first.replace(first.unwrap_or(id)).is_none() {
            let draft = ChatDraft::Phrase(ChatPhrase::WellPlayed);
            ada.request(RequestBody::Chat { id, draft }).await.unwrap();
            assert_eq!(ada.chat().await.lines.len(), 1);
        }
    }
    let (id, since) = (first.unwrap(), Version(2));
    ada.request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    ada.snapshot().await;
    ada.query(RequestBody::Identity { renew: false }).await;
    assert!(!ada.has_chat(), "it was sent before");
    server.stop().await;
}

#[tokio::test]
async fn a_long_message_ends_the_connection() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let most = ada.limits().message_bytes;
    let padded = |bytes: usize| {
        let json = r#"{"type":"lobby","id":"a"}"#;
        Message::text(format!("{json}{}", " ".repeat(bytes - json.len())))
    };
    ada.send(padded(most)).await;
    assert!(matches!(
        ada.receive().await,
        Received::Message(ServerMessage::Accepted(_))
    ));
    ada.send(padded(most + 1)).await;
    assert_eq!(ada.closed().await, 1009);
    server.stop().await;
}

#[tokio::test]
async fn too_many_messages_are_refused_and_then_end_the_connection() {
    let config = Config {
        rate: Rate {
            per_second: 1,
            burst: 5,
        },
        ..Config::default()
    };
    let server = TestServer::start(config).await;
    let mut ada = server.connect("Ada").await;
    let mut refused = 0;
    for _ in 0..6 {
        if let Err(answer) = ada
            .request(RequestBody::Lobby {
                watch: false,
                page: 0,
            })
            .await
        {
            assert_eq!(
                (answer.reason, answer.retry),
                (RefusalReason::TooFast, true)
            );
            let wait = answer.retry_after_ms.unwrap();
            refused += 1;
            let turn = 1_000 * refused;
            assert!((1..=turn).contains(&wait), "{wait} ms until its turn");
        }
    }
    assert!(refused > 0);
    for _ in 0..300 {
        ada.send(Message::text("x")).await;
    }
    assert_eq!(ada.closed().await, 1008);
    server.stop().await;
}

#[tokio::test]
async fn pending_requests_are_bounded_per_connection() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let server =
        TestServer::over(Store::new(Sqlite::open(&file).unwrap()), Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let most = ada.limits().in_flight;
    let made = ada
        .request(RequestBody::Create(nim("9,9", Opponent::Open)))
        .await
        .unwrap();
    let id = made.match_id.unwrap();
    let mut bo = server.connect("Bo").await;
    let other = RequestBody::Create(nim("9,9", Opponent::Open));
    let code = bo.request(other).await.unwrap().code.unwrap().to_string();
    // While another process writes to the file, no command is answered.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let commands: Vec<CommandId> = (0..=most).map(|_| CommandId::fresh()).collect();
    for command in &commands {
        ada.send_request(command.clone(), Action::Withdraw.in_match(id))
            .await;
    }
    let refused = ada.answer_to(&commands[most]).await.unwrap_err();
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::TooManyInFlight, true)
    );
    // As after a reconnection, with more matches than that.
    ada.request(RequestBody::Spectate { code })
        .await
        .expect("a request that follows a match is counted with the matches");
    other.execute_batch("ROLLBACK").unwrap();
    let mut done = 0;
    for command in &commands[..most] {
        done += usize::from(ada.answer_to(command).await.is_ok());
    }
    assert_eq!(
        done, 1,
        "the requests before it are finished: one withdrew it"
    );
    let again = ada
        .request_as(commands[most].clone(), RequestBody::Leave { id })
        .await;
    again.expect("a request is accepted again");
    server.stop().await;
}

#[tokio::test]
async fn raised_limits_of_a_connection_are_told_and_kept() {
    let options = [
        "fibfob-server",
        "--messages-per-connection=1000",
        "--followed-per-connection=20",
        "--requests-per-connection=30",
    ];
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let store = Store::new(Sqlite::open(&file).unwrap());
    let server = TestServer::over(store, Args::parse_from(options).config).await;
    let mut ada = server.connect("Ada").await;
    let limits = ada.limits().clone();
    assert_eq!((limits.following, limits.in_flight), (20, 30));
    assert_eq!((limits.per_second, limits.burst), (1_000, 2_000));
    assert_eq!(limits.read_per_second, 20 * READ_RATE.per_second);
    let create = || RequestBody::Create(nim("1", Opponent::Open));
    let made = ada.request(create()).await.unwrap();
    for _ in 1..limits.following {
        ada.request(create()).await.unwrap();
    }
    let refused = ada.request(create()).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::FollowsTooMany);
    // While another process writes to the file, no command is answered.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let withdraw = Action::Withdraw.in_match(made.match_id.unwrap());
    let commands: Vec<CommandId> = (0..=limits.in_flight).map(|_| CommandId::fresh()).collect();
    let bodies = commands.iter().map(|id| (id.clone(), withdraw.clone()));
    ada.burst(bodies).await;
    let (last, before) = commands.split_last().unwrap();
    let refused = ada.answer_to(last).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::TooManyInFlight);
    other.execute_batch("ROLLBACK").unwrap();
    let mut done = 0;
    for command in before {
        done += usize::from(ada.answer_to(command).await.is_ok());
    }
    assert_eq!(done, 1, "one withdrew it");
    // More than a connection may send at once by default.
    let id = made.match_id.unwrap();
    let mute = RequestBody::Mute { id, muted: true };
    let commands: Vec<CommandId> = (0..150).map(|_| CommandId::fresh()).collect();
    let bodies = commands.iter().map(|id| (id.clone(), mute.clone()));
    ada.burst(bodies).await;
    for command in &commands {
        ada.answer_to(command).await.unwrap();
    }
    server.stop().await;
}

#[tokio::test]
async fn connections_are_bounded_and_the_next_one_waits() {
    let bounds = Bounds {
        connections: 2,
        ..Bounds::default()
    };
    let server = TestServer::start(Config {
        bounds,
        ..Config::default()
    })
    .await;
    let (ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    // Connected by the operating system, but not accepted by the server.
    let mut third = Raw::connect(&server).await;
    third
        .write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    for _ in 0..20 {
        bo.request(RequestBody::Lobby {
            watch: false,
            page: 0,
        })
        .await
        .unwrap();
    }
    assert!(!third.has_something(), "the server is full");
    drop(ada);
    assert!(third.rest().await.starts_with(b"HTTP/1.1 200"));
    server.stop().await;
}

#[tokio::test]
async fn matches_are_bounded_per_guest_also_after_a_restart() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let before = TestServer::over(Store::new(Sqlite::open(&file).unwrap()), unhurried()).await;
    let mut ada = before.connect("Ada").await;
    let (token, matches) = (ada.token(), ada.limits().matches as usize);
    let create = || RequestBody::Create(nim("1,1", Opponent::Friend));
    let mut ids = Vec::new();
    let first = CommandId::fresh();
    let made = ada.request_as(first.clone(), create()).await.unwrap();
    ids.push(made.match_id.unwrap());
    while ids.len() < matches {
        if ids.len() % FOLLOWED_MAX == 0 {
            // The matches that one connection can follow are bounded.
            ada = before.connect_as("Ada", token.clone()).await;
        }
        ids.push(ada.request(create()).await.unwrap().match_id.unwrap());
    }
    before.stop().await;

    let after = TestServer::over(Store::new(Sqlite::open(&file).unwrap()), unhurried()).await;
    let mut ada = after.connect_as("Ada", token).await;
    let refused = ada.request(create()).await.unwrap_err();
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::TooManyMatches, false)
    );
    let again = ada.request_as(first, create()).await.unwrap();
    let first = Accepted {
        repeated: true,
        ..made
    };
    assert_eq!(again, first, "a repeated command receives its first answer");
    ada.request(Action::Withdraw.in_match(ids[1]))
        .await
        .unwrap();
    ada.request(create()).await.expect("one of them is over");
    let refused = ada.request(create()).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::TooManyMatches);
    let mut bo = after.connect("Bo").await;
    bo.request(create())
        .await
        .expect("other guests are not affected");
    after.stop().await;
}
