//! Forged, illegal and malformed input is refused with the reason and changes nothing.

use fibfob_protocol::{
    Action, CommandId, FirstMoveRule, MatchId, MatchSetup, RefusalReason, RequestBody, Version,
};
use fibfob_tests::{Server, TestClient, WORKED_EXAMPLE, again, match_setup};
use uuid::Uuid;

/// Ada and Bo in the worked example, Ada to move, and Eve who only watches.
struct Table {
    server: Server,
    ada: TestClient,
    bo: TestClient,
    eve: TestClient,
    id: MatchId,
}

async fn table() -> Table {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let mut eve = TestClient::connect(&server, "Eve").await;
    let (id, code) = ada.create(match_setup("fib-fob", WORKED_EXAMPLE)).await;
    bo.join(code).await;
    eve.spectate(code).await;
    for client in [&mut ada, &mut bo, &mut eve] {
        client
            .until(id, "the beginning", |frame| {
                frame.timed.version == Version(2)
            })
            .await;
    }
    Table {
        server,
        ada,
        bo,
        eve,
        id,
    }
}

fn play(id: MatchId, expecting: u64, text: &str) -> RequestBody {
    RequestBody::Act {
        id,
        action: Action::Play {
            expecting: Version(expecting),
            text: text.to_owned(),
        },
    }
}

impl Table {
    /// A new viewer sees the two first events and no more, and the game goes on.
    async fn assert_unchanged(mut self) {
        let mut fresh = TestClient::connect(&self.server, "Fresh").await;
        let since = Version(0);
        let id = self.id;
        let accepted = fresh
            .request(RequestBody::Resume { id, since })
            .await
            .expect("a view");
        assert_eq!(accepted.version, Some(Version(2)), "something changed");
        self.ada
            .play(id, "time -13")
            .await
            .expect("the game goes on");
    }
}

#[tokio::test]
async fn nobody_moves_out_of_turn_or_for_another_seat() {
    let mut table = table().await;
    let id = table.id;
    assert_eq!(
        table.bo.refused(play(id, 2, "time -13")).await,
        RefusalReason::NotYourTurn
    );
    assert_eq!(
        table.eve.refused(play(id, 2, "time -13")).await,
        RefusalReason::NotAPlayer
    );
    assert_eq!(
        table
            .eve
            .refused(RequestBody::Act {
                id,
                action: Action::Resign
            })
            .await,
        RefusalReason::NotAPlayer
    );
    assert_eq!(
        table
            .eve
            .refused(RequestBody::Act {
                id,
                action: Action::OfferRematch
            })
            .await,
        RefusalReason::NotAPlayer
    );
    assert_eq!(
        table
            .eve
            .refused(RequestBody::Act {
                id,
                action: Action::AcceptRematch
            })
            .await,
        RefusalReason::NotAPlayer
    );
    table.assert_unchanged().await;
}

#[tokio::test]
async fn illegal_malformed_and_stale_moves_are_refused_with_different_reasons() {
    let mut table = table().await;
    let id = table.id;
    let ada = &mut table.ada;
    for illegal in ["time -16", "time +6", "ship h6@3", "ship g6@3", "ship f5@3"] {
        assert_eq!(
            ada.refused(play(id, 2, illegal)).await,
            RefusalReason::IllegalMove,
            "{illegal}"
        );
    }
    for nonsense in [
        "",
        "jump",
        "time",
        "time -0x1",
        "ship z9@9",
        "time -9007199254740992",
    ] {
        assert_eq!(
            ada.refused(play(id, 2, nonsense)).await,
            RefusalReason::BadNotation,
            "{nonsense}"
        );
    }
    for version in [0, 1, 3, u64::from(u32::MAX)] {
        assert_eq!(
            ada.refused(play(id, version, "time -13")).await,
            RefusalReason::Stale
        );
    }
    table.assert_unchanged().await;
}

