//! Plays against the server's novice, and says who has won: `bot http://127.0.0.1:7171 nim`
use fibfob_client::{Client, ClientConfig, ClientEvent, Level, MatchSetup, Opponent};
use fibfob_client::{PhaseView, Position, RequestBody, choose_move};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let server = args.next().unwrap_or_default().parse()?;
    let game = args.next().unwrap_or("nim".to_owned());
    let mut client = Client::connect(ClientConfig::new(server));
    let setup = MatchSetup::new(game).opponent(Opponent::Bot(Level::Novice));
    client.ask(RequestBody::Create(setup)).await?;
    while let Some(event) = client.next_event().await {
        let ClientEvent::Update(update) = event else {
            continue;
        };
        if let PhaseView::Over { winner, .. } = update.state.phase {
            println!("the {winner} has won");
            break;
        }
        let position = Position::read(update.state.game, &update.state.position)?;
        let best = choose_move(&position, Level::Perfect, &mut rand::rng());
        if let (true, Some(best)) = (client.is_my_turn(&update), best) {
            client.play(&update, best).await?;
        }
    }
    client.close().await;
    Ok(())
}
