//! Tests of the bounds on one match or guest, and of panics.

use std::io::Write;

use fibfob_protocol::Action;
use futures_util::future::join_all;
use parking_lot::Mutex;

use super::*;
use crate::limits::{INBOX_MAX, MATCHES_MAX, SEATS_MAX, SPECTATORS_MAX};

#[tokio::test]
async fn spectators_of_a_match_are_bounded_and_players_are_always_admitted() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    let asker = anywhere();
    let enter = |guest| fixture.directory.follow(id, (guest, &asker), Version(2));
    let seated = enter(ada).await.unwrap();
    let mut spectators = Vec::new();
    for _ in 0..SPECTATORS_MAX {
        spectators.push(enter(GuestId::fresh()).await.unwrap());
    }
    let refused = enter(GuestId::fresh()).await.err().unwrap();
    assert_eq!(refused, Refusal::TooManySpectators(SPECTATORS_MAX));
    assert!(
        !refused.retry(),
        "trying again at once would change nothing"
    );
    enter(bo).await.expect("a player of this match");
    spectators.pop();
    spectators.push(enter(GuestId::fresh()).await.expect("a spectator has left"));
    assert!(enter(GuestId::fresh()).await.is_err());
    drop((seated, spectators));
}

#[tokio::test]
async fn an_open_match_counts_against_its_address_until_it_is_joined() {
    let fixture = MatchFixture::new();
    let (ada, bo, address) = (GuestId::fresh(), GuestId::fresh(), account([192, 0, 2, 1]));
    let [command, other] = [CommandId::fresh(), CommandId::fresh()];
    let until = Timestamp(fixture.now().0 + OPEN_FOR);
    let begin = |command: &CommandId| {
        let directory = &fixture.directory;
        directory.begin_open(ada, command, &address, until)
    };
    let full = Err(Refusal::AddressTooManyMatches(1));
    let id = MatchId::created_by(ada, &command);
    assert_eq!(begin(&command), Ok(id));
    assert_eq!(begin(&command), Ok(id), "it is counted once");
    assert_eq!(begin(&other), full);
    let new = new(fixture.terms(ada, Opponent::Open));
    let made = fixture.directory.create(ada, command, new).await.unwrap();
    assert_eq!(begin(&other), full, "it is open");
    fixture.act(made.id, bo, join(bo)).await.unwrap();
    assert!(begin(&other).is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_inbox_of_a_match_is_bounded() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    // The first one never comes back from the store; the others wait behind it.
    fixture.faults.inject([InjectedFault::Silence]);
    let first = fixture.act(id, ada, play(2, "take 1 from 1"));
    let others = (0..2 * INBOX_MAX).map(|_| fixture.act(id, bo, play(2, "take 1 from 1")));
    let (first, others) = tokio::join!(first, join_all(others));
    assert_eq!(first, Err(Refusal::Unavailable));
    let busy = others
        .iter()
        .filter(|answer| **answer == Err(Refusal::Busy))
        .count();
    assert!(Refusal::Busy.retry());
    // The first one itself may still have been in the inbox.
    assert!((INBOX_MAX..=INBOX_MAX + 1).contains(&busy), "{busy}");
    let answered = others
        .iter()
        .filter(|answer| **answer != Err(Refusal::Busy));
    for answer in answered {
        let refusal = answer.as_ref().unwrap_err();
        assert_eq!(
            refusal.reason(),
            RefusalReason::NotYourTurn,
            "the next task answers them"
        );
    }
    assert_eq!(fixture.records(id).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn matches_in_memory_are_bounded() {
    let fixture = MatchFixture::with_live_matches(2);
    let ada = GuestId::fresh();
    let id = fixture.create(ada, Opponent::Open).await.id;
    let terms = fixture.terms(ada, Opponent::Open);
    let create = || {
        fixture
            .directory
            .create(ada, CommandId::fresh(), new(terms.clone()))
    };
    create().await.unwrap();
    assert_eq!(create().await, Err(Refusal::Busy));
    fixture
        .act(id, ada, Action::Withdraw)
        .await
        .expect("those in memory go on");
    tokio::time::sleep(2 * IDLE_AFTER).await;
    create().await.expect("the other matches have no viewers");
}

#[tokio::test]
async fn seats_are_bounded_per_guest() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let level = || Opponent::Bot("perfect".parse().unwrap());
    let (command, terms) = (CommandId::fresh(), fixture.terms(ada, level()));
    let first = fixture
        .directory
        .create(ada, command.clone(), new(terms.clone()));
    let first = first.await.unwrap();
    for _ in 1..MATCHES_MAX {
        fixture.create(ada, level()).await;
    }
    let create = || {
        fixture
            .directory
            .create(ada, CommandId::fresh(), new(terms.clone()))
    };
    assert_eq!(create().await, Err(Refusal::TooManyMatches(MATCHES_MAX)));
    let again = fixture
        .directory
        .create(ada, command, new(terms.clone()))
        .await;
    assert_eq!(
        again,
        Ok(first.clone().again()),
        "what was stored is answered as the first time"
    );

    let mut others = Vec::new();
    for _ in MATCHES_MAX..SEATS_MAX {
        let made = fixture.create(GuestId::fresh(), Opponent::Open).await;
        fixture.act(made.id, ada, join(ada)).await.unwrap();
        others.push(made.id);
    }
    let made = fixture.create(GuestId::fresh(), Opponent::Open).await;
    let refused = fixture.act(made.id, ada, join(ada)).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
    assert_eq!(fixture.records(made.id).await.len(), 1);

    // A rematch is one more match: who ends one and asks for it has no more than before.
    let resign = || Action::Resign;
    let offer = || Action::OfferRematch;
    fixture.act(first.id, ada, resign()).await.unwrap();
    fixture
        .act(made.id, ada, join(ada))
        .await
        .expect("a seat is free");
    let refused = fixture.act(first.id, ada, offer()).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
    fixture.act(others[0], ada, resign()).await.unwrap();
    let mut watching = fixture.follow(first.id, 0).await;
    fixture.act(first.id, ada, offer()).await.unwrap();
    let agreed = |feed: &super::super::feed::Feed| feed.current().next_match().is_some();
    watching.feed.wait_for(agreed).await.unwrap();
    let refused = fixture.act(others[0], ada, offer()).await.unwrap_err();
    assert_eq!(refused, Refusal::TooManySeats(SEATS_MAX));
}

/// A log in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_panic_refuses_waiting_requests_and_is_logged_once_with_the_match() {
    let lines = Lines::default();
    let writer = lines.clone();
    let log = tracing_subscriber::fmt()
        .json()
        .with_writer(move || writer.clone());
    let _logging = tracing::subscriber::set_default(log.finish());
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    let other = fixture.create(bo, Opponent::Open).await.id;
    let mut watching = fixture.follow(id, 2).await;

    let now = fixture.now();
    fixture.broken.store(true, Ordering::SeqCst);
    let command = CommandId::fresh();
    let actor = Actor::Guest(ada);
    let play = || {
        fixture
            .directory
            .act(id, actor, command.clone(), play(2, "take 1 from 1"), now)
    };
    // One is being answered, and two wait in the inbox behind it.
    let (one, two, three) = tokio::join!(
        play(),
        play(),
        fixture.act_read_at(id, bo, Action::Withdraw, now)
    );
    assert_eq!(one, Err(Refusal::Unavailable));
    assert_eq!(two, Err(Refusal::Unavailable));
    assert_eq!(three, Err(Refusal::Unavailable));
    while watching.feed.changed().await.is_ok() {}

    assert_eq!(
        play().await.unwrap().version,
        Version(3),
        "the next task goes on"
    );
    fixture.act(other, bo, Action::Withdraw).await.unwrap();
    let text = String::from_utf8(lines.0.lock().clone()).unwrap();
    let answered: Vec<_> = text
        .lines()
        .filter(|line| line.contains("panicked"))
        .collect();
    let [line] = answered[..] else {
        panic!("{answered:?}")
    };
    assert!(
        line.contains(&id.to_string()) && line.contains("the test makes the clock fail"),
        "{line}"
    );
}
