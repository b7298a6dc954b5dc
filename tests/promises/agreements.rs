//! The players' agreements, through a real server: the first move, takebacks, clocks across a
//! restart, and chat in separate channels.

use std::time::Duration;

use fibfob_protocol::{
    Action, Chat, ChatChannel, ChatContent, ChatDraft, ChatPhrase, EndReason, Event, FirstMove,
    FirstMoveRule, MatchId, MatchSetup, MoveOrder, PhaseView, RefusalReason, RequestBody, Seat,
    ServerMessage, TimeControl, Version, Visibility,
};
use fibfob_tests::{Server, ShownEvent, TestClient, match_setup, with_timeout};
use serde_json::json;

/// Fifteen seconds for each player, the least that a slow machine surely leaves something of.
const TIMED: TimeControl = TimeControl::Match {
    initial_ms: 15_000,
    increment_ms: 0,
};

async fn heard(client: &mut TestClient) -> Chat {
    with_timeout("words", async {
        loop {
            if let ServerMessage::Chat(talk) = client.receive().await.expect("the connection lasts")
            {
                break talk;
            }
        }
    })
    .await
}

#[tokio::test]
async fn the_joiner_sees_the_drawn_start_and_chooses_and_the_rematch_swaps_the_choice() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let known = MatchSetup {
        first: FirstMoveRule::Choose,
        ..match_setup("fib-fob", "a1@1 time=1 nuggets=0 fib=0 fob=0")
    };
    assert_eq!(
        ada.refused(RequestBody::Create(known)).await,
        RefusalReason::BadStart
    );
    let drawn = MatchSetup {
        first: FirstMoveRule::Choose,
        ..MatchSetup::new("fib-fob")
    };
    let (id, code) = ada.create(drawn).await;
    bo.join(code).await;
    let choosing = bo
        .until(id, "the choice", |frame| {
            matches!(frame.state.phase, PhaseView::Choosing { .. })
        })
        .await;
    assert_eq!(choosing.state.first, FirstMove::JoinerChooses);
    let begin = false;
    assert_eq!(
        ada.refused(RequestBody::Act {
            id,
            action: Action::Choose {
                order: MoveOrder::first_if(begin)
            }
        })
        .await,
        RefusalReason::NotYourChoice
    );
    bo.request(RequestBody::Act {
        id,
        action: Action::Choose {
            order: MoveOrder::first_if(begin),
        },
    })
    .await
    .expect("a choice");
    ada.turn_of(id, Seat::Creator).await.expect("Ada begins");
    ada.request(RequestBody::Act {
        id,
        action: Action::Resign,
    })
    .await
    .expect("to resign");
    ada.request(RequestBody::Act {
        id,
        action: Action::OfferRematch,
    })
    .await
    .expect("an offer");
    let agreed = bo
        .request(RequestBody::Act {
            id,
            action: Action::AcceptRematch,
        })
        .await
        .expect("a rematch");
    let id = agreed.next.expect("where to go").id;
    let since = Version(0);
    ada.request(RequestBody::Resume { id, since })
        .await
        .expect("the seat");
    ada.until(id, "the choice of the other one", |frame| {
        matches!(
            frame.state.phase,
            PhaseView::Choosing {
                chooser: Seat::Creator,
                ..
            }
        )
    })
    .await;
}

#[tokio::test]
async fn a_takeback_needs_consent() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("nim", "3,4,5")).await;
    bo.join(code).await;
    ada.turn_of(id, Seat::Creator).await.expect("Ada begins");
    ada.play(id, "take 1 from 1").await.expect("a move");
    for agree in [false, true] {
        ada.request(RequestBody::Act {
            id,
            action: Action::OfferTakeback,
        })
        .await
        .expect("a question");
        assert_eq!(
            ada.refused(RequestBody::Act {
                id,
                action: Action::AnswerTakeback { agree }
            })
            .await,
            RefusalReason::NoTakebackOffered
        );
        bo.request(RequestBody::Act {
            id,
            action: Action::AnswerTakeback { agree },
        })
        .await
        .expect("an answer");
        let last = ada
            .until(id, "the answer", |frame| {
                matches!(
                    frame.timed.event,
                    Event::TakenBack { .. } | Event::TakebackDeclined { .. }
                ) && frame.timed.version.0 >= if agree { 7 } else { 5 }
            })
            .await;
        let expected = if agree { "3,4,5" } else { "2,4,5" };
        assert_eq!(last.state.position, expected);
    }
}

