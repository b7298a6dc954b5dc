//! The contract of what servers on one store tell each other: each test runs against every engine
//! that several servers use at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fibfob_protocol::{ChatChannel, ChatContent, ChatPhrase, LastRun};
use fibfob_test_postgres::Database;
use futures_util::stream::StreamExt;

use super::fixture::open_database;
use super::*;
use crate::clock::{Clock, millis};
use crate::limits::{SERVICE_GAP, TALK_KEPT};
use crate::store::{
    CarriedRecord, CodeDigest, Head, HeldSeats, Hint, Memory, NewChatLine, NotedAbsence,
    NotedPresence, PresenceNote, Service, SharedStore, StoredChatLine, StoredDeviceCode,
};

run_against! {
    memory: SharedFixture::memory();
    postgres: SharedFixture::postgres();
    => [
        a_run_ends_with_a_silence_of_all_servers,
        a_record_that_is_stored_after_a_silence_does_not_end_it_earlier,
        absences_are_handed_to_servers_that_begin,
        servers_read_what_others_note_of_a_match,
        a_silent_server_is_taken_for_dead,
        a_guest_is_connected_while_a_living_server_says_so,
        the_lobby_shows_who_is_connected_anywhere,
        chat_lines_are_numbered_and_a_repeat_is_the_same_line,
        chat_lines_of_several_servers_have_one_order,
        old_chat_lines_of_a_channel_are_dropped,
        seats_in_unfinished_matches_are_counted,
        a_device_code_is_used_once,
        generations_of_renewed_tokens_are_read,
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
    shared: SharedStore,
    id: ServerId,
}

impl SharedFixture {
    fn memory() -> Self {
        let now = Arc::new(AtomicU64::new(START));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::Relaxed)));
        Self::Memory(Memory::default().for_servers(clock), now)
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
            shared: store.shared().expect("several servers use it"),
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
    async fn beat_with(&self, begins: bool, absences: Option<Vec<NotedAbsence>>) -> Service {
        let beat = Beat {
            server: self.id,
            // A clock that is far behind: the store's own counts.
            at: Timestamp(1),
            begins,
            absences,
        };
        self.store.beat(beat).await.unwrap()
    }

    async fn beat(&self, begins: bool) -> Service {
        self.beat_with(begins, None).await
    }

    async fn note(&self, note: &PresenceNote) {
        let noted = self.shared.note_presence(self.id, vec![note.clone()]);
        noted.await.unwrap();
    }

    async fn presence(&self, id: MatchId) -> Vec<NotedPresence> {
        self.shared.presence(self.id, vec![id]).await.unwrap()
    }

    /// Creates an open match; the store's tests give it a time of their own.
    async fn create(&self, creator: GuestId, at: u64) -> (MatchId, Match) {
        let (id, first, state) = new_match_of(creator, at);
        let (_, mut log) = self.store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, at)).await.unwrap();
        (id, state)
    }

    async fn say(&self, line: &NewChatLine) -> StoredChatLine {
        self.shared.add_chat_line(line.clone()).await.unwrap()
    }
}

fn presence(id: MatchId, connected: &[Seat], spectators: usize) -> PresenceNote {
    PresenceNote {
        id,
        connected: connected.to_vec(),
        spectators,
        renamed: Vec::new(),
        absences: Vec::new(),
    }
}

