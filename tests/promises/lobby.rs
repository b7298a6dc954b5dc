//! The lobby lists the matches that anybody may join or watch.

use fibfob_games::Level;
use fibfob_protocol::{Code, LobbyList, MatchSetup, Opponent, RequestBody, Visibility};
use fibfob_tests::{Server, TestClient, against_bot, match_setup, with_timeout};

async fn until(client: &mut TestClient, what: &str, wanted: impl Fn(&LobbyList) -> bool) {
    with_timeout(what, async {
        while !client.lobby.as_ref().is_some_and(&wanted) {
            client.receive().await.expect("the connection lasts");
        }
    })
    .await;
}

fn open(lobby: &LobbyList, code: Code) -> bool {
    lobby.open.iter().any(|entry| entry.code == code)
}

fn playing(lobby: &LobbyList, code: Code) -> bool {
    lobby.playing.iter().any(|entry| entry.code == code)
}

#[tokio::test]
async fn private_matches_and_unlisted_seats_are_not_in_the_lobby_but_can_be_joined_by_code() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let private = MatchSetup {
        visibility: Visibility::Private,
        ..match_setup("nim", "3,4,5")
    };
    let friends = MatchSetup {
        opponent: Opponent::Friend,
        ..match_setup("nim", "3,4,5")
    };
    let secret_bot = against_bot(Level::Novice, private.clone());
    let (_, private) = ada.create(private).await;
    let (_, friends) = ada.create(friends).await;
    let (_, secret_bot) = ada.create(secret_bot).await;
    let (_, marker) = ada.create(match_setup("nim", "1,2")).await;
    ada.request(RequestBody::Lobby {
        watch: true,
        page: 0,
    })
    .await
    .expect("the lobby");
    until(&mut ada, "the marker", |lobby| open(lobby, marker)).await;
    let lobby = ada.lobby.clone().unwrap();
    for hidden in [private, friends, secret_bot] {
        assert!(!open(&lobby, hidden) && !playing(&lobby, hidden));
    }
    let mut bo = TestClient::connect(&server, "Bo").await;
    bo.spectate(private).await;
    bo.join(friends).await;
}

#[tokio::test]
async fn the_lobby_is_restored_after_a_kill() {
    let mut server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (_, waiting) = ada.create(match_setup("nim", "3,4,5")).await;
    let (_, begun) = ada.create(match_setup("nim", "3,4,5")).await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    bo.join(begun).await;
    server.kill().await;
    server.restart().await;
    bo.reconnect(&server).await;
    bo.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .expect("the lobby");
    until(&mut bo, "both matches", |lobby| {
        open(lobby, waiting) && playing(lobby, begun)
    })
    .await;
    bo.join(waiting).await;
}
