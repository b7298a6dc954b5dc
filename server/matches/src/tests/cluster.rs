//! Tests of several servers on one store: what one of them alone would get wrong.

mod absences;
mod deadlines;
mod hints;

use std::ops::Deref;

use fibfob_protocol::{ChatDraft, ChatPhrase, PhaseView, TimeControl};
use fibfob_store::identity::TokenStamp;
use fibfob_store::limits::{BEAT_EVERY, SERVICE_GAP};
use fibfob_store::{AppendError, CarriedRecord, EngineFuture, Head, Hint, StoreError};
use fibfob_store_contract::faulty::{FaultInjector, PendingAppend};
use futures_util::future::BoxFuture;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::*;
use crate::hints::follow_cluster;
use crate::limits::{
    BOT_ELSEWHERE_PAUSE, HEADS_EVERY, LOBBY_GRACE, MATCHES_MAX, PRESENCE_NOTED_EVERY,
};

const CLOCK: u64 = 600_000;

/// A server among others.
struct ClusterFixture {
    server: MatchFixture,
    /// The tasks by which it follows the others; without them it knows what it asks for alone.
    tasks: JoinSet<()>,
}

impl Deref for ClusterFixture {
    type Target = MatchFixture;

    fn deref(&self) -> &MatchFixture {
        &self.server
    }
}

impl ClusterFixture {
    /// A server on a store that others may use too.
    fn one(store: impl FnOnce(Memory) -> Store) -> Self {
        let now = Arc::new(AtomicU64::new(1_000_000));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        Self::on(
            now,
            store(Memory::default().with_clock(move || clock.now())),
        )
    }

    /// Two servers that do not follow each other yet.
    fn pair() -> [Self; 2] {
        let one = Self::one(Store::new);
        let two = Self::on(Arc::clone(&one.now), one.store.clone());
        [one, two]
    }

    fn on(now: Arc<AtomicU64>, store: Store) -> Self {
        Self {
            server: MatchFixture::at(now, store, Duration::ZERO, usize::MAX),
            tasks: JoinSet::new(),
        }
    }

    /// Two servers that follow each other.
    fn two() -> [Self; 2] {
        let mut pair = Self::pair();
        pair.iter_mut().for_each(Self::run);
        pair
    }

    /// Another server on the same store.
    fn another(&self) -> Self {
        let mut another = Self::on(Arc::clone(&self.now), self.store.clone());
        another.run();
        another
    }

    /// Lets the server follow the others.
    fn run(&mut self) {
        let env = &self.server.directory.env;
        let service = Arc::clone(&env.service);
        let following = follow_cluster(Arc::clone(&self.server.directory));
        self.tasks.spawn(following);
        self.tasks.spawn(async move {
            loop {
                sleep(BEAT_EVERY).await;
                let _ = service.beat(Sign::Runs, false, None).await;
            }
        });
    }

    /// Ends the server from one instant to the next.
    async fn kill(&mut self) {
        self.server.directory.stop.cancel();
        self.tasks.shutdown().await;
    }

