//! Panics in the server: each affects only its own match or connection.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use fibfob_protocol::{
    Action, CommandId, MatchId, Opponent, RefusalReason, RequestBody, Version, Visibility,
};
use fibfob_server::{Clock, Config};
use uuid::Uuid;

use crate::fixture::TestServer;
use crate::{join, nim};

/// What a clock does when it is read.
#[derive(Default)]
struct Broken {
    /// True once it shall panic at its next reading.
    armed: bool,
    /// True while the tasks that read it are noted, which never see it panic.
    noting: bool,
    spared: HashSet<tokio::task::Id>,
}

/// A server whose clock panics once at its next reading, when it is armed.
async fn brittle() -> (TestServer, Arc<Mutex<Broken>>) {
    let broken = Arc::<Mutex<Broken>>::default();
    let (fails, system) = (Arc::clone(&broken), Clock::default());
    let clock = Clock::from_fn(move || {
        let (mut fails, task) = (fails.lock().unwrap(), tokio::task::try_id());
        if fails.noting {
            fails.spared.extend(task);
        }
        let panics = fails.armed && task.is_none_or(|task| !fails.spared.contains(&task));
        fails.armed &= !panics;
        drop(fails);
        assert!(!panics, "a test breaks the clock");
        system.now()
    });
    let server = TestServer::start(Config {
        clock,
        ..Config::default()
    });
    (server.await, broken)
}

#[tokio::test]
async fn a_panic_in_a_match_is_reported_and_the_match_continues() {
    let (server, broken) = brittle().await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let mut eve = server.connect("Eve").await;
    // A connection notes when a move came; here only matches shall panic.
    broken.lock().unwrap().noting = true;
    for player in [&mut ada, &mut bo] {
        let unknown = MatchId(Uuid::nil());
        let refused = player.play(unknown, 1, "take 1 from 1").await.unwrap_err();
        assert_eq!(refused.reason, RefusalReason::NoSuchMatch);
    }
    broken.lock().unwrap().noting = false;
    // Private, so that the lobby has no reason to look at the clock.
    let mut opening = nim("9,9", Opponent::Open);
    opening.visibility = Visibility::Private;
    let made = ada
        .request(RequestBody::Create(opening.clone()))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();
    let code = code.to_string();
    eve.request(RequestBody::Spectate { code }).await.unwrap();
    let other = eve.request(RequestBody::Create(opening)).await.unwrap();
    bo.request(join(other.code.unwrap())).await.unwrap();
    eve.frame(1).await;

    // A match looks at the clock by itself, too, and may do so before the move comes: then the move
    // meets the next task and is stored, and the next move is tried.
    let mut version = 2;
    let refused = loop {
        let (heap, mover) = match version % 2 {
            0 => (1, &mut ada),
            _ => (2, &mut bo),
        };
        let (command, text) = (CommandId::fresh(), format!("take 1 from {heap}"));
        let expecting = Version(version);
        let play = RequestBody::Act {
            id,
            action: Action::Play { expecting, text },
        };
        broken.lock().unwrap().armed = true;
        let answer = mover.request_as(command.clone(), play.clone()).await;
        version += 1;
        if let Err(refused) = answer {
            let played = mover.request_as(command, play).await.unwrap();
            assert_eq!(played.version, Some(Version(version)));
            break refused;
        }
    };
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::Unavailable, true)
    );
    // Without any request, every viewer has received every event.
    for version in 1..=version {
        ada.frame_of(id, version).await;
        bo.frame_of(id, version).await;
    }
    for version in 2..=version {
        eve.frame_of(id, version).await;
    }
    eve.play(other.match_id.unwrap(), 2, "take 1 from 1")
        .await
        .expect("another match is another task");
    server.stop().await;
}

#[tokio::test]
async fn a_panic_in_a_connection_closes_it_with_a_reason() {
    let (server, broken) = brittle().await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let command = CommandId::fresh();
    let create = RequestBody::Create(nim("3,3", Opponent::Friend));
    broken.lock().unwrap().armed = true;
    ada.send_request(command.clone(), create.clone()).await;
    assert_eq!(ada.closed().await, 1011);
    bo.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .expect("other connections are not affected");
    let mut ada = server.connect_as("Ada", ada.token()).await;
    let made = ada.request_as(command, create).await.unwrap();
    assert_eq!(made.version, Some(Version(1)));
    server.stop().await;
}
