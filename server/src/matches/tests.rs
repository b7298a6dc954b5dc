//! The corridor under trouble: what the directory and its tasks promise without any socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fibfob_protocol::{
    Action, Actor, Code, CommandId, Event, FirstMoveRule, GuestId, MatchId, MatchSetup, Opponent,
    Phase, Player, PlayerName, Record, Refusal, RefusalReason, Rematch, Seat, ServerDefaults,
    Start, Terms, Timestamp, Version, Visibility,
};
use tokio_util::sync::CancellationToken;

use super::{Acknowledgement, Change, Directory, Following, MatchEnv, Missed};
use crate::clock::Clock;
use crate::lobby::Lobby;
use crate::matches::seat_limits::SeatLimits;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::store::faulty::{Faulty, InjectedFault, ScriptedFaults};
use crate::store::{FailureKind, Memory, Store};
use crate::tasks::Tasks;

const IDLE_AFTER: Duration = Duration::from_secs(30);
const OPEN_FOR: u64 = 3_600_000;
const GRACE: u64 = 60_000;

/// A server without sockets, whose time of day is set by hand.
struct Bench {
    directory: Arc<Directory>,
    lobby: Arc<Lobby>,
    store: Store,
    /// The faults of the store of a new bench.
    faults: ScriptedFaults,
    now: Arc<AtomicU64>,
    /// The next look at the clock fails.
    broken: Arc<AtomicBool>,
}

impl Bench {
    fn new() -> Self {
        let faults = ScriptedFaults::default();
        let store = Store::new(Faulty::new(Memory::default(), faults.clone()));
        Self {
            faults,
            ..Self::over(store, Duration::ZERO)
        }
    }

    fn over(store: Store, bot_pause: Duration) -> Self {
        Self::started(store, bot_pause, 1_000_000)
    }

    /// A bench with a bound on the matches in memory.
    fn with_live_matches(live_matches_max: usize) -> Self {
        Self::build(Store::memory(), Duration::ZERO, 1_000_000, live_matches_max)
    }

    fn started(store: Store, bot_pause: Duration, now: u64) -> Self {
        Self::build(store, bot_pause, now, usize::MAX)
    }

    fn build(store: Store, bot_pause: Duration, now: u64, live_matches_max: usize) -> Self {
        let now = Arc::new(AtomicU64::new(now));
        let read = Arc::clone(&now);
        let broken = Arc::new(AtomicBool::new(false));
        let fails = Arc::clone(&broken);
        let clock = Clock::from_fn(move || {
            assert!(
                !fails.swap(false, Ordering::SeqCst),
                "a test breaks the clock"
            );
            Timestamp(read.load(Ordering::SeqCst))
        });
        let lobby = Arc::new(Lobby::new(clock.clone(), Vec::new()));
        let env = MatchEnv {
            store: store.clone(),
            lobby: Arc::clone(&lobby),
            metrics: Arc::new(Metrics::new(&store.meter(), clock.now())),
            seats: SeatLimits::new(clock.clone()),
            started_at: clock.now(),
            clock,
            randomness: Randomness::system(),
            tasks: Tasks::default(),
            bot_pause,
            idle_after: IDLE_AFTER,
            snapshot_after: 4,
            live_matches_max,
        };
        Self {
            directory: crate::matches::directory(env, CancellationToken::new()),
            lobby,
            store,
            faults: ScriptedFaults::default(),
            now,
            broken,
        }
    }

