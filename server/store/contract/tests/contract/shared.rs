//! The contract of what servers on one store tell each other: each test runs against every engine
//! that several servers use at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fibfob_protocol::{LastRun, millis};
use fibfob_store::limits::SERVICE_GAP;
use fibfob_store::{
    CarriedRecord, Head, Hint, Memory, NotedAbsence, PresenceNote, Service, StoredChatLine,
};
use fibfob_test_postgres::Database;
use futures_util::stream::StreamExt;

use super::fixture::open_database;
use super::notes::chat_line;
use super::*;

run_against! {
    memory: SharedFixture::memory();
    postgres: SharedFixture::postgres();
    => [
        a_run_ends_with_a_silence_of_all_servers,
        a_record_that_is_stored_after_a_silence_does_not_end_it_earlier,
        absences_are_handed_to_servers_that_begin,
        a_silent_server_is_taken_for_dead,
        a_server_that_begins_alone_begins_a_run,
        chat_lines_of_several_servers_have_one_order,
        hints_reach_the_other_servers_and_heads_tell_what_was_missed,
    ]
}

/// The time at which a store in memory begins.
const START: u64 = 1_700_000_000_000;

/// A store that several servers use, whose clock can be moved.
enum SharedFixture {
    Memory(Memory, Arc<AtomicU64>),
    Postgres(Database, AtomicU64),
}

/// One server.
struct Server {
    store: Store,
    id: ServerId,
}

impl SharedFixture {
    fn memory() -> Self {
        let now = Arc::new(AtomicU64::new(START));
        let read = Arc::clone(&now);
        let clock = move || Timestamp(read.load(Ordering::Relaxed));
        Self::Memory(Memory::default().with_clock(clock), now)
    }

    fn postgres() -> Self {
        Self::Postgres(Database::create(), AtomicU64::new(0))
    }

    /// A further server, which has noted nothing yet.
    fn server(&self) -> Server {
        let store = match self {
            Self::Memory(memory, _) => Store::new(memory.clone()),
            Self::Postgres(database, _) => {
                let store = Store::new(open_database(database));
                self.pass(Duration::ZERO);
                store
            }
        };
        Server {
            store,
            id: ServerId(Uuid::new_v4()),
        }
    }

    /// Lets time pass, which stands still otherwise.
    fn pass(&self, time: Duration) {
        match self {
            Self::Memory(_, now) => {
                now.fetch_add(millis(time), Ordering::Relaxed);
            }
            Self::Postgres(database, passed) => {
                let passed = passed.fetch_add(millis(time), Ordering::Relaxed) + millis(time);
                let now = START + passed;
                database.sql(&format!(
                    "CREATE OR REPLACE FUNCTION fibfob.now() RETURNS bigint LANGUAGE sql VOLATILE
                     AS $$ SELECT {now}::bigint $$"
                ));
            }
        }
    }
}

impl Server {
    async fn beat_with(&self, sign: Sign, absences: Option<Vec<NotedAbsence>>) -> Service {
        let beat = Beat {
            server: self.id,
            // A clock that is far behind: the store's own counts.
            at: Timestamp(1),
            sign,
            is_idle: false,
            absences,
        };
        self.store.beat(beat).await.unwrap()
    }

    async fn beat(&self, begins: bool) -> Service {
        let sign = if begins { Sign::Begins } else { Sign::Runs };
        self.beat_with(sign, None).await
    }

    /// Creates an open match; the store's tests give it a time of their own.
    async fn create(&self, creator: GuestId, at: u64) -> (MatchId, Match) {
        let (id, first, state) = new_match_of(creator, at);
        let (_, mut log) = self.store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, at)).await.unwrap();
        (id, state)
    }

    async fn say(&self, id: MatchId, line: &StoredChatLine) -> StoredChatLine {
        self.store.add_chat_line(id, line, &[]).await.unwrap()
    }
}

async fn a_run_ends_with_a_silence_of_all_servers(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let first = one.beat(true).await;
    assert_eq!((first.since, first.last_run), (first.at, None));
    fixture.pass(Duration::from_secs(1));
    let second = other.beat(true).await;
    assert_eq!((second.since, second.last_run), (first.since, None));
    assert!(second.at.0 >= first.at.0 + 1_000, "the store's own clock");
    fixture.pass(SERVICE_GAP / 2);
    assert_eq!(one.beat(false).await.since, first.since, "a short silence");
    let until = other.beat(false).await.at;
    fixture.pass(SERVICE_GAP + Duration::from_secs(2));
    let after = other.beat(false).await;
    assert_eq!(after.since, after.at, "a new run, of an old server");
    let last_run = after.last_run.unwrap();
    assert_eq!(last_run.began, first.since);
    assert!(last_run.until <= until && last_run.until.0 + 1_000 > until.0);
    let running = after.downtimes.running_millis(first.since, after.at);
    let passed = 1_000 + millis(SERVICE_GAP) / 2;
    assert!((passed - 1_000..passed + millis(SERVICE_GAP)).contains(&running));
    let found = one.beat(false).await;
    let LastRun { until, .. } = found.last_run.unwrap();
    assert_eq!((found.since, until), (after.since, last_run.until));
}

