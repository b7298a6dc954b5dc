//! Rematches, with sides swapped.

use std::time::Duration;

use fibfob_games::Level;
use fibfob_protocol::{
    Action, MatchSetup, PhaseView, RefusalReason, RematchView, RequestBody, Seat, TimeControl,
    Version,
};
use fibfob_tests::{Server, TestClient, against_bot, match_setup};

#[tokio::test]
async fn a_rematch_is_offered_and_accepted_and_the_other_player_moves_first() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("nim", "3,4,5")).await;
    bo.join(code).await;
    assert_eq!(
        ada.refused(RequestBody::Act {
            id,
            action: Action::OfferRematch
        })
        .await,
        RefusalReason::NotOver
    );
    bo.request(RequestBody::Act {
        id,
        action: Action::Resign,
    })
    .await
    .expect("to resign");
    assert_eq!(ada.winner(id).await, Seat::Creator);
    assert_eq!(
        ada.refused(RequestBody::Act {
            id,
            action: Action::AcceptRematch
        })
        .await,
        RefusalReason::NoRematchOffered
    );
    bo.request(RequestBody::Act {
        id,
        action: Action::OfferRematch,
    })
    .await
    .expect("an offer");
    let next = ada
        .request(RequestBody::Act {
            id,
            action: Action::AcceptRematch,
        })
        .await
        .expect("a rematch")
        .next
        .expect("an accepted rematch says where");
    bo.until(id, "the agreement", |frame| {
        matches!(&frame.state.phase, PhaseView::Over { rematch: Some(RematchView::Agreed { next: told }), .. } if *told == next)
    })
    .await;
    for client in [&mut ada, &mut bo] {
        let since = fibfob_protocol::Version(0);
        client
            .request(RequestBody::Resume { id: next.id, since })
            .await
            .expect("the seat");
    }
    let frame = bo
        .turn_of(next.id, Seat::Joiner)
        .await
        .expect("Bo begins now");
    assert_eq!(frame.state.position, "3,4,5");
    bo.play(next.id, "take 2 from 1").await.expect("a move");
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

#[tokio::test]
async fn the_bot_agrees_to_a_rematch() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (id, _) = ada
        .create(against_bot(Level::Casual, match_setup("nim", "3,4,5")))
        .await;
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
    ada.until(id, "the bot's yes", |frame| {
        matches!(
            frame.state.phase,
            PhaseView::Over {
                rematch: Some(RematchView::Agreed { .. }),
                ..
            }
        )
    })
    .await;
}