    /// Lets time pass for the clocks of all servers, whether they run or not.
    fn pass(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    /// Lets so many seconds pass, in which the servers run.
    async fn seconds(&self, seconds: u64) {
        for _ in 0..seconds {
            sleep(Duration::from_secs(1)).await;
            self.pass(1_000);
        }
        sleep(Duration::from_millis(500)).await;
    }

    fn clocked(&self, guest: GuestId) -> Terms {
        Terms {
            time: TimeControl::Move { each_ms: CLOCK },
            ..self.terms(guest, Opponent::Open)
        }
    }

    async fn has_resumed(&self, id: MatchId) -> bool {
        let records = self.records(id).await;
        let resumed = |record: &Record| matches!(record.event, Event::Resumed { .. });
        records.iter().any(resumed)
    }
}

fn people() -> (GuestId, GuestId) {
    (GuestId::fresh(), GuestId::fresh())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_beside_another_gives_nobody_time_back() {
    let [one, _two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.after_first_moves(ada, bo, one.clocked(ada)).await;
    one.seconds(5).await;
    let three = one.another();
    let _watching = three.follow(id, 0).await;
    three.seconds(5).await;
    assert!(!one.has_resumed(id).await);
    three.seconds(CLOCK / 1_000).await;
    let last = one.records(id).await.pop().unwrap().event;
    let seat = Seat::Creator;
    assert_eq!(
        last,
        Event::TimedOut { seat },
        "ten minutes of a server's running"
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_without_any_server_is_charged_to_nobody() {
    let [mut one, mut two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.after_first_moves(ada, bo, one.clocked(ada)).await;
    one.seconds(5).await;
    one.kill().await;
    two.kill().await;
    one.pass(2 * CLOCK);
    let three = one.another();
    let _watching = three.follow(id, 0).await;
    three.seconds(5).await;
    assert!(one.has_resumed(id).await);
    three.act(id, ada, play(4, "take 1 from 1")).await.unwrap();
}

/// A store that is out of reach while this is true.
#[derive(Clone, Default)]
struct Unreachable(Arc<AtomicBool>);

impl FaultInjector for Unreachable {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        match self.0.load(Ordering::SeqCst) {
            true => Box::pin(std::future::ready(Err(AppendError::Unknown))),
            false => Box::pin(append.store()),
        }
    }

    fn read(&self) -> EngineFuture<'static, ()> {
        Box::pin(std::future::ready(match self.0.load(Ordering::SeqCst) {
            true => Err(StoreError::Stopped),
            false => Ok(()),
        }))
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_without_the_store_is_charged_to_nobody() {
    let outage = Unreachable::default();
    let mut one = ClusterFixture::one(|memory| Store::new(Faulty::new(memory, outage.clone())));
    one.run();
    let (ada, bo) = people();
    let id = one.after_first_moves(ada, bo, one.clocked(ada)).await;
    let watching = one.follow(id, 0).await;
    one.seconds(5).await;
    outage.0.store(true, Ordering::SeqCst);
    one.seconds(2 * CLOCK / 1_000).await;
    let refused = one.act(id, ada, play(4, "take 1 from 1")).await;
    assert_eq!(refused, Err(Refusal::Unavailable));
    outage.0.store(false, Ordering::SeqCst);
    one.seconds(5).await;
    assert!(one.has_resumed(id).await);
    one.act(id, ada, play(4, "take 1 from 1")).await.unwrap();
    assert_eq!(
        watching.feed.borrow().current().version(),
        Version(6),
        "it stayed in memory"
    );
}

/// A store that loses all hints.
struct WithoutHints;

impl FaultInjector for WithoutHints {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        Box::pin(append.store())
    }

    fn hint(&self) -> BoxFuture<'static, usize> {
        Box::pin(std::future::ready(0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_asks_the_store_who_is_connected_by_now() {
    let mut memory = None;
    let mut one = ClusterFixture::one(|shared| {
        memory = Some(shared.clone());
        Store::new(Faulty::new(shared, WithoutHints))
    });
    let store = Store::new(memory.unwrap());
    let mut two = ClusterFixture::on(Arc::clone(&one.now), store);
    one.run();
    two.run();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let _ada = one.follow_as(ada, id, 0).await;
    one.seconds(2 * GRACE / 1_000).await;
    let _bo = two.follow_as(bo, id, 0).await;
    // The note is written, and no look at all matches has read it.
    sleep(2 * PRESENCE_NOTED_EVERY).await;
    let refused = one.act(id, ada, Action::Claim).await.unwrap_err();
    assert!(
        matches!(refused, Refusal::NotAwayLongEnough { away_ms: 0, .. }),
        "{refused:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_lobby_lists_the_matches_of_all_servers() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let made = one.create(ada, Opponent::Open).await;
    let here = one.follow_as(ada, made.id, 0).await;
    two.seconds(3).await;
    let three = one.another();
    three.seconds(3).await;
    for server in [&one, &two, &three] {
        assert!(server.in_lobby(made.code));
    }
    drop(here);
    two.seconds(LOBBY_GRACE.as_secs() + 5).await;
    assert!(!two.in_lobby(made.code), "its creator is nowhere");
    let _ada = one.follow_as(ada, made.id, 0).await;
    two.act(made.id, bo, join(bo)).await.unwrap();
    one.seconds(5).await;
    let playing = format!("\"playing\":[{{\"code\":\"{}\"", made.code);
    assert!(
        one.lobby.message(0).contains(&playing),
        "{:?}",
        one.lobby.message(0)
    );
    two.act(made.id, bo, Action::Resign).await.unwrap();
    one.seconds(5).await;
    for server in [&one, &two, &three] {
        assert!(!server.in_lobby(made.code), "it is over");
    }
}

#[tokio::test(start_paused = true)]
async fn a_guest_is_shown_changes_of_matches_that_another_server_has_in_memory() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    // They know of each other by then.
    one.seconds(2).await;
    let _ada = two
        .directory
        .env
        .guests
        .greeted(ada, address(), Timestamp(0));
    let mut watched = two.directory.env.guests.watch_own(ada).unwrap();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let read = |id| two.directory.read(id).map(Result::ok);
    // The two events come together, or one by one.
    let mut newest = Version(0);
    while newest < Version(2) {
        let shown = watched.next(read).await.unwrap();
        assert_eq!(shown[0].place.match_id, id);
        assert!(shown[0].version > newest);
        newest = shown[0].version;
    }
    one.act(id, bo, Action::Resign).await.unwrap();
    let shown = watched.next(read).await.unwrap();
    assert!(matches!(
        shown[0].phase,
        PhaseView::Over {
            winner: Seat::Creator,
            ..
        }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_guests_matches_are_counted_over_all_servers() {
    let [one, two] = ClusterFixture::two();
    let ada = GuestId::fresh();
    for number in 0..MATCHES_MAX {
        let at = if number % 2 == 0 { &one } else { &two };
        at.create(ada, Opponent::Open).await;
    }
    for at in [&one, &two] {
        let terms = at.terms(ada, Opponent::Open);
        let refused = at.directory.create(ada, CommandId::fresh(), new(terms));
        assert_eq!(refused.await, Err(Refusal::TooManyMatches(MATCHES_MAX)));
    }
}

#[tokio::test(start_paused = true)]
async fn chat_reaches_the_viewers_of_all_servers_once() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let here = one.follow_as(ada, id, 0).await;
    let there = two.follow_as(bo, id, 0).await;
    // They know of each other by then.
    one.seconds(2).await;
    let command = CommandId::fresh();
    let say = async |at: &ClusterFixture, phrase| {
        let author = author(ada);
        let draft = ChatDraft::Phrase(phrase);
        at.directory.chat(id, author, command.clone(), draft).await
    };
    say(&one, ChatPhrase::GoodLuck).await.unwrap();
    one.seconds(1).await;
    assert!(there.unseen_chat(0).is_some(), "by a hint");
    say(&two, ChatPhrase::GoodLuck).await.unwrap();
    let reused = say(&two, ChatPhrase::Bye).await;
    assert_eq!(reused, Err(Refusal::IdReused(command.clone())));
    one.seconds(1).await;
    let shown = [here, there].map(|viewer| viewer.unseen_chat(0).unwrap().lines);
    assert_eq!(shown[0].len(), 1);
    assert_eq!(shown[0], shown[1]);
    let third = one.another();
    let late = third.follow_as(bo, id, 0).await;
    third.seconds(10).await;
    assert_eq!(late.unseen_chat(0).unwrap().lines, shown[0]);
}

#[tokio::test(start_paused = true)]
async fn spectators_are_counted_over_all_servers() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let here = one.follow_as(ada, id, 0).await;
    let _there = two.follow_as(bo, id, 0).await;
    let _strangers = [two.follow(id, 0).await, two.follow(id, 0).await];
    one.seconds(2).await;
    let presence = here.presence();
    assert!(presence.contains("\"spectators\":2"), "{presence:?}");
    assert!(
        presence.contains("\"connected\":[\"creator\",\"joiner\"]"),
        "{presence:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn another_servers_bot_takes_over_when_the_first_is_gone() {
    let [mut one, two] = ClusterFixture::two();
    let ada = GuestId::fresh();
    let id = one.against_bot(ada).await;
    let _watching = [one.follow(id, 0).await, two.follow(id, 0).await];
    one.act(id, ada, play(1, "take 1 from 2")).await.unwrap();
    one.seconds(20).await;
    assert_eq!(one.records(id).await.len(), 3, "one answer");
    let (records, text) = {
        let inspected = two.directory.inspect(id).await.unwrap();
        let legal = inspected.current.position().legal_moves();
        (inspected.records.len(), legal.iter().next().unwrap())
    };
    // The server that stores the move dies with it.
    one.kill().await;
    let command = CommandId::fresh();
    let again = one.another();
    let actor = Actor::Guest(ada);
    let moved = again
        .directory
        .act(id, actor, command, play(records as u64, &text), again.now());
    moved.await.unwrap();
    let mut dying = again;
    dying.kill().await;
    let after = BOT_ELSEWHERE_PAUSE.as_secs() + 5;
    two.seconds(after).await;
    let is_over = matches!(
        two.directory.inspect(id).await.unwrap().current.phase(),
        Phase::Over { .. }
    );
    assert!(is_over || two.records(id).await.len() == records + 2);
}
