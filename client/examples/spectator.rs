//! Watches a match from its first move to its end: `spectator http://127.0.0.1:7171 K7M2QX`
use fibfob_client::protocol::Event;
use fibfob_client::{Client, ClientConfig, ClientEvent, PhaseView, RequestBody};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let server = args.next().unwrap_or_default().parse()?;
    let code = args.next().ok_or("expected a server and a match's code")?;
    let mut client = Client::connect(ClientConfig::new(server));
    client.ask(RequestBody::Spectate { code }).await?;
    while let Some(event) = client.next_event().await {
        let ClientEvent::Update(update) = event else {
            continue;
        };
        for event in &update.events {
            if let Event::Moved { seat, text, .. } = &event.event {
                println!("{seat}: {text}");
            }
        }
        if let PhaseView::Over { winner, .. } = update.state.phase {
            println!("the {winner} has won");
            break;
        }
    }
    client.close().await;
    Ok(())
}
