//! Tests of the directory and its tasks without sockets, with injected faults.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fibfob_net::address_guard::{AddressAccount, AddressShare, AddressTable};
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::millis;
use fibfob_protocol::{
    Action, Actor, Code, CommandId, Event, FirstMove, FirstMoveRule, GuestId, MatchId, MatchSetup,
    MoveForm, Opponent, Phase, Player, PlayerName, Record, Refusal, RefusalReason, RematchView,
    Seat, ServerDefaults, Start, Terms, Timestamp, Version, Visibility,
};
use fibfob_store::limits::SERVICE_GAP;
use fibfob_store::{Beat, FailureKind, Memory, NotedAbsence, Sign, Store};
use fibfob_store_contract::faulty::{Faulty, InjectedFault, ScriptedFaults};
use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::acknowledgement::Acknowledgement;
use crate::chat::ChatAuthor;
use crate::clock::Clock;
use crate::directory::Directory;
use crate::env::{MatchEnv, MatchSettings, Seams};
use crate::errands::Errands;
use crate::feed::Missed;
use crate::limits::Rate;
use crate::lobby::Lobby;
use crate::request::NewMatch;
use crate::subscription::{Change, Subscription};

const IDLE_AFTER: Duration = Duration::from_secs(30);
const OPEN_FOR: u64 = 3_600_000;
const GRACE: u64 = 60_000;
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A server without sockets, with a settable clock.
struct MatchFixture {
    directory: Arc<Directory>,
    lobby: Arc<Lobby>,
    store: Store,
    /// The injected faults of a new fixture's store.
    faults: ScriptedFaults,
    now: Arc<AtomicU64>,
    /// The next reading of the clock panics.
    broken: Arc<AtomicBool>,
}

impl MatchFixture {
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

    /// A fixture with a bound on the matches in memory.
    fn with_live_matches(live_matches_max: usize) -> Self {
        Self::build(
            Store::new(Memory::default()),
            Duration::ZERO,
            1_000_000,
            live_matches_max,
        )
    }

    fn started(store: Store, bot_pause: Duration, now: u64) -> Self {
        Self::build(store, bot_pause, now, usize::MAX)
    }

    fn build(store: Store, bot_pause: Duration, now: u64, live_matches_max: usize) -> Self {
        Self::at(
            Arc::new(AtomicU64::new(now)),
            store,
            bot_pause,
            live_matches_max,
        )
    }

    /// A fixture with this clock, which several of them may share.
    fn at(now: Arc<AtomicU64>, store: Store, bot_pause: Duration, live_matches_max: usize) -> Self {
        let read = Arc::clone(&now);
        let broken = Arc::new(AtomicBool::new(false));
        let fails = Arc::clone(&broken);
        let clock = Clock::from_fn(move || {
            assert!(
                !fails.swap(false, Ordering::SeqCst),
                "the test makes the clock fail"
            );
            Timestamp(read.load(Ordering::SeqCst))
        });
        let settings = MatchSettings {
            abandoned_after: ABANDONED_AFTER,
            bot_pause,
            idle_after: IDLE_AFTER,
            snapshot_after: 4,
            listed_per_address: usize::MAX,
            live_matches: live_matches_max,
            stored_per_address: u64::MAX,
        };
        let seams = Seams {
            clock,
            ..Seams::default()
        };
        let beginning = MatchEnv::begin(store.clone(), settings, seams, Errands::default(), &[]);
        let begun = beginning.now_or_never().expect("a store in memory");
        let env = begun.unwrap();
        let lobby = Arc::clone(&env.lobby);
        Self {
            directory: crate::directory(env, CancellationToken::new()),
            lobby,
            store,
            faults: ScriptedFaults::default(),
            now,
            broken,
        }
    }

    /// Notes that the server runs at this instant.
    async fn beat(&self, at: Timestamp, absences: Option<Vec<NotedAbsence>>) {
        let beat = Beat {
            server: self.directory.env.service.server(),
            at,
            sign: Sign::Runs,
            is_idle: false,
            absences,
        };
        let _ = self.store.beat(beat).await;
    }

    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    /// Lets time pass in which the server runs.
    fn pass(&self, mut time: u64) {
        while time > 0 {
            let step = time.min(millis(SERVICE_GAP));
            time -= step;
            let at = Timestamp(self.now.fetch_add(step, Ordering::SeqCst) + step);
            let _ = self.beat(at, None).now_or_never();
        }
    }

