//! A bot that joins the given matches and plays random moves in all of them at once.
//!
//! `cargo run -p fibfob-client --example random_bot -- http://127.0.0.1:7171 K7M2QX T4W9BD`

use std::collections::BTreeSet;
use std::error::Error;

use fibfob_client::{Client, ClientConfig, ClientEvent, MatchUpdate, ServerUrl};
use fibfob_games::{Position, random_move};
use fibfob_protocol::{Action, GuestId, MoveOrder, PhaseView, RequestBody};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let server: ServerUrl = args.next().unwrap_or_default().parse()?;
    let mut config = ClientConfig::new(server);
    config.name = Some("random bot".to_owned());
    let mut client = Client::connect(config);
    let mut joined = 0;
    for code in args {
        client.request(RequestBody::Join { code })?;
        joined += 1;
    }
    let mut guest = None;
    let mut finished = BTreeSet::new();
    while let Some(event) = client.next_event().await {
        match event {
            ClientEvent::Connected { welcome, .. } => guest = Some(welcome.guest),
            ClientEvent::Update(update) => {
                if let PhaseView::Over { winner, .. } = update.state.phase {
                    println!("{}: the {winner} has won", update.code);
                    let id = update.match_id;
                    client.request(RequestBody::Act {
                        id,
                        action: Action::Leave,
                    })?;
                    finished.insert(id);
                    if finished.len() == joined {
                        break;
                    }
                }
                if let Some(request) = guest.and_then(|guest| reply(&update, guest)) {
                    client.request(request)?;
                }
            }
            ClientEvent::Refused { answer, .. } => eprintln!("refused: {}", answer.message),
            ClientEvent::Disconnected { cause, .. } => eprintln!("disconnected: {cause}"),
            ClientEvent::Stopped(reason) => return Err(reason.into()),
            _ => {}
        }
    }
    client.close().await;
    Ok(())
}

/// The bot's request in this state of a match: a move if it is its turn, and to move first if
/// that is its choice.
fn reply(update: &MatchUpdate, guest: GuestId) -> Option<RequestBody> {
    let (id, seat) = (update.match_id, update.seat_of(guest)?);
    match update.state.phase {
        PhaseView::Choosing { chooser, .. } if chooser == seat => Some(RequestBody::Act {
            id,
            action: Action::Choose {
                order: MoveOrder::First,
            },
        }),
        PhaseView::Playing { turn, .. } if turn == seat => {
            let position = Position::read(update.state.game, &update.state.position).ok()?;
            Some(RequestBody::Act {
                id,
                action: Action::Play {
                    expecting: update.version,
                    text: random_move(&position, &mut rand::rng())?.to_string(),
                },
            })
        }
        _ => None,
    }
}