    fn pass(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    fn terms(&self, guest: GuestId, opponent: Opponent) -> Terms {
        let opening = MatchSetup {
            start: Start::Position("1,2,3".to_owned()),
            opponent,
            first: FirstMoveRule::Me,
            ..MatchSetup::of("nim")
        };
        self.drawn(guest, &opening)
    }

    fn drawn(&self, guest: GuestId, opening: &MatchSetup) -> Terms {
        let house = ServerDefaults {
            expires_at: Timestamp(self.now.load(Ordering::SeqCst) + OPEN_FOR),
            grace_ms: GRACE,
        };
        let mut rng = rand::rng();
        let code = Code::draw(&mut rng);
        opening.draw(human(guest), code, house, &mut rng).unwrap()
    }

    async fn create(&self, guest: GuestId, opponent: Opponent) -> Acknowledgement {
        self.make(guest, self.terms(guest, opponent)).await
    }

    /// A match against a perfect bot, the guest to move.
    async fn against_bot(&self, guest: GuestId) -> MatchId {
        let level = "perfect".parse().expect("a level");
        self.create(guest, Opponent::Bot(level)).await.id
    }

    async fn make(&self, guest: GuestId, terms: Terms) -> Acknowledgement {
        let command = CommandId::fresh();
        self.directory.create(guest, command, terms).await.unwrap()
    }

    async fn act(
        &self,
        id: MatchId,
        guest: GuestId,
        action: Action,
    ) -> Result<Acknowledgement, Refusal> {
        let command = CommandId::fresh();
        self.directory
            .act(id, Actor::Guest(guest), command, action)
            .await
    }

    async fn follow(&self, id: MatchId, since: u64) -> Following {
        self.follow_as(GuestId::fresh(), id, since).await
    }

    async fn follow_as(&self, guest: GuestId, id: MatchId, since: u64) -> Following {
        self.directory
            .follow(id, guest, Version(since))
            .await
            .unwrap()
    }

    async fn records(&self, id: MatchId) -> Vec<Record> {
        self.store.open(id).await.unwrap().0
    }

    fn in_lobby(&self, code: Code) -> bool {
        self.lobby.message().contains(code.as_str())
    }
}

fn human(guest: GuestId) -> Player {
    let name = PlayerName::default();
    Player::Human { guest, name }
}

fn join(guest: GuestId) -> Action {
    let player = human(guest);
    Action::Join { player }
}

fn play(expecting: u64, text: &str) -> Action {
    Action::Play {
        expecting: Version(expecting),
        text: text.to_owned(),
    }
}

mod bots;
mod bounds;
mod doubt;
mod life;

/// Waits until the followed match is at least at this version, and gives its phase.
async fn reaches(following: &mut Following, version: u64) -> Phase {
    let feed = following
        .feed
        .wait_for(|feed| feed.current().version() >= Version(version));
    feed.await
        .expect("the match stays in memory")
        .current()
        .phase()
        .clone()
}

#[tokio::test]
async fn a_create_sent_twice_is_one_match() {
    let bench = Bench::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    let create = || {
        let terms = bench.terms(guest, Opponent::Open);
        bench.directory.create(guest, command.clone(), terms)
    };
    let (one, two) = tokio::join!(create(), create());
    assert_eq!(one, two);
    assert_eq!(create().await, one, "and the code is the first one's");
    assert_eq!(bench.records(one.unwrap().id).await.len(), 1);
}

#[tokio::test]
async fn a_taken_code_is_drawn_again() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let first = bench.create(ada, Opponent::Open).await;
    let mut terms = bench.terms(bo, Opponent::Open);
    terms.code = first.code;
    let second = bench
        .directory
        .create(bo, CommandId::fresh(), terms)
        .await
        .unwrap();
    assert_ne!(second.code, first.code);
    assert_eq!(bench.directory.find(first.code).await, Ok(first.id));
    assert_eq!(bench.directory.find(second.code).await, Ok(second.id));
}

#[tokio::test]
async fn an_unknown_match_is_refused_and_leaves_memory() {
    let bench = Bench::new();
    let id = MatchId(GuestId::fresh().0);
    let refused = bench
        .directory
        .follow(id, GuestId::fresh(), Version(0))
        .await;
    let refused = refused.err().unwrap();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
    let refused = bench
        .act(id, GuestId::fresh(), Action::Leave)
        .await
        .unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
    let code = Code::draw(&mut rand::rng());
    let refused = bench.directory.find(code).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
}

#[tokio::test(start_paused = true)]
async fn a_match_nobody_follows_leaves_memory_and_comes_back() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let made = bench.create(ada, Opponent::Open).await;
    let following = bench.follow(made.id, 0).await;
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(bench.directory.live_matches(), 1, "somebody looks");
    drop(following);
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(bench.directory.live_matches(), 0);
    assert!(bench.in_lobby(made.code), "the lobby lists it all the same");
    let bo = GuestId::fresh();
    bench.act(made.id, bo, join(bo)).await.unwrap();
    assert_eq!(bench.directory.live_matches(), 1);
    assert_eq!(bench.records(made.id).await.len(), 2);
}

