//! The client library follows several matches at once, across a kill of the server.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_client::{Client, ClientConfig, ClientEvent, MatchUpdate};
use fibfob_games::{Level, Position, random_move};
use fibfob_protocol::{Action, GuestId, MatchId, PhaseView, RequestBody, Version};
use fibfob_tests::{Server, against_bot, match_setup, with_timeout};

/// A random move, if it is the guest's turn.
fn reply(update: &MatchUpdate, guest: GuestId) -> Option<RequestBody> {
    let PhaseView::Playing { turn, .. } = update.state.phase else {
        return None;
    };
    let position = Position::read(update.state.game, &update.state.position).ok()?;
    let text = random_move(&position, &mut rand::rng())?.to_string();
    (update.seat_of(guest) == Some(turn)).then_some(RequestBody::Act {
        id: update.match_id,
        action: Action::Play {
            expecting: update.version,
            text,
        },
    })
}

#[tokio::test]
async fn one_client_plays_two_matches_to_the_end_without_a_gap_although_the_server_is_killed() {
    let mut server = Server::start().await;
    let address = format!("ws://{}", server.address());
    let mut config = ClientConfig::new(address.parse().unwrap());
    config.name = Some("Ada".to_owned());
    let mut client = Client::connect(config);
    for _ in 0..2 {
        let setup = against_bot(Level::Casual, match_setup("nim", "3,4,5"));
        client.request(RequestBody::Create(setup)).unwrap();
    }
    let mut guests = BTreeSet::new();
    let mut seen: BTreeMap<MatchId, Version> = BTreeMap::new();
    let mut over = BTreeSet::new();
    let mut killed = false;
    while over.len() < 2 {
        let event = with_timeout("an event", client.next_event()).await;
        match event.expect("the client goes on") {
            ClientEvent::Connected { welcome, .. } => _ = guests.insert(welcome.guest),
            ClientEvent::Update(update) => {
                let seen = seen.entry(update.match_id).or_default();
                for event in &update.events {
                    assert_eq!(event.version, seen.next());
                    *seen = event.version;
                }
                if matches!(update.state.phase, PhaseView::Over { .. }) {
                    over.insert(update.match_id);
                }
                let guest = *guests.first().expect("the welcome comes first");
                if let Some(request) = reply(&update, guest) {
                    client.request(request).unwrap();
                    if !killed {
                        killed = true;
                        server.kill().await;
                        server.restart().await;
                    }
                }
            }
            ClientEvent::Refused { answer, .. } => panic!("{answer:?}"),
            ClientEvent::Stopped(reason) => panic!("{reason}"),
            _ => {}
        }
    }
    assert!(killed && guests.len() == 1, "it is the same guest");
    client.close().await;
}