#[tokio::test]
async fn a_command_sent_twice_counts_once_and_gets_the_same_answer() {
    let mut table = table().await;
    let id = table.id;
    let command = CommandId::fresh();
    let ask = play(id, 2, "time -13");
    let first = table
        .ada
        .try_request(command.clone(), ask.clone())
        .await
        .unwrap();
    let first = first.unwrap();
    let repeated = table.ada.try_request(command.clone(), ask.clone()).await;
    assert_eq!(repeated.unwrap().unwrap(), again(first.clone()));
    assert_eq!(first.version, Some(Version(3)));
    // Somebody else's id is nobody's answer.
    let eves = table.eve.try_request(command, ask).await.unwrap();
    assert_eq!(eves.unwrap_err().reason, RefusalReason::NotAPlayer);
    let frame = table
        .bo
        .until(id, "the move", |frame| frame.state.plies > 0)
        .await;
    assert_eq!(frame.timed.version, Version(3));
}

#[tokio::test]
async fn a_create_sent_twice_makes_one_match() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let command = CommandId::fresh();
    let ask = RequestBody::Create(match_setup("nim", "3,4,5"));
    let first = ada.try_request(command.clone(), ask.clone()).await.unwrap();
    let first = again(first.unwrap());
    let repeated = ada.try_request(command.clone(), ask.clone()).await.unwrap();
    assert_eq!(repeated.unwrap(), first);
    ada.reconnect(&server).await;
    let repeated = ada.try_request(command, ask).await.unwrap();
    assert_eq!(repeated.unwrap(), first);
}

#[tokio::test]
async fn invalid_starts_are_refused() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let cases = [
        ("fib-fob", "a1@1 time=0 nuggets=5 fib=0 fob=0", None),
        (
            "fib-fob",
            "a1@1 time=0 nuggets=0 fib=0 fob=0",
            Some(RefusalReason::BadStart),
        ),
        (
            "fib-fob",
            "a1@1 time=9007199254740991",
            Some(RefusalReason::BadStart),
        ),
        (
            "fib-fob",
            "a1@1 time=9007199254740992",
            Some(RefusalReason::BadNotation),
        ),
        ("fib-fob", "i9@9", Some(RefusalReason::BadNotation)),
        ("nim", "0,0", Some(RefusalReason::BadStart)),
        ("nim", "3,x", Some(RefusalReason::BadNotation)),
        ("chess", "e4", Some(RefusalReason::UnknownGame)),
    ];
    for (game, start, reason) in cases {
        let answer = ada
            .request(RequestBody::Create(match_setup(game, start)))
            .await;
        match reason {
            None => drop(answer.expect(start)),
            Some(reason) => assert_eq!(answer.expect_err(start).reason, reason, "{start}"),
        }
    }
    let random =
        r#"{"type":"create","id":"r1","game":"fib-fob","start":{"random":{"fuel":[1,2]}}}"#;
    ada.send_text(random).await.unwrap();
    let id = CommandId::try_from("r1".to_owned()).unwrap();
    let refused = ada.answer_to(&id).await.unwrap().unwrap_err();
    assert_eq!(refused.reason, RefusalReason::BadStart);
    assert!(refused.message.contains("fuel") && refused.message.contains("time"));
}

#[tokio::test]
async fn seats_codes_and_ids_cannot_be_forged() {
    let mut table = table().await;
    let code = table.ada.newest[&table.id].code.to_string();
    let join = |code: &str| RequestBody::Join {
        code: code.to_owned(),
    };
    assert_eq!(
        table.eve.refused(join(&code)).await,
        RefusalReason::SeatTaken
    );
    assert_eq!(
        table.ada.refused(join(&code)).await,
        RefusalReason::AlreadySeated
    );
    assert_eq!(
        table.eve.refused(join("K7M2QI")).await,
        RefusalReason::BadId
    );
    assert_eq!(
        table.eve.refused(join("ZZZZZZ")).await,
        RefusalReason::NoSuchMatch
    );
    let nowhere = MatchId(Uuid::from_u128(5));
    assert_eq!(
        table.ada.refused(play(nowhere, 2, "time -13")).await,
        RefusalReason::NoSuchMatch
    );
    let since = Version(0);
    let resume = RequestBody::Resume { id: nowhere, since };
    assert_eq!(table.ada.refused(resume).await, RefusalReason::NoSuchMatch);
    table.assert_unchanged().await;
}

