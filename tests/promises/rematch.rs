//! Rematches, with sides swapped.

use fibfob_games::Level;
use fibfob_protocol::{Action, PhaseView, RefusalReason, RematchView, RequestBody, Seat};
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
