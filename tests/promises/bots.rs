//! The bot never loses a won position, and every level keeps to the rules.

use fibfob_games::{GameId, Level, Outcome, Ranges};
use fibfob_protocol::{EndReason, FirstMoveRule, PhaseView, Seat};
use fibfob_tests::{Server, TestClient, against_bot, match_setup};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::play::{Hand, play_out};

const STARTS_PER_GAME: usize = 6;

#[tokio::test]
async fn the_perfect_bot_beats_a_random_player_from_every_won_start() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut rng = StdRng::seed_from_u64(17);
    for game in GameId::ALL {
        for round in 0..STARTS_PER_GAME {
            let start = game.random_start(&Ranges::default(), &mut rng).unwrap();
            // The bot gets whichever seat the theory gives the win to.
            let first = match start.solve().outcome {
                Some(Outcome::N) => FirstMoveRule::Other,
                Some(Outcome::P) => FirstMoveRule::Me,
                None => panic!("{game} {start}: a match starts only where the solver knows"),
            };
            let wanted = fibfob_protocol::MatchSetup {
                first,
                ..against_bot(Level::Perfect, match_setup(game.id(), &start.to_string()))
            };
            let (id, _) = ada.create(wanted).await;
            let mut hand = Hand::random(round as u64);
            let winner = play_out(&mut ada, id, Seat::Creator, &mut hand).await;
            assert_eq!(
                winner,
                Seat::Joiner,
                "{game} {start}: the bot gave a win away"
            );
            ada.request(fibfob_protocol::RequestBody::Leave { id })
                .await
                .expect("to leave");
        }
    }
}

#[tokio::test]
async fn every_level_plays_legal_moves_to_the_end() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut rng = StdRng::seed_from_u64(18);
    for level in [Level::Perfect, Level::Strong, Level::Casual, Level::Novice] {
        for game in GameId::ALL {
            let start = game.random_start(&Ranges::default(), &mut rng).unwrap();
            let (id, _) = ada
                .create(against_bot(
                    level,
                    match_setup(game.id(), &start.to_string()),
                ))
                .await;
            play_out(&mut ada, id, Seat::Creator, &mut Hand::careless(5)).await;
            let PhaseView::Over { reason, .. } = ada.newest[&id].state.phase else {
                panic!("the match is over")
            };
            assert_eq!(reason, EndReason::NoMoveLeft, "nobody resigned");
            replays_legally(&ada, id, &start);
            ada.request(fibfob_protocol::RequestBody::Leave { id })
                .await
                .expect("to leave");
        }
    }
}

/// Plays the seen moves by the rules alone, from `start` to the position shown.
fn replays_legally(
    client: &TestClient,
    id: fibfob_protocol::MatchId,
    start: &fibfob_games::Position,
) {
    let mut position = start.clone();
    for event in client.events(id) {
        if let Some(text) = event["move"].as_str() {
            let played = position.read_move(text).expect("notation");
            position = position.play(&played).expect("a legal move");
        }
    }
    assert_eq!(position.to_string(), client.newest[&id].state.position);
    assert!(position.is_terminal());
}
