//! Every bound on what one match, or one guest, may take up, reached; and a panic that stays its own.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use futures_util::future::join_all;

use super::*;
use crate::limits::{INBOX_MAX, MATCHES_MAX, SEATS_MAX, SPECTATORS_MAX};
use fibfob_protocol::Action;

#[tokio::test]
async fn a_match_has_so_many_spectators_and_its_players_always_come_in() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    let enter = |guest| bench.directory.follow(id, guest, Version(2));
    let seated = enter(ada).await.unwrap();
    let mut crowd = Vec::new();
    for _ in 0..SPECTATORS_MAX {
        crowd.push(enter(GuestId::fresh()).await.unwrap());
    }
    let refused = enter(GuestId::fresh()).await.err().unwrap();
    assert_eq!(refused, Refusal::TooManySpectators(SPECTATORS_MAX));
    assert!(
        !refused.retry(),
        "trying again at once would change nothing"
    );
    enter(bo).await.expect("a player of this match");
    crowd.pop();
    crowd.push(enter(GuestId::fresh()).await.expect("somebody has left"));
    assert!(enter(GuestId::fresh()).await.is_err());
    drop((seated, crowd));
}

#[tokio::test(start_paused = true)]
async fn so_many_requests_wait_for_one_match() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    // The first one never comes back from the store; the others wait behind it.
    bench.faults.inject([InjectedFault::Silence]);
    let first = bench.act(id, ada, play(2, "take 1 from 1"));
    let others = (0..2 * INBOX_MAX).map(|_| bench.act(id, bo, play(2, "take 1 from 1")));
    let (first, others) = tokio::join!(first, join_all(others));
    assert_eq!(first, Err(Refusal::Unavailable));
    let busy = others
        .iter()
        .filter(|answer| **answer == Err(Refusal::Busy))
        .count();
    assert!(Refusal::Busy.retry());
    // The first one itself may still have been in the inbox.
    assert!((INBOX_MAX..=INBOX_MAX + 1).contains(&busy), "{busy}");
    let told = others
        .iter()
        .filter(|answer| **answer != Err(Refusal::Busy));
    for answer in told {
        let refusal = answer.as_ref().unwrap_err();
        assert_eq!(
            refusal.reason(),
            RefusalReason::NotYourTurn,
            "the next task answers them"
        );
    }
    assert_eq!(bench.records(id).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn so_many_matches_are_in_memory() {
    let bench = Bench::with_live_matches(2);
    let ada = GuestId::fresh();
    let id = bench.create(ada, Opponent::Open).await.id;
    let terms = bench.terms(ada, Opponent::Open);
    let create = || {
        bench
            .directory
            .create(ada, CommandId::fresh(), terms.clone())
    };
    create().await.unwrap();
    assert_eq!(create().await, Err(Refusal::Busy));
    bench
        .act(id, ada, Action::Leave)
        .await
        .expect("those in memory go on");
    tokio::time::sleep(2 * IDLE_AFTER).await;
    create().await.expect("nobody inspected at the others");
}

#[tokio::test]
async fn a_guest_holds_so_many_seats() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let level = || Opponent::Bot("perfect".parse().unwrap());
    let (command, terms) = (CommandId::fresh(), bench.terms(ada, level()));
    let first = bench.directory.create(ada, command.clone(), terms.clone());
    let first = first.await.unwrap();
    for _ in 1..MATCHES_MAX {
        bench.create(ada, level()).await;
    }
    let create = || {
        bench
            .directory
            .create(ada, CommandId::fresh(), terms.clone())
    };
    assert_eq!(create().await, Err(Refusal::TooManyMatches(MATCHES_MAX)));
    let again = bench.directory.create(ada, command, terms.clone()).await;
    assert_eq!(
        again,
        Ok(first.clone()),
        "what was stored is answered as the first time"
    );

    let mut others = Vec::new();
    for _ in MATCHES_MAX..SEATS_MAX {
        let made = bench.create(GuestId::fresh(), Opponent::Open).await;
        bench.act(made.id, ada, join(ada)).await.unwrap();
        others.push(made.id);
    }
    let made = bench.create(GuestId::fresh(), Opponent::Open).await;
    let refused = bench.act(made.id, ada, join(ada)).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
    assert_eq!(bench.records(made.id).await.len(), 1);

    // A rematch is one more match: who ends one and asks for it has no more than before.
    let resign = || Action::Resign;
    let offer = || Action::OfferRematch;
    bench.act(first.id, ada, resign()).await.unwrap();
    bench
        .act(made.id, ada, join(ada))
        .await
        .expect("a seat is free");
    let refused = bench.act(first.id, ada, offer()).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
    bench.act(others[0], ada, resign()).await.unwrap();
    let mut watching = bench.follow(first.id, 0).await;
    bench.act(first.id, ada, offer()).await.unwrap();
    let agreed = |feed: &super::super::feed::Feed| feed.current().next_match().is_some();
    watching.feed.wait_for(agreed).await.unwrap();
    let refused = bench.act(others[0], ada, offer()).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
}

/// A log that a test can read.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_panic_is_told_to_those_who_wait_and_logged_once_with_the_match() {
    let lines = Lines::default();
    let writer = lines.clone();
    let log = tracing_subscriber::fmt()
        .json()
        .with_writer(move || writer.clone());
    let _logging = tracing::subscriber::set_default(log.finish());
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    let other = bench.create(bo, Opponent::Open).await.id;
    let mut watching = bench.follow(id, 2).await;

    bench.broken.store(true, Ordering::SeqCst);
    let command = CommandId::fresh();
    let actor = Actor::Guest(ada);
    let play = || {
        bench
            .directory
            .act(id, actor, command.clone(), play(2, "take 1 from 1"))
    };
    // One is being answered, and two wait in the inbox behind it.
    let (one, two, three) = tokio::join!(play(), play(), bench.act(id, bo, Action::Leave));
    assert_eq!(one, Err(Refusal::Unavailable));
    assert_eq!(two, Err(Refusal::Unavailable));
    assert_eq!(three, Err(Refusal::Unavailable));
    while watching.feed.changed().await.is_ok() {}

    assert_eq!(
        play().await.unwrap().version,
        Version(3),
        "the next task goes on"
    );
    bench.act(other, bo, Action::Leave).await.unwrap();
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let told: Vec<_> = text
        .lines()
        .filter(|line| line.contains("panicked"))
        .collect();
    let [line] = told[..] else { panic!("{told:?}") };
    assert!(
        line.contains(&id.to_string()) && line.contains("a test breaks the clock"),
        "{line}"
    );
}
