//! The server through real sockets: that the parts are joined rightly, and how each kind of
//! bad connection ends. The promises between whole programs are tested elsewhere.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by a panic"
)]

mod client;

use std::time::Duration;

use client::{Bench, Heard};
use fibfob_protocol::{
    Against, Ask, Begins, Code, CommandId, FirstMove, Opening, PhaseView, Reason, Seat,
    ServerMessage, Start, Version,
};
use fibfob_server::{Config, Rate, Store};
use tokio_tungstenite::tungstenite::{Bytes, Message};

fn nim(start: &str, against: Against) -> Opening {
    Opening {
        start: Start::Position(start.to_owned()),
        against,
        begins: Begins::Me,
        ..Opening::of("nim")
    }
}

fn join(code: Code) -> Ask {
    let code = code.to_string();
    Ask::Join { code }
}

#[tokio::test]
async fn a_match_against_the_bot_from_create_to_rematch() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    let made = ada
        .ask(Ask::Create(nim(
            "1,1",
            Against::Bot("perfect".parse().unwrap()),
        )))
        .await
        .unwrap();
    let id = made.match_id.unwrap();
    assert_eq!(
        (made.version, made.seat),
        (Some(Version(1)), Some(Seat::Creator))
    );
    let frame = ada.frame(1).await;
    assert_eq!((frame.match_id, frame.code), (id, made.code.unwrap()));
    assert!(matches!(
        frame.state.phase,
        PhaseView::Playing {
            turn: Seat::Creator,
            ..
        }
    ));

    ada.play(id, 1, "take 1 from 1").await.unwrap();
    ada.frame(2).await;
    let last = ada.frame(3).await;
    assert!(matches!(
        last.state.phase,
        PhaseView::Over {
            winner: Seat::Joiner,
            ..
        }
    ));
    ada.ask(Ask::OfferRematch { id }).await.unwrap();
    ada.frame(4).await;
    let agreed = ada.frame(5).await;
    let next = serde_json::to_value(&agreed).unwrap()["next"]["match"].clone();
    let next = serde_json::from_value(next).unwrap();
    assert_eq!(next, id.rematch());
    let since = Version(0);
    ada.ask(Ask::Resume { id: next, since }).await.unwrap();
    let first = ada.frame(1).await;
    assert_eq!(first.match_id, next);
    assert_eq!(first.state.begins, FirstMove::Joiner, "sides swapped");
    bench.stop().await;
}