#[tokio::test]
async fn a_player_out_of_time_loses_and_downtime_is_not_charged() {
    let mut server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let timed = MatchSetup {
        time: TIMED,
        ..match_setup("nim", "3,4,5")
    };
    let (id, code) = ada.create(timed).await;
    bo.join(code).await;
    let begun = play_first_moves(&mut ada, &mut bo, id).await;
    let before = begun.state.clocks.expect("clocks run").since;
    server.kill().await;
    server.restart().await;
    for client in [&mut ada, &mut bo] {
        client.reconnect(&server).await;
        let since = AFTER_FIRST_MOVES;
        client
            .request(RequestBody::Resume { id, since })
            .await
            .expect("to go on");
    }
    let resumed = ada
        .until(id, "the note of the restart", |frame| {
            matches!(frame.timed.event, Event::Resumed { .. })
        })
        .await;
    let clocks = resumed.state.clocks.expect("clocks run");
    assert!(clocks.since > before, "time counts from the new start on");
    let left = clocks.creator_ms.expect("a person's clock");
    assert!(left > 11_000, "the downtime is not charged: {left} ms");
    // Nobody moves: the server alone ends it.
    let over = bo
        .until(id, "the end", |frame| {
            matches!(frame.state.phase, PhaseView::Over { .. })
        })
        .await;
    let PhaseView::Over { winner, reason, .. } = over.state.phase else {
        unreachable!("just seen")
    };
    assert_eq!((winner, reason), (Seat::Joiner, EndReason::OutOfTime));
}

/// Lets both players make their first moves, before which no clock runs. Ada is to move then, at [`AFTER_FIRST_MOVES`].
async fn play_first_moves(ada: &mut TestClient, bo: &mut TestClient, id: MatchId) -> ShownEvent {
    ada.turn_of(id, Seat::Creator).await.expect("Ada begins");
    ada.play(id, "take 1 from 3").await.expect("a move");
    bo.turn_of(id, Seat::Joiner).await.expect("Bo's turn");
    bo.play(id, "take 1 from 3").await.expect("a move");
    ada.turn_of(id, Seat::Creator).await.expect("Ada's turn")
}

/// Created, joined, and two moves.
const AFTER_FIRST_MOVES: Version = Version(4);

/// The least time for each move.
const EACH: TimeControl = TimeControl::Move { each_ms: 5_000 };

/// A match in which Ada, the creator, is to move within [`EACH`].
async fn timed_match(server: &Server, time: TimeControl) -> (TestClient, TestClient, MatchId) {
    let mut ada = TestClient::connect(server, "Ada").await;
    let mut bo = TestClient::connect(server, "Bo").await;
    let timed = MatchSetup {
        time,
        ..match_setup("nim", "3,4,5")
    };
    let (id, code) = ada.create(timed).await;
    bo.join(code).await;
    play_first_moves(&mut ada, &mut bo, id).await;
    (ada, bo, id)
}

#[tokio::test]
async fn a_stopped_process_costs_nobody_time() {
    let server = Server::start().await;
    let (mut ada, _bo, id) = timed_match(&server, EACH).await;
    server.signal("-STOP").await;
    // Longer than the whole time of the move; no event ends this wait.
    tokio::time::sleep(Duration::from_secs(7)).await;
    server.signal("-CONT").await;
    ada.play(id, "take 1 from 1")
        .await
        .expect("the time in which the process stood still is not charged");
}

