//! Moving to another device: codes, the identity they carry, and signing out other devices.

use std::path::Path;

use fibfob_protocol::{CommandId, Identity, Opponent, RefusalReason, RequestBody, ServerMessage};
use fibfob_server::Config;
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Client, TestServer};
use crate::{join, nim, unhurried};

async fn code_of(client: &mut Client) -> String {
    match client.query(RequestBody::DeviceCode).await {
        ServerMessage::DeviceCode(code) => code.code,
        other => panic!("{other:?}"),
    }
}

/// Asks for an identity.
async fn identity(client: &mut Client, body: RequestBody) -> Result<Identity, RefusalReason> {
    match client.query(body).await {
        ServerMessage::Identity(identity) => Ok(identity),
        ServerMessage::Refused(refused) => Err(refused.reason),
        other => panic!("{other:?}"),
    }
}

async fn ask(client: &mut Client, code: &str, agree: bool) -> Result<Identity, RefusalReason> {
    let code = code.to_owned();
    identity(client, RequestBody::TakeIdentity { code, agree }).await
}

async fn take(client: &mut Client, code: &str) -> Result<Identity, RefusalReason> {
    ask(client, code, true).await
}

async fn own(client: &mut Client, renew: bool) -> String {
    let own = identity(client, RequestBody::Identity { renew }).await;
    own.unwrap().token.unwrap()
}

/// The reason for which `hello` with this token is refused.
async fn refused_hello(server: &TestServer, token: &str) -> RefusalReason {
    let hello = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
    server
        .open()
        .await
        .refused(Message::text(hello))
        .await
        .reason
}

#[tokio::test]
async fn a_code_carries_the_guest_to_another_device_once() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada
        .request(RequestBody::Create(nim("2,2", Opponent::Open)))
        .await
        .unwrap();
    bo.request(join(made.code.unwrap())).await.unwrap();
    let code = code_of(&mut ada).await;

    let mut phone = server.connect("Phone").await;
    let (command, typed) = (CommandId::fresh(), code.replace('-', " ").to_lowercase());
    let ask = RequestBody::TakeIdentity {
        code: typed,
        agree: true,
    };
    let answer = phone.query_as(command.clone(), ask.clone()).await;
    let ServerMessage::Identity(moved) = &answer else {
        panic!("{answer:?}");
    };
    assert_eq!((moved.guest, moved.name.as_str()), (ada.guest(), "Ada"));
    assert_eq!(phone.query_as(command, ask).await, answer, "a repeat");
    for client in [&mut phone, &mut bo] {
        let taken = take(client, &code).await;
        assert_eq!(taken.unwrap_err(), RefusalReason::NoSuchDeviceCode);
    }

    let token = moved.token.clone().unwrap();
    let mut phone = server.connect_as("Ada", token).await;
    assert_eq!(phone.guest(), ada.guest());
    let listed = phone.matches(false, None).await;
    let id = made.match_id.unwrap();
    assert_eq!(listed.matches[0].place.match_id, id);
    phone.play(id, 2, "take 1 from 1").await.unwrap();
    assert_eq!(own(&mut phone, false).await, ada.token());
    server.stop().await;
}

#[tokio::test]
async fn whoever_has_a_code_can_see_whose_it_is_without_using_it() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut eve) = (server.connect("Ada").await, server.connect("Eve").await);
    let (code, whose) = (code_of(&mut ada).await, ada.guest());
    for client in [&mut eve, &mut ada] {
        let seen = ask(client, &code.to_lowercase(), false).await.unwrap();
        assert_eq!((seen.guest, seen.name.as_str()), (whose, "Ada"));
        assert_eq!(seen.token, None, "nothing is taken");
    }
    let taken = take(&mut eve, &code).await.unwrap();
    assert_eq!(taken.token.unwrap(), ada.token());
    let seen = ask(&mut eve, &code, false).await;
    assert_eq!(
        seen.unwrap_err(),
        RefusalReason::NoSuchDeviceCode,
        "it was used"
    );
    let unused = code_of(&mut ada).await;
    let renewed = own(&mut ada, true).await;
    server.connect_as("Ada", renewed).await;
    let seen = ask(&mut eve, &unused, false).await;
    assert_eq!(
        seen.unwrap_err(),
        RefusalReason::NoSuchDeviceCode,
        "signed out"
    );
    server.stop().await;
}

#[tokio::test]
async fn the_first_use_of_a_renewed_token_signs_out_the_other_devices() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let start = async |path: &Path| {
        TestServer::over(Store::new(Sqlite::open(path).unwrap()), Config::default()).await
    };
    let server = start(&path).await;
    let mut ada = server.connect("Ada").await;
    let mut phone = server.connect_as("Ada", ada.token()).await;
    let unused_code = code_of(&mut phone).await;
    // It could be used later, if it were good by its signature alone.
    let prefetched = own(&mut phone, true).await;
    let renewed = own(&mut ada, true).await;
    assert_ne!(renewed, prefetched);
    let before = own(&mut ada, false).await;
    assert_eq!(before, ada.token(), "nothing has changed yet");

    let mut again = server.connect_as("Ada", renewed.clone()).await;
    assert_eq!(again.guest(), ada.guest());
    assert_eq!((ada.closed().await, phone.closed().await), (1008, 1008));
    for token in [&before, &prefetched] {
        let reason = refused_hello(&server, token).await;
        assert_eq!(reason, RefusalReason::SignedOut);
    }
    let mut other = server.connect("Other").await;
    let taken = take(&mut other, &unused_code).await;
    assert_eq!(taken.unwrap_err(), RefusalReason::NoSuchDeviceCode);
    let own = own(&mut again, false).await;
    assert_eq!(own, renewed);
    server.stop().await;

    let server = start(&path).await;
    let reason = refused_hello(&server, &before).await;
    assert_eq!(reason, RefusalReason::SignedOut, "after a restart");
    server.connect_as("Ada", renewed).await;
    server.stop().await;
}

#[tokio::test]
async fn wrong_codes_of_an_address_are_answered_at_a_bounded_rate() {
    let server = TestServer::start(unhurried()).await;
    let mut eve = server.connect("Eve").await;
    let mut tried = 0;
    let refused = loop {
        // Looking is trying.
        let agree = tried % 2 == 0;
        match ask(&mut eve, "2222-2222-2222", agree).await.unwrap_err() {
            RefusalReason::NoSuchDeviceCode => tried += 1,
            refused => break refused,
        }
    };
    assert_eq!(refused, RefusalReason::TooFast);
    assert!((32..64).contains(&tried), "{tried}");
    let mut again = server.connect("Eve").await;
    let taken = take(&mut again, "2222-2222-2222").await;
    assert_eq!(taken.unwrap_err(), RefusalReason::TooFast, "of one address");
    server.stop().await;
}