#[tokio::test]
async fn a_deadline_comes_before_a_late_command() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let made = bench.create(ada, Opponent::Open).await;
    bench.pass(OPEN_FOR);
    assert!(
        !bench.in_lobby(made.code),
        "also before anybody looks at the match"
    );
    let refused = bench.act(made.id, bo, join(bo)).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotOpen);
    let records = bench.records(made.id).await;
    assert_eq!(records.last().unwrap().event, Event::Expired);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_comes_also_when_nobody_asks() {
    let bench = Bench::new();
    let made = bench.create(GuestId::fresh(), Opponent::Open).await;
    let mut watching = bench.follow(made.id, 1).await;
    bench.pass(OPEN_FOR);
    let phase = reaches(&mut watching, 2).await;
    assert!(matches!(phase, Phase::Closed { .. }));
}

#[tokio::test]
async fn whoever_is_far_behind_gets_one_snapshot() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    for (version, mover) in [(2, ada), (3, bo), (4, ada)] {
        let heap = version - 1;
        bench
            .act(id, mover, play(version, &format!("take 1 from {heap}")))
            .await
            .unwrap();
    }
    let watching = bench.follow(id, 0).await;
    let count = |since, most| match watching.missed(Version(since), most) {
        Missed::Nothing => (0, since),
        Missed::Frames(frames, upto) => (frames.len(), upto.0),
        Missed::Snapshot(snapshot) => (100 + snapshot.events.len(), snapshot.version.0),
    };
    assert_eq!(count(0, 9), (105, 5), "more than the four frames kept");
    assert_eq!(count(1, 9), (4, 5));
    assert_eq!(count(1, 3), (3, 4), "the rest in the next turn");
    assert_eq!(count(4, 9), (1, 5));
    assert_eq!(count(5, 9), (0, 5));
    let ahead = bench
        .directory
        .follow(id, ada, Version(6))
        .await
        .err()
        .unwrap();
    assert_eq!(ahead.reason(), RefusalReason::NoSuchVersion);
}

#[tokio::test]
async fn leaving_takes_back_only_an_open_match_of_ones_own() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let made = bench.create(ada, Opponent::Open).await;
    let left = bench.act(made.id, bo, Action::Leave).await.unwrap();
    assert_eq!((left.version, left.seat), (Version(1), None));
    let left = bench.act(made.id, ada, Action::Leave).await.unwrap();
    assert_eq!((left.version, left.seat), (Version(2), Some(Seat::Creator)));
    assert!(!bench.in_lobby(made.code));
    assert_eq!(bench.records(made.id).await[1].event, Event::Withdrawn);
}

#[tokio::test(start_paused = true)]
async fn presence_tells_who_is_there() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let made = bench.create(ada, Opponent::Open).await;
    let seated = bench
        .directory
        .follow(made.id, ada, Version(0))
        .await
        .unwrap();
    let mut changes = seated.changes();
    assert!(
        seated
            .presence()
            .contains(r#""connected":["creator"],"spectators":0"#)
    );
    assert_eq!(
        changes.next().await,
        Some(Change::Presence),
        "what is so now, at first"
    );
    let crowd: Vec<_> = [
        bench.follow(made.id, 0).await,
        bench.follow(made.id, 0).await,
    ]
    .into();
    assert_eq!(changes.next().await, Some(Change::Presence));
    assert!(
        seated
            .presence()
            .contains(r#""connected":["creator"],"spectators":2"#)
    );
    drop(crowd);
    assert_eq!(changes.next().await, Some(Change::Presence));
    assert!(seated.presence().contains(r#""spectators":0"#));
}

#[tokio::test]
async fn a_stopped_server_starts_no_match() {
    let bench = Bench::new();
    let made = bench.create(GuestId::fresh(), Opponent::Open).await;
    bench.directory.stop.cancel();
    bench.directory.stopped().await;
    assert_eq!(bench.directory.live_matches(), 0);
    let refused = bench
        .directory
        .follow(made.id, GuestId::fresh(), Version(0))
        .await;
    assert_eq!(refused.err(), Some(Refusal::ShuttingDown));
}