#[tokio::test]
async fn a_restart_gives_no_thinking_back_that_the_server_knows_of() {
    let minutes = TimeControl::Match {
        initial_ms: 600_000,
        increment_ms: 0,
    };
    let thinking = Duration::from_secs(6);
    // After SIGTERM it is exact, after SIGKILL as of the last note.
    for (is_killed, lost_ms) in [(false, 0), (true, 3_000)] {
        let mut server = Server::start().await;
        let (mut ada, _bo, id) = timed_match(&server, minutes).await;
        tokio::time::sleep(thinking).await;
        if is_killed {
            server.kill().await;
        } else {
            assert_eq!(server.terminate().await, Some(0));
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.restart().await;
        ada.reconnect(&server).await;
        let since = AFTER_FIRST_MOVES;
        ada.request(RequestBody::Resume { id, since })
            .await
            .expect("to go on");
        let resumed = ada
            .until(id, "the note of the restart", |frame| {
                matches!(frame.timed.event, Event::Resumed { .. })
            })
            .await;
        let left = resumed.state.clocks.expect("clocks run").creator_ms;
        let spent = 600_000 - left.expect("a person's clock");
        let least = 6_000 - lost_ms;
        assert!(
            (least..8_000).contains(&spent),
            "killed: {is_killed}, spent: {spent} ms"
        );
    }
}

#[tokio::test]
async fn a_move_made_while_the_server_is_away_counts_after_its_restart() {
    let mut server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let timed = MatchSetup {
        time: TIMED,
        ..match_setup("nim", "3,4,5")
    };
    let (id, code) = ada.create(timed).await;
    bo.join(code).await;
    play_first_moves(&mut ada, &mut bo, id).await;
    server.kill().await;
    server.restart().await;
    bo.reconnect(&server).await;
    let since = AFTER_FIRST_MOVES;
    bo.request(RequestBody::Resume { id, since })
        .await
        .expect("to go on");
    bo.until(id, "the note of the restart", |frame| {
        matches!(frame.timed.event, Event::Resumed { .. })
    })
    .await;
    // Ada's client kept the move, which answers the version before the restart's event.
    ada.reconnect(&server).await;
    let play = Action::Play {
        expecting: since,
        text: "take 1 from 1".to_owned(),
    };
    let body = RequestBody::Act { id, action: play };
    let played = ada.request(body).await.expect("it is not stale");
    assert_eq!(played.version, Some(Version(6)));
}

#[tokio::test]
async fn chat_stays_in_its_channel_and_can_be_muted() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let mut eve = TestClient::connect(&server, "Eve").await;
    let private = MatchSetup {
        visibility: Visibility::Private,
        ..match_setup("nim", "3,4,5")
    };
    let (id, code) = ada.create(private).await;
    bo.join(code).await;
    eve.spectate(code).await;
    let say = |words| RequestBody::Chat { id, draft: words };
    let text = |text: &str| say(ChatDraft::Text(text.to_owned()));
    eve.request(text("who is winning?")).await.expect("words");
    bo.request(text("no idea")).await.expect("words");
    let (by_ada, by_eve) = (heard(&mut ada).await, heard(&mut eve).await);
    assert_eq!(
        (by_ada.channel, by_eve.channel),
        (ChatChannel::Players, ChatChannel::Spectators)
    );
    assert_eq!(by_ada.lines.len(), 1);
    assert_eq!(by_ada.lines[0].name.as_str(), "Bo");
    assert_eq!(by_eve.lines[0].name.as_str(), "Eve");

    let muted = true;
    ada.request(RequestBody::Mute { id, muted })
        .await
        .expect("silence");
    bo.request(text("hello?")).await.expect("words");
    let muted = false;
    // The answer comes after what was said: had it been told, it would be here.
    ada.request(RequestBody::Mute { id, muted })
        .await
        .expect("no silence");
    bo.request(say(ChatDraft::Phrase(ChatPhrase::Bye)))
        .await
        .expect("words");
    let talk = heard(&mut ada).await;
    let last = talk.lines.last().expect("something");
    assert_eq!(last.content, ChatContent::Phrase(ChatPhrase::Bye));

    // All at once, because the client would wait and ask again as it is told to; as many as may be under way.
    for number in 0..7 {
        let oh = json!({"type": "chat", "id": format!("oh{number}"), "match": id, "phrase": "oh"});
        eve.send_text(&oh.to_string())
            .await
            .expect("the connection lasts");
    }
    let refused = with_timeout("a limit", eve.next_refusal()).await;
    assert_eq!(refused.reason, RefusalReason::ChatTooFast);
    assert!(refused.retry && refused.message.contains("at most 5"));
}