fn chat_line(id: MatchId, channel: ChatChannel) -> NewChatLine {
    NewChatLine {
        id,
        channel,
        command: CommandId::fresh(),
        guest: GuestId::fresh(),
        name: PlayerName::default(),
        content: ChatContent::Phrase(ChatPhrase::Hello),
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
    one.beat_with(false, Some(vec![absence])).await;
    assert_eq!(other.beat(true).await.absences, [absence]);
    assert_eq!(other.beat(false).await.absences, [], "once");
    one.beat_with(false, Some(Vec::new())).await;
    assert_eq!(fixture.server().beat(true).await.absences, []);
}

async fn servers_read_what_others_note_of_a_match(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    one.beat(true).await;
    other.beat(true).await;
    let id = MatchId(Uuid::new_v4());
    let mut noted = presence(id, &[Seat::Creator], 2);
    noted.absences.push(NotedAbsence {
        id,
        seat: Seat::Joiner,
        away_ms: 3,
        since: None,
    });
    one.note(&noted).await;
    let read = NotedPresence {
        note: noted.clone(),
        ended: None,
    };
    assert_eq!(other.presence(id).await, [read]);
    assert_eq!(one.presence(id).await, [], "not its own");
    assert_eq!(other.presence(MatchId(Uuid::new_v4())).await, []);
    let changed = presence(id, &[Seat::Joiner], 0);
    let both = vec![noted, changed.clone()];
    one.shared.note_presence(one.id, both).await.unwrap();
    assert_eq!(other.presence(id).await[0].note, changed, "the last one");
    one.note(&presence(id, &[], 0)).await;
    assert_eq!(other.presence(id).await, []);
}

async fn a_silent_server_is_taken_for_dead(fixture: SharedFixture) {
    let (silent, living) = (fixture.server(), fixture.server());
    let last_sign = silent.beat(true).await.at;
    let id = MatchId(Uuid::new_v4());
    silent.note(&presence(id, &[Seat::Creator], 0)).await;
    fixture.pass(SERVICE_GAP / 2);
    living.beat(true).await;
    assert_eq!(living.presence(id).await[0].ended, None);
    fixture.pass(SERVICE_GAP);
    living.beat(false).await;
    assert_eq!(living.presence(id).await[0].ended, Some(last_sign));
    silent.beat(false).await;
    assert_eq!(living.presence(id).await[0].ended, None, "it lives");
    let unknown = fixture.server();
    unknown.note(&presence(id, &[Seat::Joiner], 0)).await;
    let notes = living.presence(id).await;
    assert_eq!(notes.len(), 2);
    let ended = notes.iter().filter(|noted| noted.ended.is_some()).count();
    assert_eq!(ended, 1, "it counts from its first sign of life");
}

async fn a_guest_is_connected_while_a_living_server_says_so(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    one.beat(true).await;
    other.beat(true).await;
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let connected = async |guests: &[GuestId]| {
        let asking = other.shared.is_any_connected(guests.to_vec());
        asking.await.unwrap()
    };
    assert!(!connected(&[ada, bo]).await);
    let note = async |server: &Server, is_connected| {
        let noted = server
            .shared
            .note_guests(server.id, vec![(ada, is_connected)]);
        noted.await.unwrap();
    };
    note(&one, true).await;
    note(&one, true).await;
    assert!(connected(&[bo, ada]).await);
    assert!(!connected(&[bo]).await && !connected(&[]).await);
    note(&other, true).await;
    note(&one, false).await;
    assert!(connected(&[ada]).await, "at the other one");
    fixture.pass(SERVICE_GAP * 2);
    one.beat(false).await;
    assert!(!connected(&[ada]).await, "which has died");
}

async fn the_lobby_shows_who_is_connected_anywhere(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    one.beat(true).await;
    other.beat(true).await;
    let mut ids = Vec::new();
    for at in 1..=3 {
        ids.push(one.create(GuestId::fresh(), at).await.0);
    }
    one.note(&presence(ids[0], &[], 1)).await;
    other.note(&presence(ids[0], &[Seat::Creator], 0)).await;
    one.note(&presence(ids[1], &[Seat::Joiner], 0)).await;
    let lobby = async || {
        let rows = other.shared.lobby(9).await.unwrap();
        let seen = rows.iter().map(|row| (row.id, row.creator, row.anybody));
        seen.collect::<Vec<_>>()
    };
    let seen = [
        (ids[0], true, true),
        (ids[1], false, true),
        (ids[2], false, false),
    ];
    assert_eq!(lobby().await, seen, "oldest first");
    let rows = other.shared.lobby(2).await.unwrap();
    assert_eq!(rows.len(), 2, "the newest");
    let listed = other.store.lobby_rows(2).await.unwrap();
    let without: Vec<_> = rows.into_iter().map(|row| (row.id, row.row)).collect();
    assert_eq!(without, listed);
    fixture.pass(SERVICE_GAP * 2);
    one.beat(false).await;
    assert_eq!(lobby().await[0], (ids[0], false, true), "a server has died");
}

async fn chat_lines_are_numbered_and_a_repeat_is_the_same_line(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let id = MatchId(Uuid::new_v4());
    let first = chat_line(id, ChatChannel::Players);
    let stored = one.say(&first).await;
    assert_eq!(stored.channel, first.channel);
    assert_eq!(stored.command, first.command);
    assert_eq!(
        (stored.line.guest, &stored.line.name),
        (first.guest, &first.name)
    );
    assert_eq!(stored.line.content, first.content);
    assert_eq!(other.say(&first).await, stored, "a repeat, elsewhere");
    let mut of_another = first.clone();
    of_another.guest = GuestId::fresh();
    let second = other.say(&of_another).await;
    assert!(
        second.line.number > stored.line.number,
        "another author's own"
    );
    let elsewhere = chat_line(MatchId(Uuid::new_v4()), ChatChannel::Players);
    one.say(&elsewhere).await;
    let lines = async |after| one.shared.chat_lines(id, after).await.unwrap();
    assert_eq!(lines(0).await, [stored.clone(), second.clone()]);
    assert_eq!(lines(stored.line.number).await, slice::from_ref(&second));
    assert_eq!(lines(second.line.number).await, []);
}

async fn chat_lines_of_several_servers_have_one_order(fixture: SharedFixture) {
    const LINES: usize = 20;
    let servers = Arc::new([fixture.server(), fixture.server()]);
    let id = MatchId(Uuid::new_v4());
    let repeated = chat_line(id, ChatChannel::Players);
    let mut saying = Vec::new();
    for number in 0..2 {
        let (servers, repeated) = (Arc::clone(&servers), repeated.clone());
        saying.push(tokio::spawn(async move {
            let server = &servers[number];
            let mut said = vec![server.say(&repeated).await];
            for _ in 0..LINES {
                said.push(server.say(&chat_line(id, ChatChannel::Players)).await);
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
        read.extend(servers[0].shared.chat_lines(id, after).await.unwrap());
    }
    let mut said = Vec::new();
    for server in saying {
        said.extend(server.await.unwrap());
    }
    said.sort_by_key(|stored| stored.line.number);
    said.dedup();
    assert_eq!(read, said, "the repeated one once");
}

async fn old_chat_lines_of_a_channel_are_dropped(fixture: SharedFixture) {
    let server = fixture.server();
    let id = MatchId(Uuid::new_v4());
    let first = server.say(&chat_line(id, ChatChannel::Spectators)).await;
    let mut said = Vec::new();
    for _ in 0..TALK_KEPT + 3 {
        said.push(server.say(&chat_line(id, ChatChannel::Players)).await);
    }
    let kept = server.shared.chat_lines(id, 0).await.unwrap();
    assert_eq!(kept[0], first, "of the other channel");
    assert_eq!(kept[1..], said[3..]);
}

async fn seats_in_unfinished_matches_are_counted(fixture: SharedFixture) {
    let server = fixture.server();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let held = async |guest, since, now| {
        let counted = server
            .shared
            .held_seats(guest, Timestamp(since), Timestamp(now));
        let HeldSeats { made, held } = counted.await.unwrap();
        (made, held)
    };
    assert_eq!(held(ada, 0, 0).await, (0, 0));
    // An open match expires a second after it was made.
    let (_, _) = server.create(ada, 10).await;
    assert_eq!(held(ada, 0, 1_009).await, (1, 1));
    assert_eq!(held(ada, 0, 1_010).await, (0, 0), "expired");
    assert_eq!(held(ada, 11, 11).await, (0, 0), "too old");
    let (id, mut state) = server.create(ada, 20).await;
    let (_, mut log) = server.store.open(id).await.unwrap();
    let record = joined_by(bo, &mut state, 21);
    log.append(&record, &index_row(&state, 20)).await.unwrap();
    assert_eq!(held(ada, 0, 5_000).await, (1, 1), "one in play");
    assert_eq!(held(bo, 0, 5_000).await, (0, 1));
    let record = resigned(&mut state, 22);
    log.append(&record, &index_row(&state, 20)).await.unwrap();
    assert_eq!(held(ada, 0, 0).await, (1, 1), "the open one is left");
    assert_eq!(held(bo, 0, 0).await, (0, 0));
}

async fn a_device_code_is_used_once(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let now = one.beat(true).await.at;
    let stamp = TokenStamp::default().next(&mut rand::rng());
    let code = |digest, guest| StoredDeviceCode {
        digest: CodeDigest([digest; 32]),
        guest,
        stamp,
        name: PlayerName::default(),
        until: Timestamp(now.0 + 60_000),
    };
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let (first, of_bo) = (code(1, ada), code(2, bo));
    one.shared.put_device_code(first.clone()).await.unwrap();
    one.shared.put_device_code(of_bo.clone()).await.unwrap();
    let take_as = async |digest, by: Option<(GuestId, CommandId)>, at: u64| {
        let at = Timestamp(now.0 + at);
        let taking = other
            .shared
            .take_device_code(CodeDigest([digest; 32]), by, at);
        taking.await.unwrap()
    };
    let take = async |digest, by: &(GuestId, CommandId), at: u64| {
        take_as(digest, Some(by.clone()), at).await
    };
    let by = (GuestId::fresh(), CommandId::fresh());
    let another = (by.0, CommandId::fresh());
    assert_eq!(take(1, &by, 60_000).await, None, "too late");
    assert_eq!(take(9, &by, 0).await, None, "no such code");
    for _ in 0..2 {
        assert_eq!(take_as(1, None, 0).await, Some(first.clone()), "a look");
    }
    assert_eq!(take(1, &by, 0).await, Some(first.clone()));
    assert_eq!(take_as(1, None, 0).await, None, "it is used");
    assert_eq!(take(1, &another, 0).await, None, "once");
    assert_eq!(take(1, &by, 1).await, Some(first), "to the same request");
    assert_eq!(take(2, &another, 0).await, Some(of_bo));
    let newer = code(3, ada);
    one.shared.put_device_code(newer.clone()).await.unwrap();
    assert_eq!(take(1, &by, 0).await, None, "replaced");
    assert_eq!(take(3, &another, 0).await, Some(newer));
}

async fn generations_of_renewed_tokens_are_read(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let first = TokenStamp::default().next(&mut rand::rng());
    one.store.renew_token(ada, first).await.unwrap();
    let second = first.next(&mut rand::rng());
    one.store.renew_token(ada, second).await.unwrap();
    let read = other.shared.generations(vec![ada, bo]).await.unwrap();
    assert_eq!(read, [(ada, 2)]);
}

async fn hints_reach_the_other_servers_and_heads_tell_what_was_missed(fixture: SharedFixture) {
    let (one, other) = (fixture.server(), fixture.server());
    let (id, _) = one.create(GuestId::fresh(), 1).await;
    let head = Head {
        id,
        version: Version(1),
    };
    let (records, _) = one.store.open(id).await.unwrap();
    let mut hints = other.shared.hints();
    let signed_out = Hint::SignedOut(GuestId::fresh(), 3);
    for hint in [
        Hint::Log(head, None),
        Hint::Log(head, Some(CarriedRecord::of(&records[0]))),
        Hint::Presence(id),
        Hint::Chat(id, 7),
        signed_out,
    ] {
        // Until the other one listens, hints are lost.
        loop {
            one.shared.hint(hint.clone());
            let next = tokio::time::timeout(Duration::from_millis(200), hints.next()).await;
            match next {
                Ok(Some(next)) if next == hint => break,
                _ => {}
            }
        }
    }
    let unknown = MatchId(Uuid::new_v4());
    let heads = async || other.shared.heads(vec![unknown, id]).await.unwrap();
    assert_eq!(heads().await, [(head, 0)]);
    let said = one.say(&chat_line(id, ChatChannel::Players)).await;
    assert_eq!(heads().await, [(head, said.line.number)]);
}
