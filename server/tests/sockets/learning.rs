//! What a client learns by: positions to study, puzzles, marks of progress, today's flight, and the record.

use fibfob_games::{Level, Nimber, Outcome, Reasoner};
use fibfob_protocol::{
    Action, FlightState, IdeaCount, MARKS_MAX, Mark, Opponent, PhaseView, Progress, RecordPage,
    RefusalReason, RequestBody, Seat, ServerMessage, Study, Timestamp, Today,
};
use fibfob_server::{Clock, Config};
use fibfob_store::{Memory, Store};

use crate::fixture::{Client, TestServer};
use crate::{nim, unhurried};

/// Noon of 2026-11-26, in milliseconds.
const NOON: u64 = 20_783 * DAY + DAY / 2;
const DAY: u64 = 86_400_000;

async fn study(
    client: &mut Client,
    game: &str,
    position: &str,
    text: Option<&str>,
) -> Result<Study, RefusalReason> {
    studied(
        client,
        RequestBody::Study {
            game: game.to_owned(),
            position: position.to_owned(),
            text: text.map(str::to_owned),
        },
    )
    .await
}

async fn studied(client: &mut Client, body: RequestBody) -> Result<Study, RefusalReason> {
    match client.query(body).await {
        ServerMessage::Study(study) => Ok(*study),
        ServerMessage::Refused(refused) => Err(refused.reason),
        other => panic!("{other:?}"),
    }
}

async fn progress(
    client: &mut Client,
    add: &[&str],
    remove: &[&str],
) -> Result<Vec<String>, RefusalReason> {
    let marks = |marks: &[&str]| {
        let marks = marks.iter().map(|mark| Mark::try_from((*mark).to_owned()));
        marks.map(Result::unwrap).collect()
    };
    let (add, remove) = (marks(add), marks(remove));
    match client.query(RequestBody::Progress { add, remove }).await {
        ServerMessage::Progress(Progress { marks, .. }) => {
            Ok(marks.iter().map(Mark::to_string).collect())
        }
        ServerMessage::Refused(refused) => Err(refused.reason),
        other => panic!("{other:?}"),
    }
}

async fn today(client: &mut Client) -> Today {
    match client.query(RequestBody::Today).await {
        ServerMessage::Today(today) => *today,
        other => panic!("{other:?}"),
    }
}