    fn terms(&self, guest: GuestId, opponent: Opponent) -> Terms {
        let setup = MatchSetup {
            start: Start::Position("1,2,3".to_owned()),
            opponent,
            first: FirstMoveRule::Me,
            ..MatchSetup::new("nim")
        };
        self.drawn(guest, &setup)
    }

    fn drawn(&self, guest: GuestId, setup: &MatchSetup) -> Terms {
        let defaults = ServerDefaults {
            expires_at: Timestamp(self.now.load(Ordering::SeqCst) + OPEN_FOR),
            grace_ms: GRACE,
        };
        let mut rng = rand::rng();
        let code = Code::draw(&mut rng);
        setup.draw(human(guest), code, defaults, &mut rng).unwrap()
    }

    async fn create(&self, guest: GuestId, opponent: Opponent) -> Acknowledgement {
        self.make(guest, self.terms(guest, opponent)).await
    }

    /// Creates a match against a perfect bot, in which the guest moves first.
    async fn against_bot(&self, guest: GuestId) -> MatchId {
        let level = "perfect".parse().expect("a level");
        self.create(guest, Opponent::Bot(level)).await.id
    }

    /// Ada's match with Bo without clocks, in which she is to move.
    async fn clockless(&self, ada: GuestId, bo: GuestId) -> MatchId {
        let id = self.create(ada, Opponent::Open).await.id;
        self.act(id, bo, join(bo)).await.unwrap();
        id
    }

    async fn make(&self, guest: GuestId, terms: Terms) -> Acknowledgement {
        let command = CommandId::fresh();
        self.directory
            .create(guest, command, new(terms))
            .await
            .unwrap()
    }

    async fn act(
        &self,
        id: MatchId,
        guest: GuestId,
        action: Action,
    ) -> Result<Acknowledgement, Refusal> {
        self.act_read_at(id, guest, action, self.now()).await
    }

    /// Acts with an action whose frame was read at this instant.
    async fn act_read_at(
        &self,
        id: MatchId,
        guest: GuestId,
        action: Action,
        arrived: Timestamp,
    ) -> Result<Acknowledgement, Refusal> {
        let (actor, command) = (Actor::Guest(guest), CommandId::fresh());
        self.directory
            .act(id, actor, command, action, arrived)
            .await
    }

    async fn follow(&self, id: MatchId, since: u64) -> Subscription {
        self.follow_as(GuestId::fresh(), id, since).await
    }

    async fn follow_as(&self, guest: GuestId, id: MatchId, since: u64) -> Subscription {
        self.directory
            .follow(id, (guest, &anywhere()), Version(since))
            .await
            .unwrap()
    }

    async fn records(&self, id: MatchId) -> Vec<Record> {
        self.store.open(id).await.unwrap().0
    }

    fn in_lobby(&self, code: Code) -> bool {
        self.lobby.message(0).contains(code.as_str())
    }
}

fn author(guest: GuestId) -> ChatAuthor {
    ChatAuthor {
        guest,
        name: PlayerName::default(),
        account: account([127, 0, 0, 1]),
    }
}

/// The address of guests whose address does not matter.
fn address() -> ClientAddress {
    IpAddr::from([127, 0, 0, 1]).into()
}

/// The account of an address that has done nothing yet.
fn account(address: [u8; 4]) -> AddressAccount {
    let rate = Rate {
        per_second: 1,
        burst: 1,
    };
    let table = AddressTable::new(AddressShare::of(1, 1, rate, rate), 8);
    table.account(IpAddr::from(address).into())
}

