//! Is an opponent that people choose by its name, and plays each match: `opponent http://127.0.0.1:7171 Seeker`
use fibfob_client::protocol::{Program, ProgramGame};
use fibfob_client::{Client, ClientConfig, ClientEvent, Level, Position, RequestBody, choose_move};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut config = ClientConfig::new(args.next().unwrap_or_default().parse()?);
    config.name = Some(args.next().unwrap_or("Seeker".to_owned()));
    config.program = Some(Program::default());
    let mut client = Client::connect(config);
    let games = vec![
        ProgramGame::any_start("nim"),
        ProgramGame::any_start("kayles"),
    ];
    while let Some(event) = client.next_event().await {
        match event {
            // With each connection anew: the server forgets who has gone.
            ClientEvent::Connected { .. } => {
                let games = games.clone();
                client.request(RequestBody::Register { games }).await?;
            }
            ClientEvent::Offer(offer) => {
                let (id, take) = (offer.match_id, offer.terms.start.len() < 100);
                client
                    .request(RequestBody::AnswerOffer { id, take })
                    .await?;
            }
            ClientEvent::Update(update) if client.is_my_turn(&update) => {
                let position = Position::read(update.state.game, &update.state.position)?;
                let best = choose_move(&position, Level::Strong, &mut rand::rng());
                if let Some(best) = best {
                    client.play(&update, best).await?;
                }
            }
            ClientEvent::Refused { answer, .. } => eprintln!("refused: {}", answer.message),
            ClientEvent::Stopped(reason) => return Err(reason.into()),
            _ => {}
        }
    }
    Ok(())
}
