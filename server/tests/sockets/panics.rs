//! A fault in the server itself, in one match or one connection, is nobody else's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fibfob_protocol::{
    Action, CommandId, Opponent, RefusalReason, RequestBody, Version, Visibility,
};
use fibfob_server::{Clock, Config};

use crate::bench::Bench;
use crate::{join, nim};

/// A server whose clock fails once when it is told to, in whoever looks at it next.
async fn brittle() -> (Bench, Arc<AtomicBool>) {
    let broken = Arc::new(AtomicBool::new(false));
    let (fails, system) = (Arc::clone(&broken), Clock::system());
    let clock = Clock::from_fn(move || {
        assert!(
            !fails.swap(false, Ordering::SeqCst),
            "a test breaks the clock"
        );
        system.now()
    });
    let bench = Bench::start(Config {
        clock,
        ..Config::default()
    });
    (bench.await, broken)
}

#[tokio::test]
async fn a_match_that_panics_is_told_and_goes_on() {
    let (bench, broken) = brittle().await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let mut eve = bench.connect("Eve").await;
    // Private, so that the lobby has no reason to look at the clock.
    let mut opening = nim("9,9", Opponent::Open);
    opening.visibility = Visibility::Private;
    let made = ada.ask(RequestBody::Create(opening.clone())).await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    let code = code.to_string();
    eve.ask(RequestBody::Spectate { code }).await.unwrap();
    let other = eve.ask(RequestBody::Create(opening)).await.unwrap();
    bo.ask(join(other.code.unwrap())).await.unwrap();
    eve.frame(1).await;

    // A match looks at the clock by itself, too, and may do so before the move comes: then the move
    // meets the next task and is stored, and the next move is tried.
    let mut version = 2;
    let told = loop {
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
        broken.store(true, Ordering::SeqCst);
        let answer = mover.ask_as(command.clone(), play.clone()).await;
        version += 1;
        if let Err(refused) = answer {
            let played = mover.ask_as(command, play).await.unwrap();
            assert_eq!(played.version, Some(Version(version)));
            break refused;
        }
    };
    assert_eq!(
        (told.reason, told.retry),
        (RefusalReason::Unavailable, true)
    );
    // Nobody has asked for anything, and nobody has missed anything.
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
    bench.stop().await;
}

#[tokio::test]
async fn a_connection_that_panics_is_closed_with_a_reason() {
    let (bench, broken) = brittle().await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let command = CommandId::fresh();
    let create = RequestBody::Create(nim("3,3", Opponent::Friend));
    broken.store(true, Ordering::SeqCst);
    ada.request(command.clone(), create.clone()).await;
    assert_eq!(ada.closed().await, 1011);
    bo.ask(RequestBody::Lobby { watch: false })
        .await
        .expect("others are not concerned");
    let mut ada = bench.connect_as("Ada", ada.token()).await;
    let made = ada.ask_as(command, create).await.unwrap();
    assert_eq!(made.version, Some(Version(1)));
    bench.stop().await;
}
