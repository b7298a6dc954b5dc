//! Tests of the sweep: what is due happens in matches that nobody comes back to, and those that both
//! players have left end.

use fibfob_protocol::{EndReason, TimeControl};

use super::super::sweep::{LeftMatches, round};
use super::*;
use fibfob_protocol::millis;
use fibfob_store::{AppendError, EngineFuture, Listing};
use fibfob_store_contract::faulty::{FaultInjector, PendingAppend};

/// The time after which a match ends that was left, in milliseconds.
const LEFT: u64 = ABANDONED_AFTER.as_secs() * 1_000;

impl MatchFixture {
    /// Sweeps once, as the first round after a start does.
    async fn sweep_once(&self) -> LeftMatches {
        round(&self.directory, &LeftMatches::new()).await
    }

    /// Sweeps as often as a match that was left needs to end.
    async fn sweep_left(&self) {
        let left = self.sweep_once().await;
        round(&self.directory, &left).await;
    }

    async fn events(&self, id: MatchId) -> Vec<Event> {
        let records = self.records(id).await;
        records.into_iter().map(|record| record.event).collect()
    }

    async fn is_abandoned(&self, id: MatchId) -> bool {
        let events = self.events(id).await;
        matches!(events.last(), Some(Event::Abandoned { .. }))
    }

    async fn unfinished(&self) -> usize {
        let found = self.store.list(Listing::UNFINISHED, 9).await;
        found.unwrap().len()
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_without_clocks_that_both_left_ends_in_the_store_and_frees_their_seats() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    let code = fixture.records(id).await;
    let Event::Created { terms } = &code[0].event else {
        panic!("the first event")
    };
    fixture.pass(LEFT - 1);
    fixture.sweep_left().await;
    assert_eq!(
        (fixture.is_abandoned(id).await, fixture.unfinished().await),
        (false, 1)
    );
    fixture.pass(1);
    let left = fixture.sweep_once().await;
    assert!(
        !fixture.is_abandoned(id).await,
        "one may be about to reconnect"
    );
    assert!(left.iter().any(|(found, ..)| *found == id));
    round(&fixture.directory, &left).await;
    let seat = Seat::Creator;
    assert_eq!(
        fixture.events(id).await.pop(),
        Some(Event::Abandoned { seat })
    );
    assert_eq!(fixture.unfinished().await, 0);
    assert!(!fixture.in_lobby(terms.code));
    let inspected = fixture.directory.inspect(id).await.unwrap();
    let over = inspected.current.phase().clone();
    assert!(
        matches!(
            over,
            Phase::Over {
                winner: Seat::Joiner,
                reason: EndReason::Abandoned,
                ..
            }
        ),
        "{over:?}"
    );
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(fixture.directory.live_matches(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_match_does_not_end_while_a_player_is_connected() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    // A spectator does not keep it; a player does, whatever they follow.
    let _watching = fixture.follow(id, 2).await;
    fixture.pass(2 * LEFT);
    for guest in [ada, bo] {
        let now = Timestamp(fixture.now.load(Ordering::SeqCst));
        let connected = fixture.directory.env.guests.greeted(guest, address(), now);
        fixture.sweep_left().await;
        assert!(!fixture.is_abandoned(id).await);
        drop(connected);
    }
    // Between two rounds Bo was there.
    let left = fixture.sweep_once().await;
    let connected = fixture
        .directory
        .env
        .guests
        .greeted(bo, address(), Timestamp(0));
    let left = round(&fixture.directory, &left).await;
    drop(connected);
    round(&fixture.directory, &left).await;
    assert!(!fixture.is_abandoned(id).await);
    fixture.sweep_left().await;
    assert!(fixture.is_abandoned(id).await);
}

#[tokio::test(start_paused = true)]
async fn time_without_a_server_does_not_count_and_time_before_a_restart_does() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = MatchFixture::new();
    let id = before.clockless(ada, bo).await;
    let made = before.now.load(Ordering::SeqCst);
    // Half of the time with one server, then none for long, then a short run of another one.
    before.pass(LEFT / 2);
    let store = before.store.clone();
    drop(before);
    let second = made + 9 * LEFT;
    let stopped = second + 1_000;
    let another = MatchFixture::started(store.clone(), Duration::ZERO, second);
    another.beat(Timestamp(stopped), None).await;
    drop(another);
    let started = stopped + 7 * LEFT;
    let fixture = MatchFixture::started(store, Duration::ZERO, started);
    fixture.pass(LEFT / 2 - 1_001);
    fixture.sweep_left().await;
    assert!(!fixture.is_abandoned(id).await);
    fixture.pass(1);
    fixture.sweep_left().await;
    assert!(fixture.is_abandoned(id).await);
}

#[tokio::test(start_paused = true)]
async fn an_open_match_expires_and_a_first_move_is_missed_although_nobody_comes_back() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let open = fixture.create(ada, Opponent::Open).await.id;
    let time = TimeControl::Move { each_ms: 5_000 };
    let terms = Terms {
        time,
        ..fixture.terms(ada, Opponent::Open)
    };
    let timed = fixture.playing(ada, bo, terms).await;
    let bot = fixture.against_bot(ada).await;
    // All of them leave memory.
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(fixture.directory.live_matches(), 0);
    fixture.sweep_once().await;
    assert_eq!(fixture.directory.live_matches(), 0, "they are only read");
    fixture.pass(OPEN_FOR);
    fixture.sweep_once().await;
    assert_eq!(fixture.events(open).await.pop(), Some(Event::Expired));
    let seat = Seat::Creator;
    assert_eq!(
        fixture.events(timed).await.pop(),
        Some(Event::FirstMoveMissed { seat })
    );
    assert_eq!(fixture.unfinished().await, 1);
    fixture.pass(millis(ABANDONED_AFTER));
    fixture.sweep_left().await;
    assert!(fixture.is_abandoned(bot).await, "its person has left it");
}

/// Counts what is read of logs, and what is noted of matches.
#[derive(Clone, Default)]
struct CountedReads(Arc<AtomicU64>);

impl FaultInjector for CountedReads {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        Box::pin(append.store())
    }

