//! Tests of a server that is late itself: with storing, and with coming to what it has read.

use fibfob_protocol::{Action, TimeControl};
use fibfob_store::{AppendError, EngineFuture};
use fibfob_store_contract::faulty::{FaultInjector, PendingAppend};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use super::*;

const CLOCK: u64 = 60_000;

/// A store that appends while the test does not hold the permit.
#[derive(Clone)]
struct HeldAppends(Arc<Semaphore>);

impl FaultInjector for HeldAppends {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        let permit = Arc::clone(&self.0);
        Box::pin(async move {
            let _permit = permit.acquire().await;
            append.store().await
        })
    }
}

/// A match with clocks of a minute, in which Ada is to move at version 5, and its store.
async fn after_two_moves() -> (MatchFixture, Arc<Semaphore>, [GuestId; 2], MatchId) {
    let permit = Arc::new(Semaphore::new(1));
    let store = Store::new(Faulty::new(
        Memory::default(),
        HeldAppends(Arc::clone(&permit)),
    ));
    let fixture = MatchFixture::over(store, Duration::ZERO);
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let time = TimeControl::Match {
        initial_ms: CLOCK,
        increment_ms: 0,
    };
    let terms = Terms {
        time,
        ..fixture.terms(ada, Opponent::Open)
    };
    let id = fixture.after_first_moves(ada, bo, terms).await;
    // The match answers when it has woken the players, before time passes.
    fixture.follow(id, 0).await;
    (fixture, permit, [ada, bo], id)
}

/// Lets so much time pass while an append is held.
async fn stall(fixture: &MatchFixture, permit: &Semaphore, millis: u64) {
    let held = permit.acquire().await.expect("never closed");
    for _ in 0..100 {
        yield_now().await;
    }
    fixture.pass(millis);
    drop(held);
}

async fn clocks(fixture: &MatchFixture, id: MatchId) -> (Option<u64>, Option<u64>) {
    let inspected = fixture.directory.inspect(id).await.unwrap();
    let clocks = inspected.current.view(0).clocks.expect("a timed match");
    (clocks.creator_ms, clocks.joiner_ms)
}

#[tokio::test(start_paused = true)]
async fn a_move_read_before_its_deadline_counts_however_late_the_match_comes_to_it() {
    let (fixture, permit, [ada, bo], id) = after_two_moves().await;
    fixture.pass(CLOCK - 1_000);
    // The match is busy with an offer, and a viewer comes before the move.
    let ((), offered, _watching, moved) = tokio::join!(
        stall(&fixture, &permit, 2_000),
        fixture.act(id, bo, Action::OfferTakeback),
        fixture.follow(id, 0),
        fixture.act(id, ada, play(4, "take 1 from 2")),
    );
    offered.unwrap();
    assert_eq!(moved.expect("read in time").version, Version(6));
    let left = (Some(1_000), Some(CLOCK));
    assert_eq!(
        clocks(&fixture, id).await,
        left,
        "charged until it was read"
    );
}

#[tokio::test(start_paused = true)]
async fn a_move_read_after_its_deadline_loses_whatever_was_read_before() {
    let (fixture, permit, [ada, bo], id) = after_two_moves().await;
    fixture.pass(CLOCK - 1_000);
    let now = fixture.now();
    let late = Timestamp(now.0 + 1_000);
    let ((), offered, moved, refused) = tokio::join!(
        stall(&fixture, &permit, 2_000),
        fixture.act(id, bo, Action::OfferTakeback),
        fixture.act_read_at(id, ada, play(4, "take 1 from 2"), late),
        fixture.act_read_at(id, ada, play(4, "take 9 from 3"), now),
    );
    offered.unwrap();
    assert_eq!(moved.unwrap_err().reason(), RefusalReason::NotInPlay);
    let before = RefusalReason::IllegalMove;
    assert_eq!(refused.unwrap_err().reason(), before, "it came first");
    let seat = Seat::Creator;
    let newest = fixture.records(id).await.pop().unwrap();
    assert_eq!(newest.event, Event::TimedOut { seat });
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_move_is_stored_is_charged_to_nobody() {
    let (fixture, permit, [ada, bo], id) = after_two_moves().await;
    let ((), moved) = tokio::join!(
        stall(&fixture, &permit, 2_000),
        fixture.act(id, ada, play(4, "take 1 from 2")),
    );
    moved.unwrap();
    // The match answers when it has woken the players, before time passes.
    fixture.follow(id, 0).await;
    fixture.pass(CLOCK - 1);
    let moved = fixture.act(id, bo, play(5, "take 1 from 2")).await;
    moved.expect("a millisecond is left");
    assert_eq!(clocks(&fixture, id).await, (Some(CLOCK), Some(1)));
}
