//! The messages of a followed match, as its viewers receive them.

use fibfob_games::{Level, MoveSet};
use fibfob_protocol::{
    LISTED_MOVES_MAX, MatchId, MatchSetup, MoveForm, Opponent, PhaseView, RefusalReason,
    RequestBody, Seat, ServerMessage, Version,
};
use fibfob_server::Config;

use crate::fixture::{Client, TestServer};
use crate::{join, nim};

/// The legal moves in the state, in the answer to `legal`, and the winning ones of an analysis.
async fn moves(client: &mut Client, id: MatchId, version: u64) -> [MoveSet; 3] {
    let PhaseView::Playing { legal, .. } = client.frame_of(id, version).await.state.phase else {
        panic!("it is in play")
    };
    let asked = client.query(RequestBody::Legal { id }).await;
    let version = Version(version);
    let analysed = client.query(RequestBody::Analyse { id, version }).await;
    match (asked, analysed) {
        (ServerMessage::Legal(asked), ServerMessage::Analysis(analysed)) => [
            legal.unwrap(),
            asked.answer.legal,
            analysed.answer.of.winning,
        ],
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn moves_are_listed_and_families_for_those_who_ask() {
    let server = TestServer::start(Config::default()).await;
    let mut bot = server.connect("Ada").await;
    let socket = server.open().await;
    let token = Some(bot.token());
    let mut page = socket.hello_for(MoveForm::Families, "Ada", token).await;
    let setup = MatchSetup {
        learning: true,
        ..nim("3,4,5", Opponent::Bot(Level::Perfect))
    };
    let made = bot.request(RequestBody::Create(setup)).await.unwrap();
    let (id, since) = (made.match_id.unwrap(), Version(0));
    let resume = RequestBody::Resume { id, since };
    page.request(resume).await.unwrap();
    // First a snapshot, then a frame: the other player has moved.
    for version in [1, 3] {
        let plain = moves(&mut bot, id, version).await;
        let families = moves(&mut page, id, version).await;
        assert_ne!(plain[0], families[0]);
        for (plain, families) in plain.iter().zip(&families) {
            assert_eq!(*plain, families.listed(LISTED_MOVES_MAX));
            let json = serde_json::to_string(plain).unwrap();
            assert!(!json.contains('{'), "{json}");
        }
        if version == 1 {
            bot.play(id, 1, "take 2 from 1").await.unwrap();
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn two_players_and_a_viewer_see_the_same() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut bo = server.connect("Bo").await;
    let mut eve = server.connect("Eve").await;
    let made = ada
        .request(RequestBody::Create(nim("1,2", Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let joined = bo.request(join(code)).await.unwrap();
    assert_eq!(
        (joined.version, joined.seat),
        (Some(Version(2)), Some(Seat::Joiner))
    );
    assert_eq!(
        bo.request(join(code)).await.unwrap_err().reason,
        RefusalReason::AlreadySeated
    );
    assert_eq!(
        eve.request(join(code)).await.unwrap_err().reason,
        RefusalReason::SeatTaken
    );

    ada.play(id, 2, "take 1 from 2").await.unwrap();
    let spelled = code.to_string().to_lowercase();
    let watching = eve
        .request(RequestBody::Spectate { code: spelled })
        .await
        .unwrap();
    assert_eq!((watching.version, watching.seat), (Some(Version(3)), None));
    let moved = eve.play(id, 3, "take 1 from 1").await.unwrap_err();
    assert_eq!(moved.reason, RefusalReason::NotAPlayer);
    assert_eq!(
        ada.play(id, 3, "take 1 from 1").await.unwrap_err().reason,
        RefusalReason::NotYourTurn
    );
    assert_eq!(
        bo.play(id, 2, "take 1 from 1").await.unwrap_err().reason,
        RefusalReason::Stale
    );
    assert_eq!(
        bo.play(id, 3, "take 9 from 1").await.unwrap_err().reason,
        RefusalReason::IllegalMove
    );
    assert_eq!(
        bo.play(id, 3, "what?").await.unwrap_err().reason,
        RefusalReason::BadNotation
    );
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    ada.play(id, 4, "take 1 from 2").await.unwrap();

    let mut received = Vec::new();
    for viewer in [&mut ada, &mut bo, &mut eve] {
        let mut frames = Vec::new();
        for version in 1..=5 {
            frames.push(viewer.frame(version).await.timed);
        }
        received.push(frames);
    }
    assert_eq!(received[0], received[1]);
    assert_eq!(received[1], received[2]);
    server.stop().await;
}

#[tokio::test]
async fn a_late_viewer_of_a_long_match_receives_a_snapshot() {
    let config = Config {
        snapshot_after: 3,
        ..Config::default()
    };
    let server = TestServer::start(config).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada
        .request(RequestBody::Create(nim("1,2,3", Opponent::Friend)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    bo.play(id, 3, "take 1 from 2").await.unwrap();
    let mut eve = server.connect("Eve").await;
    eve.request(RequestBody::Spectate {
        code: code.to_string(),
    })
    .await
    .unwrap();
    let snapshot = eve.snapshot().await;
    let versions: Vec<_> = snapshot
        .events
        .iter()
        .map(|event| event.timed.version.0)
        .collect();
    assert_eq!(versions, [1, 2, 3, 4]);
    ada.play(id, 4, "take 1 from 2").await.unwrap();
    eve.frame(5).await;
    server.stop().await;
}