async fn a_record_that_is_stored_after_a_silence_does_not_end_it_earlier(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let until = one.beat(true).await.at;
    let silence = SERVICE_GAP + Duration::from_secs(2);
    fixture.pass(silence);
    // A server that has not noted its running again yet.
    let at = until.0 + millis(silence);
    one.create(GuestId::fresh(), at).await;
    let after = one.beat(false).await;
    assert_eq!(after.last_run.map(|run| run.until), Some(until));
    let running = after.downtimes.running_millis(until, after.at);
    assert_eq!(running, 0, "nobody is charged for the silence");
    assert!(after.at.0 >= at, "no earlier than any record");
    let found = other.beat(true).await;
    assert_eq!(
        (found.since, found.downtimes),
        (after.since, after.downtimes)
    );
}

async fn absences_are_handed_to_servers_that_begin(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let absence = NotedAbsence {
        id: MatchId(Uuid::new_v4()),
        seat: Seat::Joiner,
        away_ms: 77,
        since: Some(Timestamp(5)),
    };
    assert_eq!(one.beat(true).await.absences, []);
    one.beat_with(Sign::Runs, Some(vec![absence])).await;
    assert_eq!(other.beat(true).await.absences, [absence]);
    assert_eq!(other.beat(false).await.absences, [], "once");
    one.beat_with(Sign::Runs, Some(Vec::new())).await;
    assert_eq!(fixture.server().beat(true).await.absences, []);
}

async fn a_silent_server_is_taken_for_dead(fixture: SharedFixture) {
    let (silent, living) = (fixture.server(), fixture.server());
    let last_sign = silent.beat(true).await.at;
    fixture.pass(SERVICE_GAP / 2);
    let service = living.beat(true).await;
    assert!(service.has_peers(living.id));
    assert_eq!(service.ended(silent.id), None);
    fixture.pass(SERVICE_GAP);
    let service = living.beat(false).await;
    assert!(!service.has_peers(living.id));
    assert_eq!(service.ended(silent.id), Some(last_sign));
    silent.beat(false).await;
    assert_eq!(living.beat(false).await.ended(silent.id), None, "it lives");
    let unknown = fixture.server();
    let ended = living.beat(false).await.ended(unknown.id);
    assert_eq!(ended, Some(Timestamp(0)), "before its first sign");
}

async fn a_server_that_begins_alone_begins_a_run(fixture: SharedFixture) {
    let (one, other, third) = (fixture.server(), fixture.server(), fixture.server());
    let first = one.beat(true).await;
    fixture.pass(Duration::from_secs(1));
    assert_eq!(other.beat(true).await.since, first.since, "beside another");
    for ending in [&one, &other] {
        ending.beat_with(Sign::Ends, None).await;
    }
    let until = first.at.0 + 1_000;
    fixture.pass(Duration::from_secs(2));
    let after = third.beat(true).await;
    assert_eq!(after.since, after.at);
    assert_eq!(after.last_run.map(|run| run.until), Some(Timestamp(until)));
    assert!(!after.has_peers(third.id));
}

async fn chat_lines_of_several_servers_have_one_order(fixture: SharedFixture) {
    const LINES: usize = 20;
    let servers = Arc::new([fixture.server(), fixture.server()]);
    let id = MatchId(Uuid::new_v4());
    let repeated = chat_line(GuestId::fresh(), START);
    let mut saying = Vec::new();
    for number in 0..2 {
        let (servers, repeated) = (Arc::clone(&servers), repeated.clone());
        saying.push(tokio::spawn(async move {
            let server = &servers[number];
            let mut said = vec![server.say(id, &repeated).await];
            for _ in 0..LINES {
                let line = chat_line(GuestId::fresh(), START);
                said.push(server.say(id, &line).await);
            }
            said
        }));
    }
    // A reader that reads on misses nothing, as lines come in the order of their numbers.
    let mut read = Vec::new();
    while read.len() < 2 * LINES + 1 {
        let after = read
            .last()
            .map_or(0, |stored: &StoredChatLine| stored.line.number);
        read.extend(servers[0].store.chat_lines(id, after).await.unwrap());
    }
    let mut said = Vec::new();
    for server in saying {
        said.extend(server.await.unwrap());
    }
    said.sort_by_key(|stored| stored.line.number);
    said.dedup();
    assert_eq!(read, said, "the repeated one once");
}

async fn hints_reach_the_other_servers_and_heads_tell_what_was_missed(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let (id, _) = one.create(GuestId::fresh(), 1).await;
    let head = Head {
        id,
        version: Version(1),
    };
    let (records, _) = one.store.open(id).await.unwrap();
    let mut hints = other.store.hints();
    let signed_out = Hint::SignedOut(GuestId::fresh(), 3);
    for hint in [
        Hint::Log(head, None, Vec::new()),
        Hint::Log(
            head,
            Some(CarriedRecord::of(&records[0])),
            vec![GuestId::fresh()],
        ),
        Hint::Presence(one.id, PresenceNote::nobody(id)),
        Hint::Chat(id, 7),
        signed_out,
    ] {
        // Until the other one listens, hints are lost.
        loop {
            one.store.hint(hint.clone());
            let next = tokio::time::timeout(Duration::from_millis(200), hints.next()).await;
            match next {
                Ok(Some(next)) if next == hint => break,
                _ => {}
            }
        }
    }
    let unknown = MatchId(Uuid::new_v4());
    let heads = async || other.store.heads(vec![unknown, id]).await.unwrap();
    assert_eq!(heads().await, [(head, 0)]);
    let said = one.say(id, &chat_line(GuestId::fresh(), START)).await;
    assert_eq!(heads().await, [(head, said.line.number)]);
}