#[tokio::test]
async fn a_forged_token_is_refused_and_a_valid_one_identifies_the_guest() {
    let server = Server::start().await;
    let ada = TestClient::connect(&server, "Ada").await;
    let mut socket = TestClient::connect(&server, "Probe").await;
    let mut forged = ada.welcome.token.clone();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'B' } else { 'A' });
    for token in [forged.as_str(), "", "x", &"y".repeat(4000)] {
        assert_eq!(
            refused_hello(&server, token).await,
            RefusalReason::BadToken,
            "{token}"
        );
    }
    // A second hello on one connection is not a way to be somebody else.
    socket
        .send_text(&format!(
            r#"{{"type":"hello","protocol":"fibfob.v1","token":"{}"}}"#,
            ada.welcome.token
        ))
        .await
        .unwrap();
    let refused = socket.next_refusal().await;
    assert_eq!(refused.reason, RefusalReason::HelloAgain);
    let token = Some(ada.welcome.token.clone());
    let again = TestClient::try_connect(server.address(), "Ada", token)
        .await
        .unwrap();
    assert_eq!(again.welcome.guest, ada.welcome.guest);
}

/// Why a `hello` with `token` is refused.
async fn refused_hello(server: &Server, token: &str) -> RefusalReason {
    let hello = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
    first_answer(server, &hello).await.reason
}

/// The refusal that a connection gets for its very first words.
async fn first_answer(server: &Server, words: &str) -> fibfob_protocol::Refused {
    let mut client = TestClient::before_hello(server).await;
    client.send_text(words).await.unwrap();
    client.next_refusal().await
}

#[tokio::test]
async fn an_unsupported_version_is_refused_with_the_supported_ones() {
    let server = Server::start().await;
    let refused = first_answer(&server, r#"{"type":"hello","protocol":"fibfob.v9"}"#).await;
    assert_eq!(refused.reason, RefusalReason::UnsupportedVersion);
    assert_eq!(refused.supported, ["fibfob.v1"]);
    let refused = first_answer(&server, r#"{"type":"lobby","id":"c1"}"#).await;
    assert_eq!(refused.reason, RefusalReason::HelloFirst);
}

#[tokio::test]
async fn wrong_messages_are_refused_and_the_connection_stays() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (id, _) = ada.create(match_setup("nim", "3,4,5")).await;
    ada.until(id, "the match", |_| true).await;
    for (text, reason) in [
        ("", RefusalReason::Malformed),
        ("not json", RefusalReason::Malformed),
        ("[1,2]", RefusalReason::Malformed),
        (
            r#"{"type":"teleport","id":"t1"}"#,
            RefusalReason::UnknownType,
        ),
        (r#"{"type":"join","id":"t2"}"#, RefusalReason::Malformed),
    ] {
        ada.send_text(text).await.unwrap();
        let refused = ada.next_refusal().await;
        assert_eq!(refused.reason, reason, "{text}");
    }
    ada.send_bytes(vec![0xFF, 0xFE]).await.unwrap();
    let refused = ada.next_refusal().await;
    assert_eq!(refused.reason, RefusalReason::Malformed);
    ada.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .expect("still connected");
}

#[tokio::test]
async fn a_message_above_the_limit_closes_only_its_own_connection() {
    let mut table = table().await;
    let huge = format!(
        r#"{{"type":"join","id":"h1","code":"{}"}}"#,
        "x".repeat(9000)
    );
    // The server may close before it has read all of it.
    let _ = table.eve.send_text(&huge).await;
    while table.eve.receive().await.is_ok() {}
    table.assert_unchanged().await;
}

#[tokio::test]
async fn names_are_checked_and_shown_as_given() {
    let server = Server::start().await;
    for name in ["", "a\\nb", "a\\u202eb", &"x".repeat(25)] {
        let hello = format!(r#"{{"type":"hello","protocol":"fibfob.v1","name":"{name}"}}"#);
        assert_eq!(
            first_answer(&server, &hello).await.reason,
            RefusalReason::BadName,
            "{name}"
        );
    }
    let mut ada = TestClient::connect(&server, "Ada <b>&").await;
    let first = FirstMoveRule::Me;
    let wanted = MatchSetup {
        first,
        ..match_setup("nim", "1,2")
    };
    let (id, _) = ada.create(wanted).await;
    let frame = ada.until(id, "the match", |_| true).await;
    assert_eq!(frame.state.players.creator.to_string(), "Ada <b>&");
}
