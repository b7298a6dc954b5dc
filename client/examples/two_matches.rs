//! Plays two matches against the server's bot at once, also across a restart of the server:
//! `two_matches http://127.0.0.1:7171`
use std::collections::BTreeSet;

use fibfob_client::{Client, ClientConfig, ClientEvent, Level, MatchSetup, Opponent};
use fibfob_client::{PhaseView, Position, RequestBody, choose_move};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = std::env::args().nth(1).unwrap_or_default().parse()?;
    let mut client = Client::connect(ClientConfig::new(server));
    for game in ["nim", "kayles"] {
        let setup = MatchSetup::new(game).opponent(Opponent::Bot(Level::Casual));
        client.request(RequestBody::Create(setup)).await?;
    }
    let mut over = BTreeSet::new();
    while over.len() < 2 {
        match client.next_event().await {
            Some(ClientEvent::Update(update)) => {
                if let PhaseView::Over { winner, .. } = update.state.phase {
                    println!("{}: the {winner} has won", update.state.game);
                    over.insert(update.match_id);
                } else if client.is_my_turn(&update) {
                    let position = Position::read(update.state.game, &update.state.position)?;
                    let level = Level::Perfect;
                    if let Some(best) = choose_move(&position, level, &mut rand::rng()) {
                        client.play(&update, best).await?;
                    }
                }
            }
            Some(ClientEvent::Refused { answer, .. }) => eprintln!("refused: {}", answer.message),
            Some(ClientEvent::Disconnected { cause, .. }) => eprintln!("disconnected: {cause}"),
            Some(ClientEvent::Stopped(reason)) => return Err(reason.into()),
            Some(_) => {}
            None => break,
        }
    }
    client.close().await;
    Ok(())
}
