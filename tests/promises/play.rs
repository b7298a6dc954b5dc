//! Plays a seat to the end by a rule for choosing moves.

use fibfob_games::{Level, Move, Position, choose_move, random_move};
use fibfob_protocol::{MatchId, Seat};
use fibfob_tests::{ShownEvent, TestClient};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// How a seat chooses its moves.
pub enum Hand {
    /// As the solver does.
    Perfect(StdRng),
    /// Any legal move.
    Random(StdRng),
    /// Any legal move, but seldom one that wins: no bot gives up against it.
    Careless(StdRng),
}

impl Hand {
    pub fn perfect(seed: u64) -> Self {
        Self::Perfect(StdRng::seed_from_u64(seed))
    }

    pub fn random(seed: u64) -> Self {
        Self::Random(StdRng::seed_from_u64(seed))
    }

    pub fn careless(seed: u64) -> Self {
        Self::Careless(StdRng::seed_from_u64(seed))
    }

    pub fn choose(&mut self, frame: &ShownEvent) -> String {
        let position = position_of(frame);
        match self {
            Self::Perfect(rng) => choose_move(&position, Level::Perfect, rng),
            Self::Random(rng) => random_move(&position, rng),
            Self::Careless(rng) => {
                let winning = position.solve().winning;
                let mut drawn = (0..8).filter_map(|_| random_move(&position, rng));
                let loses = |mv: &Move| !winning.contains(&mv.to_string());
                drawn.find(loses).or_else(|| {
                    winning
                        .iter()
                        .next()
                        .and_then(|mv| position.read_move(&mv).ok())
                })
            }
        }
        .expect("a match in play has a legal move")
        .to_string()
    }
}

pub fn position_of(frame: &ShownEvent) -> Position {
    Position::read(frame.state.game, &frame.state.position).expect("the server writes notation")
}

/// Plays `seat` to the end of the match, and gives the winner.
pub async fn play_out(client: &mut TestClient, id: MatchId, seat: Seat, hand: &mut Hand) -> Seat {
    while let Some(frame) = client.turn_of(id, seat).await {
        let text = hand.choose(&frame);
        client.play(id, &text).await.expect("a legal move in turn");
    }
    client.winner(id).await
}
