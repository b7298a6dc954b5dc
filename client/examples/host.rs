//! Keeps a match open in the lobby, opens the next one when somebody joins, and plays them all:
//! `host http://127.0.0.1:7171 Seeker`
use fibfob_client::protocol::{FirstMoveRule, Program, TimeControl};
use fibfob_client::{Client, ClientConfig, ClientEvent, Level, MatchId, MatchSetup};
use fibfob_client::{PhaseView, Position, RequestBody, ServerMessage, choose_move};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut config = ClientConfig::new(args.next().unwrap_or_default().parse()?);
    config.name = Some(args.next().unwrap_or("Seeker".to_owned()));
    // The lobby and each match show that a program plays, and whose it is.
    let (author, url) = ("Cy Carter", "https://seeker.example/about");
    config.program = Some(Program::new(Some(author.to_owned()), Some(url.to_owned()))?);
    let mut client = Client::connect(config);
    let mut open = Some(open_next(&mut client).await?);
    while let Some(event) = client.next_event().await {
        let update = match event {
            ClientEvent::Update(update) => update,
            ClientEvent::Stopped(reason) => return Err(reason.into()),
            _ => continue,
        };
        let is_over = match update.state.phase {
            PhaseView::Over { .. } | PhaseView::Closed { .. } => true,
            PhaseView::Open => continue,
            _ => false,
        };
        // While the program has as many matches as it may, the next one waits until one is over.
        if open == Some(update.match_id) || open.is_none() && is_over {
            open = open_next(&mut client).await.ok();
        }
        if client.is_my_turn(&update) {
            let position = Position::read(update.state.game, &update.state.position)?;
            if let Some(best) = choose_move(&position, Level::Strong, &mut rand::rng()) {
                client.play(&update, best).await?;
            }
        }
    }
    Ok(())
}

/// Opens a match to anybody, in which the player who joins sees the start and chooses who moves first. Its clock
/// ends the match of a player who has gone.
async fn open_next(client: &mut Client) -> Result<MatchId, Box<dyn std::error::Error>> {
    let setup = MatchSetup {
        first: FirstMoveRule::Choose,
        time: TimeControl::Match {
            initial_ms: 300_000,
            increment_ms: 3_000,
        },
        ..MatchSetup::new("nim")
    };
    match client.ask(RequestBody::Create(setup)).await? {
        ServerMessage::Accepted(answer) => Ok(answer.match_id.ok_or("it names no match")?),
        other => Err(format!("not the answer to `create`: {other:?}").into()),
    }
}