fn anywhere() -> AddressAccount {
    account([192, 0, 2, 1])
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

/// The terms with the setup from which they follow without any draw.
fn new(terms: Terms) -> NewMatch {
    let setup = MatchSetup {
        start: Start::Position(terms.start.clone()),
        opponent: match terms.joiner {
            Some(Player::Bot { level }) => Opponent::Bot(level),
            _ if terms.seat_listed => Opponent::Open,
            _ => Opponent::Friend,
        },
        first: match terms.first {
            FirstMove::Creator => FirstMoveRule::Me,
            FirstMove::Joiner => FirstMoveRule::Other,
            FirstMove::CreatorChooses | FirstMove::JoinerChooses => FirstMoveRule::Choose,
        },
        visibility: terms.visibility,
        learning: terms.learning,
        time: terms.time,
        grace_ms: Some(terms.grace_ms),
        ..MatchSetup::new(terms.game.to_string())
    };
    let asker = anywhere();
    NewMatch {
        terms,
        setup,
        asker,
    }
}

mod bots;
mod bounds;
mod cluster;
mod creation;
mod doubt;
mod lateness;
mod life;
mod memory;
mod questions;
mod sweep;
mod viewers;

/// Waits for the next change of a followed match; none when it has left memory.
async fn next_change(following: &mut Subscription) -> Option<Change> {
    std::future::poll_fn(|context| following.poll_change(context)).await
}

/// Waits until the followed match has reached this version, and returns its phase.
async fn reaches(following: &mut Subscription, version: u64) -> Phase {
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
async fn a_deadline_takes_effect_before_a_late_command() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let made = fixture.create(ada, Opponent::Open).await;
    fixture.pass(OPEN_FOR);
    assert!(
        !fixture.in_lobby(made.code),
        "even before the match is loaded"
    );
    let refused = fixture.act(made.id, bo, join(bo)).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotOpen);
    let records = fixture.records(made.id).await;
    assert_eq!(records.last().unwrap().event, Event::Expired);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_takes_effect_without_a_request() {
    let fixture = MatchFixture::new();
    let made = fixture.create(GuestId::fresh(), Opponent::Open).await;
    let mut watching = fixture.follow(made.id, 1).await;
    fixture.pass(OPEN_FOR);
    let phase = reaches(&mut watching, 2).await;
    assert!(matches!(phase, Phase::Closed { .. }));
}

#[tokio::test]
async fn a_viewer_far_behind_receives_one_snapshot() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    for (version, mover) in [(2, ada), (3, bo), (4, ada)] {
        let heap = version - 1;
        fixture
            .act(id, mover, play(version, &format!("take 1 from {heap}")))
            .await
            .unwrap();
    }
    let watching = fixture.follow(id, 0).await;
    let count = |since, most| match watching.missed(Version(since), most, MoveForm::List) {
        Missed::Nothing => (0, since),
        Missed::Frames(frames, upto) => (frames.len(), upto.0),
        Missed::Snapshot(snapshot) => (100 + snapshot.events.len(), snapshot.version.0),
    };
    assert_eq!(count(0, 9), (105, 5), "more than the four frames kept");
    assert_eq!(count(1, 9), (4, 5));
    assert_eq!(count(1, 3), (3, 4), "the rest comes next");
    assert_eq!(count(4, 9), (1, 5));
    assert_eq!(count(5, 9), (0, 5));
    let ahead = fixture
        .directory
        .follow(id, (ada, &anywhere()), Version(6))
        .await
        .err()
        .unwrap();
    assert_eq!(ahead.reason(), RefusalReason::NoSuchVersion);
}

#[tokio::test]
async fn one_withdraws_only_ones_own_open_match() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let made = fixture.create(ada, Opponent::Open).await;
    let refused = fixture
        .act(made.id, bo, Action::Withdraw)
        .await
        .unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotAPlayer);
    let done = fixture.act(made.id, ada, Action::Withdraw).await.unwrap();
    assert_eq!((done.version, done.seat), (Version(2), Some(Seat::Creator)));
    assert!(!fixture.in_lobby(made.code));
    assert_eq!(fixture.records(made.id).await[1].event, Event::Withdrawn);
}

#[tokio::test(start_paused = true)]
async fn presence_lists_connected_players_and_spectators() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let made = fixture.create(ada, Opponent::Open).await;
    let mut seated = fixture
        .directory
        .follow(made.id, (ada, &anywhere()), Version(0))
        .await
        .unwrap();
    assert!(
        seated
            .presence()
            .contains(r#""connected":["creator"],"spectators":0"#)
    );
    assert_eq!(
        next_change(&mut seated).await,
        Some(Change::Presence),
        "the present state comes first"
    );
    let spectators: Vec<_> = [
        fixture.follow(made.id, 0).await,
        fixture.follow(made.id, 0).await,
    ]
    .into();
    assert_eq!(next_change(&mut seated).await, Some(Change::Presence));
    assert!(
        seated
            .presence()
            .contains(r#""connected":["creator"],"spectators":2"#)
    );
    drop(spectators);
    assert_eq!(next_change(&mut seated).await, Some(Change::Presence));
    assert!(seated.presence().contains(r#""spectators":0"#));
}