#[tokio::test]
async fn two_players_and_a_viewer_see_the_same() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    let mut bo = bench.connect("Bo").await;
    let mut eve = bench.connect("Eve").await;
    let made = ada
        .ask(Ask::Create(nim("1,2", Against::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let joined = bo.ask(join(code)).await.unwrap();
    assert_eq!(
        (joined.version, joined.seat),
        (Some(Version(2)), Some(Seat::Joiner))
    );
    assert_eq!(
        bo.ask(join(code)).await.unwrap_err().reason,
        Reason::AlreadySeated
    );
    assert_eq!(
        eve.ask(join(code)).await.unwrap_err().reason,
        Reason::SeatTaken
    );

    ada.play(id, 2, "take 1 from 2").await.unwrap();
    let spelled = code.to_string().to_lowercase();
    let watching = eve.ask(Ask::Spectate { code: spelled }).await.unwrap();
    assert_eq!((watching.version, watching.seat), (Some(Version(3)), None));
    let moved = eve.play(id, 3, "take 1 from 1").await.unwrap_err();
    assert_eq!(moved.reason, Reason::NotAPlayer);
    assert_eq!(
        ada.play(id, 3, "take 1 from 1").await.unwrap_err().reason,
        Reason::NotYourTurn
    );
    assert_eq!(
        bo.play(id, 2, "take 1 from 1").await.unwrap_err().reason,
        Reason::Stale
    );
    assert_eq!(
        bo.play(id, 3, "take 9 from 1").await.unwrap_err().reason,
        Reason::IllegalMove
    );
    assert_eq!(
        bo.play(id, 3, "what?").await.unwrap_err().reason,
        Reason::BadNotation
    );
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    ada.play(id, 4, "take 1 from 2").await.unwrap();

    let mut told = Vec::new();
    for viewer in [&mut ada, &mut bo, &mut eve] {
        let mut frames = Vec::new();
        for version in 1..=5 {
            frames.push(viewer.frame(version).await.happening);
        }
        told.push(frames);
    }
    assert_eq!(told[0], told[1]);
    assert_eq!(told[1], told[2]);
    bench.stop().await;
}

#[tokio::test]
async fn a_player_goes_on_after_a_restart_and_what_is_sent_again_counts_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let before = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let mut ada = before.connect("Ada").await;
    let mut bo = before.connect("Bo").await;
    let create = CommandId::fresh();
    let opening = Ask::Create(nim("3,4,5", Against::Open));
    let made = ada.ask_as(create.clone(), opening.clone()).await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    let (command, text) = (CommandId::fresh(), "take 2 from 1".to_owned());
    let expecting = Version(2);
    let play = Ask::Play {
        id,
        expecting,
        text,
    };
    let played = ada.ask_as(command.clone(), play.clone()).await.unwrap();
    before.stop().await;

    let after = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let mut lobby = after.connect("Eve").await;
    assert!(lobby.ask(Ask::Lobby { watch: false }).await.is_ok());
    assert_eq!(lobby.lobby().await.playing[0].code, code);
    let mut ada = after.connect_as("Ada", ada.token()).await;
    assert_eq!(ada.ask_as(create, opening).await.unwrap(), made);
    assert_eq!(ada.ask_as(command, play).await.unwrap(), played);
    for version in 1..=3 {
        ada.frame(version).await;
    }
    let since = Version(2);
    let resumed = ada.ask(Ask::Resume { id, since }).await.unwrap();
    assert_eq!(
        (resumed.version, resumed.seat),
        (Some(Version(3)), Some(Seat::Creator))
    );
    assert_eq!(ada.frame(3).await.state.position, "1,4,5");
    let mut bo = after.connect_as("Bo", bo.token()).await;
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    ada.frame(4).await;
    after.stop().await;
}

#[tokio::test]
async fn whoever_comes_late_to_a_long_match_gets_a_snapshot() {
    let config = Config {
        snapshot_after: 3,
        ..Config::default()
    };
    let bench = Bench::start(config).await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let made = ada
        .ask(Ask::Create(nim("1,2,3", Against::Friend)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    bo.play(id, 3, "take 1 from 2").await.unwrap();
    let mut eve = bench.connect("Eve").await;
    eve.ask(Ask::Spectate {
        code: code.to_string(),
    })
    .await
    .unwrap();
    let snapshot = eve.snapshot().await;
    let versions: Vec<_> = snapshot
        .events
        .iter()
        .map(|event| event.version.0)
        .collect();
    assert_eq!(versions, [1, 2, 3, 4]);
    ada.play(id, 4, "take 1 from 2").await.unwrap();
    eve.frame(5).await;
    bench.stop().await;
}

#[tokio::test]
async fn the_lobby_is_told_as_it_changes() {
    let bench = Bench::start(Config::default()).await;
    let (mut ada, mut eve) = (bench.connect("Ada").await, bench.connect("Eve").await);
    eve.ask(Ask::Lobby { watch: true }).await.unwrap();
    assert_eq!(eve.lobby().await.open, []);
    let made = ada.ask(Ask::Create(nim("1", Against::Open))).await.unwrap();
    let hidden = ada
        .ask(Ask::Create(nim("1", Against::Friend)))
        .await
        .unwrap();
    let lobby = eve.lobby().await;
    assert_eq!(
        lobby.open.len(),
        1,
        "a friend's seat is not offered to strangers"
    );
    assert_eq!(lobby.open[0].code, made.code.unwrap());
    ada.ask(Ask::Leave {
        id: made.match_id.unwrap(),
    })
    .await
    .unwrap();
    assert_eq!(eve.lobby().await.open, []);
    eve.ask(Ask::Join {
        code: hidden.code.unwrap().to_string(),
    })
    .await
    .unwrap();
    assert_eq!(eve.lobby().await.playing.len(), 1);
    bench.stop().await;
}

#[tokio::test]
async fn wrong_words_are_told_and_the_connection_stays() {
    let bench = Bench::start(Config::default()).await;
    let mut line = bench.line().await;
    let mut refused = async |message: Message| line.refused(message).await;
    let say = |text: &str| Message::text(text);
    assert_eq!(refused(say("hello")).await.reason, Reason::Malformed);
    let binary = Message::Binary(Bytes::from_static(b"{}"));
    assert_eq!(refused(binary).await.reason, Reason::Malformed);
    let early = refused(say(r#"{"type":"lobby","id":"a"}"#)).await;
    assert_eq!(
        (early.reason, early.id.unwrap().as_str()),
        (Reason::HelloFirst, "a")
    );
    let newer = refused(say(r#"{"type":"hello","protocol":"fibfob.v9"}"#)).await;
    assert_eq!(newer.supported, ["fibfob.v1"]);
    let name = refused(say(r#"{"type":"hello","protocol":"fibfob.v1","name":" "}"#)).await;
    assert_eq!(name.reason, Reason::BadName);
    let token = refused(say(
        r#"{"type":"hello","protocol":"fibfob.v1","token":"a.b"}"#,
    ))
    .await;
    assert_eq!(token.reason, Reason::BadToken);

    let mut ada = line.hello("Ada", None).await;
    let again = ada
        .refused(say(r#"{"type":"hello","protocol":"fibfob.v1"}"#))
        .await;
    assert_eq!(again.reason, Reason::HelloAgain);
    let unknown = ada.refused(say(r#"{"type":"dance","id":"b"}"#)).await;
    assert_eq!(
        (unknown.reason, unknown.id.unwrap().as_str()),
        (Reason::UnknownType, "b")
    );
    let reason = |outcome: Result<_, fibfob_protocol::Refused>| outcome.unwrap_err().reason;
    let code = "0O1I".to_owned();
    assert_eq!(reason(ada.ask(Ask::Join { code }).await), Reason::BadId);
    let code = "222222".to_owned();
    assert_eq!(
        reason(ada.ask(Ask::Spectate { code }).await),
        Reason::NoSuchMatch
    );
    let mut opening = nim("0,0", Against::Open);
    assert_eq!(
        reason(ada.ask(Ask::Create(opening.clone())).await),
        Reason::BadStart
    );
    opening.start = Start::Position("three".to_owned());
    assert_eq!(
        reason(ada.ask(Ask::Create(opening.clone())).await),
        Reason::BadNotation
    );
    opening.game = "chess".to_owned();
    assert_eq!(
        reason(ada.ask(Ask::Create(opening)).await),
        Reason::UnknownGame
    );
    bench.stop().await;
}

#[tokio::test]
async fn a_connection_follows_a_bounded_number_of_matches() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    let most = ada.limits().following;
    let mut first = None;
    for _ in 0..most {
        let made = ada.ask(Ask::Create(nim("1", Against::Open))).await.unwrap();
        first.get_or_insert(made.match_id.unwrap());
    }
    let refused = ada
        .ask(Ask::Create(nim("1", Against::Open)))
        .await
        .unwrap_err();
    assert_eq!(refused.reason, Reason::FollowsTooMany);
    let id = first.unwrap();
    let since = Version(0);
    ada.ask(Ask::Resume { id, since })
        .await
        .expect("it is followed already");
    ada.ask(Ask::Leave { id }).await.unwrap();
    ada.ask(Ask::Create(nim("1", Against::Open))).await.unwrap();
    bench.stop().await;
}

#[tokio::test]
async fn a_long_message_ends_the_connection() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    let most = ada.limits().message_bytes;
    let padded = |bytes: usize| {
        let json = r#"{"type":"lobby","id":"a"}"#;
        Message::text(format!("{json}{}", " ".repeat(bytes - json.len())))
    };
    ada.send(padded(most)).await;
    assert!(matches!(
        ada.hear().await,
        Heard::Message(ServerMessage::Accepted(_))
    ));
    ada.send(padded(most + 1)).await;
    assert_eq!(ada.closed().await, 1009);
    bench.stop().await;
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
    let bench = Bench::start(config).await;
    let mut ada = bench.connect("Ada").await;
    let mut refused = 0;
    for _ in 0..6 {
        if let Err(answer) = ada.ask(Ask::Lobby { watch: false }).await {
            assert_eq!((answer.reason, answer.retry), (Reason::TooFast, true));
            refused += 1;
        }
    }
    assert!(refused > 0);
    for _ in 0..300 {
        ada.send(Message::text("x")).await;
    }
    assert_eq!(ada.closed().await, 1008);
    bench.stop().await;
}

#[tokio::test]
async fn who_takes_nothing_is_closed_and_the_others_notice_nothing() {
    let config = Config {
        rate: Rate {
            per_second: 1_000_000,
            burst: 1_000_000,
        },
        ..Config::default()
    };
    let bench = Bench::start(config).await;
    let mut ada = bench.connect("Ada").await;
    for _ in 0..8 {
        ada.ask(Ask::Create(nim("1,2,3,4,5,6,7", Against::Open)))
            .await
            .unwrap();
    }
    let mut eve = bench.connect("Eve").await;
    let lobby = r#"{"type":"lobby","id":"a"}"#;
    let flood = async {
        // Every one is answered by kilobytes that nobody reads.
        while eve.try_send(Message::text(lobby)).await.is_ok() {}
    };
    tokio::time::timeout(Duration::from_secs(30), flood)
        .await
        .expect("the server hangs up");
    ada.ask(Ask::Lobby { watch: false }).await.unwrap();
    bench.stop().await;
}

#[tokio::test]
async fn a_door_for_the_right_pages_and_protocols() {
    let allow_origins = vec!["https://play.example.org".parse().unwrap()];
    let config = Config {
        allow_origins,
        ..Config::default()
    };
    let bench = Bench::start(config).await;
    let own = format!("http://{}", bench.address);
    assert_eq!(bench.knock(&[("origin", &own)]).await, 101);
    assert_eq!(
        bench.knock(&[("origin", "https://play.example.org")]).await,
        101
    );
    assert_eq!(
        bench.knock(&[("origin", "https://evil.example")]).await,
        403
    );
    assert_eq!(
        bench
            .knock(&[("sec-websocket-protocol", "fibfob.v9, fibfob.v1")])
            .await,
        101
    );
    assert_eq!(
        bench.knock(&[("sec-websocket-protocol", "chat")]).await,
        400
    );
    let (head, body) = bench.get("/").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy"));
    let (_, path) = body.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let style = path.split('"').next().unwrap().to_owned();
    let mut ada = bench.connect("Ada").await;
    let made = ada
        .ask(Ask::Create(nim("1", Against::Friend)))
        .await
        .unwrap();
    let code = made.code.unwrap();
    let (head, body) = bench.get(&format!("/m/{code}")).await;
    assert!(head.starts_with("HTTP/1.1 200") && body.contains(&style));
    assert!(bench.get("/m/222222").await.0.starts_with("HTTP/1.1 404"));
    assert!(bench.get("/m/%3Cb%3E").await.0.starts_with("HTTP/1.1 404"));
    let (head, _) = bench.get(&style).await;
    assert!(head.contains("text/css") && head.contains("immutable"));
    let (_, games) = bench.get("/api/games").await;
    assert!(games.contains("\"example_move\":\"time -13\""));
    assert!(bench.get("/healthz").await.0.starts_with("HTTP/1.1 200"));
    assert!(bench.get("/readyz").await.0.starts_with("HTTP/1.1 200"));
    assert!(bench.get("/else").await.0.starts_with("HTTP/1.1 404"));
    bench.stop().await;
}

#[tokio::test]
async fn a_shutdown_tells_everybody_and_ends() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    bench.shut_down();
    let goodbye = ada.goodbye().await;
    assert!(goodbye.retry_after_ms.is_some());
    assert_eq!(ada.closed().await, 1012);
    bench.stop().await;
}

/// What was begun before the shutdown is finished, and answered, before the line is closed.
#[tokio::test]
async fn a_command_in_hand_is_finished() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let bench = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    // Whoever else writes to the file keeps the server's writer waiting.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let id = CommandId::fresh();
    ada.request(id.clone(), Ask::Create(nim("1", Against::Open)))
        .await;
    // Messages are read in order: after the pong, the request before it has been taken.
    ada.send(Message::Ping(Bytes::new())).await;
    assert!(matches!(ada.hear().await, Heard::Pong));
    bench.shut_down();
    ada.goodbye().await;
    let late = ada.ask(Ask::Lobby { watch: false }).await.unwrap_err();
    assert_eq!((late.reason, late.retry), (Reason::ShuttingDown, true));
    other.execute_batch("ROLLBACK").unwrap();
    let made = ada.answer_to(&id).await.unwrap();
    assert_eq!(made.version, Some(Version(1)));
    assert_eq!(ada.closed().await, 1012);
    bench.stop().await;
}

#[tokio::test]
async fn a_store_in_trouble_costs_an_answer_and_no_event() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let bench = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let made = ada
        .ask(Ask::Create(nim("1,2", Against::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    let mut eve = bench.connect("Eve").await;
    let watch = Ask::Spectate {
        code: code.to_string(),
    };
    eve.ask(watch).await.unwrap();

    // Somebody locks the file for longer than the server waits.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (command, text) = (CommandId::fresh(), "take 1 from 2".to_owned());
    let expecting = Version(2);
    let play = Ask::Play {
        id,
        expecting,
        text,
    };
    let refused = ada.ask_as(command.clone(), play.clone()).await.unwrap_err();
    assert_eq!((refused.reason, refused.retry), (Reason::Unavailable, true));
    other.execute_batch("ROLLBACK").unwrap();

    let played = ada.ask_as(command, play).await.unwrap();
    assert_eq!(played.version, Some(Version(3)));
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    // Everybody has followed on, each event once, without having asked for anything.
    for viewer in [&mut ada, &mut bo, &mut eve] {
        for version in 1..=4 {
            viewer.frame(version).await;
        }
    }
    bench.stop().await;
}
