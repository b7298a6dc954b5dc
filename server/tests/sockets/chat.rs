//! Chat: its rate is a person's and an address's, and what is muted stays so.

use fibfob_protocol::{
    ChatDraft, ChatPhrase, CommandId, MatchId, Opponent, RefusalReason, RequestBody, Version,
};

use crate::fixture::{Client, TestServer};
use crate::{join, nim, unhurried};

/// The lines that each connection tries to say.
const TRIES: usize = 10;

fn say(id: MatchId) -> RequestBody {
    let draft = ChatDraft::Phrase(ChatPhrase::Oh);
    RequestBody::Chat { id, draft }
}

async fn playing(server: &TestServer) -> (Client, Client, MatchId) {
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let create = RequestBody::Create(nim("3,4", Opponent::Open));
    let made = ada.request(create).await.unwrap();
    bo.request(join(made.code.unwrap())).await.unwrap();
    (ada, bo, made.match_id.unwrap())
}

/// Says something again and again; returns how often it was accepted.
async fn talk(clients: &mut [Client], id: MatchId) -> usize {
    let mut said = 0;
    for client in clients {
        for _ in 0..TRIES {
            match client.request(say(id)).await {
                Ok(_) => said += 1,
                Err(refused) => assert_eq!(refused.reason, RefusalReason::ChatTooFast),
            }
        }
    }
    said
}

#[tokio::test]
async fn a_guest_says_no_more_on_many_connections_than_on_one() {
    let server = TestServer::start(unhurried()).await;
    let (ada, _bo, id) = playing(&server).await;
    let mut devices = Vec::new();
    for _ in 0..12 {
        devices.push(server.connect_as("Ada", ada.token()).await);
    }
    let began = tokio::time::Instant::now();
    let said = talk(&mut devices, id).await;
    let seconds = began.elapsed().as_secs() as usize + 1;
    assert!((5..=5 + seconds).contains(&said), "{said} in {seconds} s");
    // Nor after it has come back with new ones.
    drop(devices);
    let mut again = [server.connect_as("Ada", ada.token()).await];
    let said = said + talk(&mut again, id).await;
    let seconds = began.elapsed().as_secs() as usize + 1;
    assert!(said <= 5 + seconds, "{said} in {seconds} s");
    server.stop().await;
}

#[tokio::test]
async fn the_spectators_of_one_address_share_what_they_say_in_a_match() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, _bo, id) = playing(&server).await;
    let mut watching = Vec::new();
    for _ in 0..12 {
        watching.push(server.connect("Eve").await);
    }
    let began = tokio::time::Instant::now();
    let said = talk(&mut watching, id).await;
    let seconds = began.elapsed().as_secs() as usize + 1;
    assert!(
        (10..=10 + 2 * seconds).contains(&said),
        "{said} in {seconds} s"
    );
    ada.request(say(id))
        .await
        .expect("a player is no spectator");
    server.stop().await;
}

#[tokio::test]
async fn a_repeated_line_costs_nothing() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, _bo, id) = playing(&server).await;
    let first = CommandId::fresh();
    ada.request_as(first.clone(), say(id)).await.unwrap();
    talk(std::slice::from_mut(&mut ada), id).await;
    ada.request_as(first, say(id)).await.expect("it was said");
    server.stop().await;
}

#[tokio::test]
async fn a_muted_chat_stays_muted_on_the_next_connection() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, mut bo, id) = playing(&server).await;
    let mute = |muted| RequestBody::Mute { id, muted };
    let since = Version(0);
    ada.request(mute(true)).await.unwrap();
    bo.request(say(id)).await.unwrap();
    let mut again = server.connect_as("Ada", ada.token()).await;
    drop(ada);
    let resumed = again
        .request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    assert!(resumed.muted, "and the client is told");
    again.snapshot().await;
    again.query(RequestBody::Identity { renew: false }).await;
    assert!(!again.has_chat());
    again.request(mute(false)).await.unwrap();
    let mut last = server.connect_as("Ada", again.token()).await;
    let resumed = last
        .request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    assert!(!resumed.muted);
    bo.request(say(id)).await.unwrap();
    assert_eq!(last.chat().await.lines[0].name.as_str(), "Bo");
    server.stop().await;
}
