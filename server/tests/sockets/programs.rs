//! Programs among the players: how they are shown, and the seats that they may take.

use fibfob_protocol::{MatchSetup, Opponent, Player, RefusalReason, RequestBody, Seat};
use fibfob_server::Config;
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::fixture::TestServer;
use crate::{join, nim};

#[tokio::test]
async fn a_program_takes_a_seat_only_where_it_was_meant_to() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut seeker = server.connect_program("Seeker").await;
    for (opponent, programs, is_taken) in [
        (Opponent::Open, false, false),
        (Opponent::Open, true, true),
        (Opponent::Friend, false, true),
    ] {
        let setup = MatchSetup {
            programs,
            ..nim("3,4,5", opponent)
        };
        let made = ada.request(RequestBody::Create(setup)).await.unwrap();
        match seeker.request(join(made.code.unwrap())).await {
            Ok(accepted) => assert!(is_taken && accepted.seat == Some(Seat::Joiner)),
            Err(refused) => {
                assert!(!is_taken && refused.reason == RefusalReason::NotForPrograms);
                assert!(refused.message.contains("programs"), "{}", refused.message);
            }
        }
    }
}

#[tokio::test]
async fn a_program_is_shown_as_one_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let store = || Store::new(Sqlite::open(&path).unwrap());
    let server = TestServer::over(store(), Config::default()).await;
    let mut seeker = server.connect_program("Seeker").await;
    let token = seeker.token();
    let setup = nim("3,4,5", Opponent::Open);
    let made = seeker.request(RequestBody::Create(setup)).await.unwrap();
    let mut bo = server.connect("Bo").await;
    bo.request(join(made.code.unwrap())).await.unwrap();
    let seen = bo.frame(2).await.state.players.creator;
    assert!(matches!(&seen, Player::Program { guest, name, program }
        if *guest == seeker.guest() && name.as_str() == "Seeker" && program.url().is_some()));
    server.stop().await;

    let server = TestServer::over(store(), Config::default()).await;
    let mut back = server.connect_as("Seeker", token).await;
    let since = fibfob_protocol::Version(0);
    let id = made.match_id.unwrap();
    back.request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    assert_eq!(back.snapshot().await.state.players.creator, seen);
}
