//! Clocks, through a real server that is stopped and started again, and in a rematch.

use std::time::Duration;

use fibfob_protocol::{
    Action, EndReason, Event, MatchId, MatchSetup, PhaseView, RefusalReason, RequestBody, Seat,
    TimeControl, Version,
};
use fibfob_tests::{Server, ShownEvent, TestClient, match_setup};

/// Fifteen seconds for each player, the least that a slow machine surely leaves something of.
const TIMED: TimeControl = TimeControl::Match {
    initial_ms: 15_000,
    increment_ms: 0,
};

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

/// Begins a match under this time control. Ada created it, and it is her turn.
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
    let (mut ada, mut bo, id) = timed_match(&server, TIMED).await;
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
async fn a_rematch_costs_nobody_time_before_their_first_move() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let timed = MatchSetup {
        time: TimeControl::Move { each_ms: 5_000 },
        ..match_setup("nim", "3,4,5")
    };
    let (id, code) = ada.create(timed).await;
    bo.join(code).await;
    let act = |id, action| RequestBody::Act { id, action };
    ada.request(act(id, Action::Resign)).await.expect("an end");
    ada.request(act(id, Action::OfferRematch))
        .await
        .expect("an offer");
    assert_eq!(bo.winner(id).await, Seat::Joiner);
    bo.until(id, "the offer", |frame| {
        matches!(
            &frame.state.phase,
            PhaseView::Over {
                rematch: Some(_),
                ..
            }
        )
    })
    .await;
    let accepted = bo.request(act(id, Action::AcceptRematch)).await;
    let next = accepted.expect("a rematch").next.expect("where").id;
    // Bo looks at it and moves; Ada reads the finished match for longer than a move may take.
    let resume = |since| RequestBody::Resume {
        id: next,
        since: Version(since),
    };
    bo.request(resume(0)).await.expect("the seat");
    bo.turn_of(next, Seat::Joiner)
        .await
        .expect("Bo moves first");
    bo.play(next, "take 1 from 1").await.expect("a move");
    tokio::time::sleep(Duration::from_secs(7)).await;
    let claim = act(next, Action::Claim);
    assert_eq!(bo.refused(claim).await, RefusalReason::NotAwayLongEnough);
    ada.request(resume(0)).await.expect("the seat");
    ada.turn_of(next, Seat::Creator).await.expect("Ada's turn");
    ada.play(next, "take 1 from 2").await.expect("in time");
}
