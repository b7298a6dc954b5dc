//! The client library follows several matches at once, across a kill of the server; its examples run.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_client::{Client, ClientConfig, ClientEvent};
use fibfob_games::{Level, Position, random_move};
use fibfob_protocol::{
    Action, LobbyEntry, MatchId, MoveOrder, PhaseView, Player, RequestBody, Seat, Version,
};
use fibfob_tests::{Server, TestClient, against_bot, match_setup, program, with_timeout};
use tokio::process::Command;

#[tokio::test]
async fn one_client_plays_two_matches_to_the_end_without_a_gap_although_the_server_is_killed() {
    let mut server = Server::start().await;
    let address = format!("ws://{}", server.address());
    let mut config = ClientConfig::new(address.parse().unwrap());
    config.name = Some("Ada".to_owned());
    let mut client = Client::connect(config);
    for _ in 0..2 {
        let setup = against_bot(Level::Casual, match_setup("nim", "3,4,5"));
        client.request(RequestBody::Create(setup)).await.unwrap();
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
                if client.is_my_turn(&update) {
                    let position = Position::read(update.state.game, &update.state.position);
                    let text = random_move(&position.unwrap(), &mut rand::rng()).unwrap();
                    client.play(&update, text).await.unwrap();
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

/// What an example of the library prints.
async fn example(name: &str, args: &[&str]) -> String {
    let program = program(&format!("examples/{name}"));
    let ran = Command::new(program).args(args).kill_on_drop(true).output();
    let ran = with_timeout(name, ran).await.unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{name}: {said}");
    String::from_utf8(ran.stdout).unwrap()
}

#[tokio::test]
async fn the_examples_of_the_library_play_and_watch_matches_to_the_end() {
    let server = Server::start().await;
    let url = format!("http://{}", server.address());
    let bot = example("bot", &[url.as_str()]).await;
    assert!(bot.ends_with(" has won\n"), "{bot}");
    let two = example("two_matches", &[url.as_str()]).await;
    let mut games: Vec<&str> = two
        .lines()
        .filter_map(|it| Some(it.split_once(':')?.0))
        .collect();
    games.sort_unstable();
    assert_eq!(games, ["kayles", "nim"], "{two}");
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (id, code) = ada
        .create(against_bot(Level::Perfect, match_setup("nim", "1")))
        .await;
    let code = code.to_string();
    ada.turn_of(id, Seat::Creator).await.expect("Ada begins");
    ada.play(id, "take 1 from 1").await.unwrap();
    let watched = example("spectator", &[url.as_str(), &code]).await;
    assert_eq!(watched, "creator: take 1 from 1\nthe creator has won\n");
}

/// Receives until a match that is not `before` is open in the lobby.
async fn open_besides(client: &mut TestClient, before: Option<&LobbyEntry>) -> LobbyEntry {
    let is_next = |entry: &&LobbyEntry| before.is_none_or(|before| entry.code != before.code);
    with_timeout("an open match", async {
        loop {
            let mut open = client.lobby.iter().flat_map(|lobby| &lobby.open);
            if let Some(next) = open.find(is_next) {
                return next.clone();
            }
            client.receive().await.expect("the connection lasts");
        }
    })
    .await
}

#[tokio::test]
async fn the_host_of_the_library_plays_whoever_joins_and_opens_the_next_match() {
    let server = Server::start().await;
    let mut host = Command::new(program("examples/host"));
    let url = format!("http://{}", server.address());
    let _host = host.arg(url).kill_on_drop(true).spawn().unwrap();
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (watch, page) = (true, 0);
    ada.request(RequestBody::Lobby { watch, page })
        .await
        .unwrap();
    let first = open_besides(&mut ada, None).await;
    let is_named = |program: &fibfob_protocol::Program| program.author() == Some("Cy Carter");
    assert!(
        matches!(&first.creator, Player::Program { program, .. } if is_named(program)),
        "{:?}",
        first.creator
    );
    let id = ada.join(first.code).await;
    let next = open_besides(&mut ada, Some(&first)).await;
    assert_eq!(next.creator, first.creator);
    let order = MoveOrder::First;
    ada.request(RequestBody::Act {
        id,
        action: Action::Choose { order },
    })
    .await
    .unwrap();
    while let Some(shown) = ada.turn_of(id, Seat::Joiner).await {
        let position = Position::read(shown.state.game, &shown.state.position);
        let text = random_move(&position.unwrap(), &mut rand::rng()).unwrap();
        ada.play(id, &text.to_string()).await.unwrap();
    }
    ada.winner(id).await;
}