async fn record(client: &mut Client) -> RecordPage {
    match client.query(RequestBody::Record { before: None }).await {
        ServerMessage::Record(page) => page,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn any_position_is_studied_and_what_cannot_be_is_refused_with_the_reason() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let won = study(&mut ada, "nim", " 1, 3", None).await.unwrap();
    assert_eq!(
        (won.of.position.as_str(), won.of.outcome),
        ("1,3", Some(Outcome::N))
    );
    assert_eq!(won.legal.iter().count(), 4);
    assert_eq!(won.of.needed, Some(Reasoner::Copies));
    assert_eq!(won.of.best.as_deref(), Some("take 2 from 2"));
    let options = won.of.options.unwrap();
    assert_eq!((options.mex, won.of.nimber), (Some(2), Nimber::Known(2)));
    let lost = study(&mut ada, "nim", "1,3", Some("take 2 from 2"))
        .await
        .unwrap();
    assert_eq!(
        (lost.of.position.as_str(), lost.of.outcome),
        ("1,1", Some(Outcome::P))
    );
    assert_eq!((lost.of.needed, lost.of.best), (None, None));
    let huge = format!(
        "h8@8 time={0} nuggets={0} fib={0} fob={0}",
        (1_u64 << 53) - 1
    );
    let huge = study(&mut ada, "fib-fob", &huge, None).await.unwrap();
    assert_eq!(huge.of.winning.iter().count(), 1);
    let misere = study(&mut ada, "misere-nim", "1,1", None).await.unwrap();
    assert_eq!(misere.of.options, None);
    assert_eq!(misere.of.needed, Some(Reasoner::MisereEnd));

    let long = ["1"; 600].join(",");
    for (game, position, text, reason) in [
        ("chess", "1,3", None, RefusalReason::UnknownGame),
        ("nim", "heaps", None, RefusalReason::BadNotation),
        ("nim", "9007199254740992", None, RefusalReason::BadNotation),
        (
            "nim",
            "1,3",
            Some("take 9 from 2"),
            RefusalReason::IllegalMove,
        ),
        ("nim", "1,3", Some("jump"), RefusalReason::BadNotation),
        ("nim", &long, None, RefusalReason::PositionTooLong),
    ] {
        let refused = study(&mut ada, game, position, text).await.unwrap_err();
        assert_eq!(refused, reason, "{game} {position} {text:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_puzzle_is_the_same_each_time_and_none_is_made_up() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let puzzle = |grade: &str| RequestBody::Puzzle {
        game: "nim".to_owned(),
        grade: Some(grade.to_owned()),
        seed: u32::MAX,
    };
    let first = studied(&mut ada, puzzle("xor")).await.unwrap();
    assert_eq!(first.of.needed, Some(Reasoner::Xor));
    let again = studied(&mut ada, puzzle("xor")).await.unwrap();
    assert_eq!(first.of, again.of);
    for grade in ["misere-end", "luck"] {
        let none = studied(&mut ada, puzzle(grade)).await;
        assert_eq!(none.unwrap_err(), RefusalReason::NoSuchPuzzle, "{grade}");
    }
    let (head, lessons) = server.get("/api/lessons").await;
    assert!(head.contains("application/json"), "{head}");
    let lessons: Vec<serde_json::Value> = serde_json::from_str(&lessons).unwrap();
    assert!(
        lessons
            .iter()
            .all(|lesson| lesson["title"]["de"].is_string())
    );
    for address in [
        "/learn",
        "/learn/copycat",
        "/puzzle/nim/xor/7",
        "/today",
        "/analyse",
    ] {
        let (head, page) = server.get(address).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{address}: {head}");
        assert!(page.contains("<html"), "{address}");
    }
    server.stop().await;
}

#[tokio::test]
async fn marks_are_kept_for_every_device_of_a_guest() {
    let memory = Memory::default();
    let server = TestServer::over(Store::new(memory.clone()), unhurried()).await;
    let other = TestServer::over(Store::new(memory), unhurried()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let mut phone = other.connect_as("Ada", ada.token()).await;
    assert_eq!(progress(&mut ada, &[], &[]).await.unwrap(), [""; 0]);
    let added = progress(&mut ada, &["missed/nim/xor/7", "lesson/copycat"], &[]);
    assert_eq!(added.await.unwrap(), ["lesson/copycat", "missed/nim/xor/7"]);
    let both = progress(&mut phone, &["lesson/lamps"], &["missed/nim/xor/7"]).await;
    assert_eq!(both.unwrap(), ["lesson/copycat", "lesson/lamps"]);
    assert_eq!(progress(&mut ada, &[], &[]).await.unwrap().len(), 2);
    assert_eq!(
        progress(&mut bo, &[], &[]).await.unwrap(),
        [""; 0],
        "another's"
    );

    let many: Vec<String> = (0..=MARKS_MAX)
        .map(|number| format!("l/{number}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let fit = progress(&mut ada, &many[3..], &[]).await.unwrap();
    assert_eq!(fit.len(), MARKS_MAX);
    let refused = progress(&mut ada, &many[..1], &[]).await.unwrap_err();
    assert_eq!(refused, RefusalReason::TooManyMarks);
    let replaced = progress(&mut ada, &many[..1], &["lesson/lamps"]).await;
    assert_eq!(replaced.unwrap().len(), MARKS_MAX);
    let wrong = r#"{"type":"progress","id":"p","add":["Lesson"]}"#;
    ada.send(wrong.to_owned().into()).await;
    let wrong = ada.answer_to(&"p".to_owned().try_into().unwrap()).await;
    assert_eq!(wrong.unwrap_err().reason, RefusalReason::Malformed);

    server.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn a_guest_has_one_flight_a_day_and_a_streak_on_all_servers() {
    let memory = Memory::default();
    let server_on = |day: u64| {
        let clock = Clock::from_fn(move || Timestamp(NOON + day * DAY));
        let config = Config {
            clock,
            ..unhurried()
        };
        TestServer::over(Store::new(memory.clone()), config)
    };
    let (server, other) = (server_on(0).await, server_on(0).await);
    let mut ada = server.connect("Ada").await;
    let mut phone = other.connect_as("Ada", ada.token()).await;
    let before = today(&mut ada).await;
    assert_eq!((before.number, before.date.as_str()), (1, "2026-11-26"));
    assert_eq!((before.streak, before.own), (0, None));
    fly_to_the_end(&mut ada).await;
    let own = today(&mut ada).await.own.unwrap();
    assert_eq!((own.state, own.slips), (FlightState::Arrived, 0));
    assert_eq!(own.line, "1".repeat(own.moves as usize));
    assert_eq!(today(&mut phone).await.streak, 1);
    server.stop().await;
    other.stop().await;

    let token = ada.token();
    let next = server_on(1).await;
    let mut ada = next.connect_as("Ada", token.clone()).await;
    let before = today(&mut ada).await;
    assert_eq!((before.streak, before.own), (1, None), "of yesterday");
    fly_to_the_end(&mut ada).await;
    next.stop().await;

    let third = server_on(2).await;
    let mut ada = third.connect_as("Ada", token.clone()).await;
    assert_eq!(today(&mut ada).await.streak, 2, "first asked a day later");
    let flight = ada.request(RequestBody::Fly).await.unwrap();
    let resign = Action::Resign.in_match(flight.match_id.unwrap());
    ada.request(resign).await.unwrap();
    let lost = today(&mut ada).await;
    assert_eq!(lost.own.unwrap().state, FlightState::Erased);
    assert_eq!(lost.streak, 2, "of yesterday");
    third.stop().await;

    let fourth = server_on(3).await;
    let mut ada = fourth.connect_as("Ada", token.clone()).await;
    assert_eq!(today(&mut ada).await.streak, 0);
    fourth.stop().await;
}

/// Flies today's flight as the server's analysis says, until it is won.
async fn fly_to_the_end(client: &mut Client) {
    let flight = client.request(RequestBody::Fly).await.unwrap();
    let (id, seat) = (flight.match_id.unwrap(), flight.seat);
    assert_eq!(seat, Some(Seat::Creator));
    let again = client.request(RequestBody::Fly).await.unwrap();
    assert_eq!(again.match_id, Some(id), "one try");
    let mut version = 1;
    loop {
        let state = client.frame_of(id, version).await.state;
        match state.phase {
            PhaseView::Over { winner, .. } => return assert_eq!(winner, Seat::Creator),
            PhaseView::Playing {
                turn: Seat::Creator,
                ..
            } => {
                let own = today(client).await.own.unwrap();
                assert_eq!((own.state, own.line.as_str()), (FlightState::Flying, ""));
                let game = state.game.id();
                let seen = study(client, game, &state.position, None).await.unwrap();
                let best = seen.of.best.unwrap();
                client.play(id, version, &best).await.unwrap();
            }
            _ => {}
        }
        version += 1;
    }
}

#[tokio::test]
async fn the_record_counts_won_positions_by_the_idea_that_each_needed() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let setup = nim("1,3", Opponent::Bot(Level::Perfect));
    let made = ada.request(RequestBody::Create(setup)).await.unwrap();
    let id = made.match_id.unwrap();
    ada.play(id, 1, "take 3 from 2").await.unwrap();
    assert!(matches!(
        ada.frame_of(id, 3).await.state.phase,
        PhaseView::Over { .. }
    ));
    let own = record(&mut ada).await;
    assert_eq!((own.matches.len(), own.next), (1, None));
    let lost = &own.matches[0];
    assert!(!lost.won && lost.against.as_deref() == Some("perfect") && lost.match_id == id);
    let (idea, had, kept) = (Reasoner::Copies, 1, 0);
    assert_eq!(lost.ideas, [IdeaCount { idea, had, kept }]);
    assert_eq!(record(&mut bo).await.matches, [], "another's");
    server.stop().await;
}