    fn read(&self) -> EngineFuture<'static, ()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(())))
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_is_read_once_and_not_again_before_something_may_be_due() {
    let reads = CountedReads::default();
    let store = Store::new(Faulty::new(Memory::default(), reads.clone()));
    let fixture = MatchFixture::over(store.clone(), Duration::ZERO);
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    let time = TimeControl::Match {
        initial_ms: 60_000,
        increment_ms: 0,
    };
    let terms = Terms {
        time,
        ..fixture.terms(ada, Opponent::Open)
    };
    let timed = fixture.after_first_moves(ada, bo, terms).await;
    let sweep = async |fixture: &MatchFixture| {
        let before = reads.0.load(Ordering::SeqCst);
        fixture.sweep_once().await;
        reads.0.load(Ordering::SeqCst) - before
    };
    assert_eq!(sweep(&fixture).await, 3, "two are read, and noted at once");
    fixture.pass(10_000);
    for (id, version) in [(id, 2), (timed, 4)] {
        let action = play(version, "take 1 from 1");
        fixture.act(id, ada, action).await.unwrap();
    }
    // Ada has 50 s left from now on, so that neither clock runs out within them.
    fixture.pass(49_999);
    assert_eq!(sweep(&fixture).await, 0);
    // A server that begins knows what the other one has noted.
    let now = fixture.now.load(Ordering::SeqCst);
    drop(fixture);
    let fixture = MatchFixture::started(store, Duration::ZERO, now);
    assert_eq!(sweep(&fixture).await, 0);
    fixture.pass(1);
    assert_eq!(sweep(&fixture).await, 2, "Ada might have used up her time");
    fixture.pass(LEFT);
    fixture.sweep_left().await;
    assert!(fixture.is_abandoned(id).await);
    let seat = Seat::Joiner;
    assert_eq!(
        fixture.events(timed).await.pop(),
        Some(Event::TimedOut { seat })
    );
}
