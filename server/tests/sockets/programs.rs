//! Programs among the players: how they are shown, and the seats that they may take.

use fibfob_protocol::{MatchSetup, Opponent, Player, RefusalReason, RequestBody, Seat, Version};
use fibfob_server::Config;
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::fixture::{Client, TestServer};
use crate::{join, nim};

#[tokio::test]
async fn a_program_takes_a_seat_only_where_it_was_meant_to() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut seeker = server.connect_program("Seeker", None).await;
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

/// The creators of the open matches that the lobby lists.
async fn waiting(client: &mut Client) -> Vec<Player> {
    let lobby = RequestBody::Lobby {
        watch: false,
        page: 0,
    };
    client.request(lobby).await.unwrap();
    let open = client.lobby().await.open;
    open.into_iter().map(|entry| entry.creator).collect()
}

#[tokio::test]
async fn a_program_that_keeps_a_match_open_is_shown_as_one_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let store = || Store::new(Sqlite::open(&path).unwrap());
    let server = TestServer::over(store(), Config::default()).await;
    let mut seeker = server.connect_program("Seeker", None).await;
    let token = seeker.token();
    let create = RequestBody::Create(nim("3,4,5", Opponent::Open));
    let made = seeker.request(create.clone()).await.unwrap();
    let mut bo = server.connect("Bo").await;
    let shown = waiting(&mut bo).await;
    assert!(
        matches!(&shown[..], [Player::Program { guest, name, program }]
        if *guest == seeker.guest()
            && name.as_str() == "Seeker"
            && program.author() == Some("Cy")
            && program.url() == Some("https://cy.example"))
    );
    server.stop().await;

    let server = TestServer::over(store(), Config::default()).await;
    let (mut seeker, mut bo) = (
        server.connect_program("Seeker", Some(token)).await,
        server.connect("Bo").await,
    );
    let (id, since) = (made.match_id.unwrap(), Version(0));
    let resume = RequestBody::Resume { id, since };
    seeker.request(resume).await.unwrap();
    assert_eq!(waiting(&mut bo).await, shown);
    bo.request(join(made.code.unwrap())).await.unwrap();
    assert_eq!(bo.frame(2).await.state.players.creator, shown[0]);

    // Somebody has joined, so the program opens the next one.
    let next = seeker.request(create).await.unwrap();
    assert_eq!(waiting(&mut bo).await, shown);
    let joined = bo.request(join(next.code.unwrap())).await.unwrap();
    assert_eq!(joined.seat, Some(Seat::Joiner));
}
