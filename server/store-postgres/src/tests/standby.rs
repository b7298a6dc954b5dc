//! A primary with its synchronous standby, in failures of each.

use fibfob_store::{Hint, PresenceNote, ServerId};
use fibfob_test_postgres::DatabaseServer;
use futures_util::stream::StreamExt;
use tokio::time::{Instant, timeout};

use super::*;

/// A primary whose commits wait for a standby, and a match with one record.
struct Pair {
    primary: DatabaseServer,
    standby: DatabaseServer,
    engine: Postgres,
    id: MatchId,
}

impl Pair {
    async fn start() -> Self {
        let primary = DatabaseServer::primary();
        primary.create_database("games");
        let standby = primary.standby("b");
        primary.wait_for_standby("b");
        let url = DatabaseServer::url(&[&primary, &standby], "games");
        let engine = Postgres::open(&url.parse().unwrap(), false).await.unwrap();
        let (id, first, state) = new_match(1);
        let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
        log.append(&first, &index_row(&state, 1)).await.unwrap();
        Self {
            primary,
            standby,
            engine,
            id,
        }
    }

    /// Starts to append the next record, and waits until only the standby is missing.
    async fn append_without_standby(&self) -> tokio::task::JoinHandle<Result<(), AppendError>> {
        let (records, mut log) = Store::new(self.engine.clone()).open(self.id).await.unwrap();
        let record = note(records.len() as u64 + 1);
        self.standby.freeze();
        let appending = tokio::spawn(async move { log.append(&record, None).await });
        with_bound(async {
            while self.waiting() == 0 {
                sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
        appending
    }

    /// The number of commits that wait for the standby.
    fn waiting(&self) -> usize {
        self.waiting_for("SyncRep")
    }

    fn waiting_for(&self, events: &str) -> usize {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event IN";
        let rows = self.primary.admin(&format!("{sql} ('{events}')"));
        rows.trim().parse().unwrap()
    }

    async fn records(&self) -> usize {
        Store::new(self.engine.clone())
            .open(self.id)
            .await
            .unwrap()
            .0
            .len()
    }
}

#[tokio::test]
async fn a_cancelled_wait_for_the_standby_is_no_acknowledgement() {
    let pair = Pair::start().await;
    let appending = pair.append_without_standby().await;
    pair.primary
        .admin("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    let answer = with_bound(appending).await.unwrap();
    assert_eq!(
        answer,
        Err(AppendError::Unknown),
        "the database says success"
    );
}

#[tokio::test]
async fn an_append_without_standby_is_given_up_and_neither_shown_nor_cancelled() {
    let pair = Pair::start().await;
    let began = Instant::now();
    let appending = pair.append_without_standby().await;
    assert_eq!(pair.records().await, 1, "no reader sees it");
    let answer = with_bound(appending).await.unwrap();
    assert_eq!(answer, Err(AppendError::Unknown));
    assert!(began.elapsed() < STATEMENT_WITHIN * 2);
    let ready = pair.engine.ready().await;
    assert!(
        matches!(ready, Err(StoreError::CannotWrite(FailureKind::Unanswered))),
        "{ready:?}"
    );
    assert_eq!(pair.records().await, 1);
    pair.standby.thaw();
    until_ready(&pair.engine).await;
    assert_eq!(pair.records().await, 2, "the database has gone on with it");
}

#[tokio::test]
async fn readiness_names_the_standby_and_ends_when_commits_wait_for_none() {
    let pair = Pair::start().await;
    let durability = pair.engine.ready().await.unwrap();
    let expected = "on the disks of two database servers: commits wait for b";
    assert!(durability.ends_with(expected), "{durability}");
    pair.primary.set("synchronous_standby_names", "");
    let refused = with_bound(async {
        loop {
            match pair.engine.ready().await {
                // Each of the server's processes takes the change when it is idle.
                Ok(_) => sleep(Duration::from_millis(20)).await,
                Err(error) => break error.to_string(),
            }
        }
    });
    assert!(refused.await.contains("no synchronous standby any more"));
    pair.primary.set("synchronous_standby_names", "b");
    until_ready(&pair.engine).await;
}

#[tokio::test]
async fn abandoned_writes_are_bounded_while_the_standby_is_away() {
    let pair = Pair::start().await;
    let appending = pair.append_without_standby().await;
    with_bound(appending).await.unwrap().unwrap_err();
    let until = Instant::now() + STATEMENT_WITHIN * 4;
    let mut most = 0;
    while Instant::now() < until {
        // Every caller tries again, again and again.
        let (records, mut log) = Store::new(pair.engine.clone()).open(pair.id).await.unwrap();
        let again = note(records.len() as u64 + 1);
        let appended = timeout(STATEMENT_WITHIN, log.append(&again, None)).await;
        assert!(!matches!(appended, Ok(Ok(()))));
        most = most.max(pair.waiting());
    }
    // One more for each connection that was past the check already.
    assert!(most <= ABANDONED_WRITES_MAX + 3, "{most} writes wait");
    pair.standby.thaw();
    until_ready(&pair.engine).await;
    assert_eq!(pair.records().await, 2, "one of them was stored");
}

#[tokio::test]
async fn a_retried_append_is_stored_and_acknowledged_once() {
    let pair = Pair::start().await;
    let appending = pair.append_without_standby().await;
    // The caller gives up and comes again while the first one waits for the standby.
    appending.abort();
    let (records, mut log) = Store::new(pair.engine.clone()).open(pair.id).await.unwrap();
    assert_eq!(records.len(), 1);
    let again = tokio::spawn(async move { log.append(&note(2), None).await });
    with_bound(async {
        while pair.waiting_for("SyncRep', 'transactionid") < 2 {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    pair.standby.thaw();
    let answer = with_bound(again).await.unwrap();
    assert_eq!(answer, Err(AppendError::Conflict), "the first one is there");
    assert_eq!(pair.records().await, 2);
}

#[tokio::test]
async fn what_no_standby_has_is_not_shown_after_a_crash_of_the_primary() {
    let pair = Pair::start().await;
    let appending = pair.append_without_standby().await;
    pair.primary.kill();
    with_bound(appending).await.unwrap().unwrap_err();
    pair.primary.start();
    let events = "SELECT count(*) FROM fibfob.event";
    let shown = pair.primary.sql("games", events);
    assert_eq!(shown.trim(), "2", "the database shows it");
    let read = Store::new(pair.engine.clone()).open(pair.id).await.err();
    assert!(read.is_some(), "the engine does not");
    pair.standby.thaw();
    until_ready(&pair.engine).await;
    assert_eq!(pair.records().await, 2, "once the standby has it");
}

#[tokio::test]
async fn hints_do_not_wait_for_the_standby() {
    let pair = Pair::start().await;
    let url = DatabaseServer::url(&[&pair.primary], "games");
    let other = Postgres::open(&url.parse().unwrap(), false).await.unwrap();
    let mut hints = other.hints();
    let hint = Hint::Chat(pair.id, 1);
    let mut heard = async || {
        loop {
            pair.engine.hint(hint.clone());
            if let Ok(Some(heard)) = timeout(RECOVERY_PAUSE, hints.next()).await {
                return heard;
            }
        }
    };
    assert_eq!(with_bound(heard()).await, hint);
    pair.standby.freeze();
    assert_eq!(with_bound(heard()).await, hint);
    assert_eq!(pair.waiting(), 0);
    pair.standby.thaw();
}

#[tokio::test]
async fn notes_of_connections_survive_a_crash_of_the_primary() {
    let pair = Pair::start().await;
    let server = ServerId(Uuid::new_v4());
    let guest = GuestId::fresh();
    let beat = Beat {
        server,
        at: Timestamp(0),
        sign: Sign::Begins,
        is_idle: false,
        absences: None,
    };
    let service = pair.engine.beat(beat).await.unwrap();
    let note = PresenceNote {
        connected: vec![Seat::Creator],
        ..PresenceNote::nobody(pair.id)
    };
    let store = Store::new(pair.engine.clone());
    store
        .note_presence(server, vec![note.clone()])
        .await
        .unwrap();
    store.note_guests(server, &[(guest, true)]).await.unwrap();
    pair.primary.kill();
    pair.primary.start();
    until_ready(&pair.engine).await;
    let notes = store.presence(&[pair.id]).await.unwrap();
    assert_eq!(notes, [(server, note)]);
    let later = Beat {
        server,
        at: Timestamp(0),
        sign: Sign::Runs,
        is_idle: false,
        absences: None,
    };
    let after = pair.engine.beat(later).await.unwrap();
    assert!(after.since == service.since || after.downtimes != service.downtimes);
    assert_eq!(store.servers_of(&[guest]).await.unwrap(), [server]);
    assert_eq!(after.ended(server), None, "the server lives again");
}

#[tokio::test]
async fn a_frozen_primary_leaves_appends_in_doubt_within_their_bound() {
    let pair = Pair::start().await;
    let (_, mut log) = Store::new(pair.engine.clone()).open(pair.id).await.unwrap();
    pair.primary.freeze();
    let began = Instant::now();
    let answer = log.append(&note(2), None).await;
    assert_eq!(answer, Err(AppendError::Unknown));
    assert!(began.elapsed() < STATEMENT_WITHIN * 2);
    assert!(Store::new(pair.engine.clone()).open(pair.id).await.is_err());
    assert!(pair.engine.ready().await.is_err());
    pair.primary.thaw();
    until_ready(&pair.engine).await;
    assert!([1, 2].contains(&pair.records().await), "either");
}

#[tokio::test]
async fn impatient_callers_do_not_keep_a_connection_that_answers_nothing() {
    let pair = Pair::start().await;
    let beat = || Beat {
        server: ServerId(Uuid::from_u128(1)),
        at: Timestamp(0),
        sign: Sign::Runs,
        is_idle: false,
        absences: None,
    };
    pair.engine.beat(beat()).await.unwrap();
    pair.primary.freeze();
    with_bound(async {
        while pair.engine.0.notes.is_open() {
            let given_up = timeout(RECOVERY_PAUSE, pair.engine.beat(beat())).await;
            assert!(!matches!(given_up, Ok(Ok(_))));
        }
    })
    .await;
    pair.primary.thaw();
    with_bound(async { while pair.engine.beat(beat()).await.is_err() {} }).await;
}

#[tokio::test]
async fn the_promoted_standby_has_everything_that_was_acknowledged() {
    let pair = Pair::start().await;
    let url = DatabaseServer::url(&[&pair.primary, &pair.standby], "games");
    let engine = Postgres::open(&url.parse().unwrap(), true).await.unwrap();
    let (_, mut log) = Store::new(engine.clone()).open(pair.id).await.unwrap();
    for version in 2..=40 {
        log.append(&note(version), None).await.unwrap();
    }
    pair.primary.kill();
    let answer = log.append(&note(41), None).await;
    assert_eq!(answer, Err(AppendError::Unknown));
    pair.standby.promote();
    until_ready(&engine).await;
    let (records, mut log) = Store::new(engine.clone()).open(pair.id).await.unwrap();
    assert_eq!(records.len(), 40);
    log.append(&note(41), None).await.unwrap();
    let refused = pair.engine.ready().await;
    assert!(
        refused.is_err(),
        "on one machine only, which this one does not allow"
    );
}

#[tokio::test]
async fn all_connections_follow_a_standby_that_is_promoted_while_the_old_primary_lives() {
    let pair = Pair::start().await;
    let url = |servers: [&DatabaseServer; 2]| DatabaseServer::url(&servers, "games").parse();
    let stays = url([&pair.primary, &pair.standby]).unwrap();
    let stays = Postgres::open(&stays, true).await.unwrap();
    let (_, mut log) = Store::new(stays.clone()).open(pair.id).await.unwrap();
    let mut hints = stays.hints();
    stays.ready().await.unwrap();
    let place = async |engine: &Postgres| engine.room().await.unwrap().database.unwrap();
    let before = place(&stays).await;
    assert_eq!((before.timeline, before.disks), (1, 2));
    pair.standby.promote();
    let moved = url([&pair.standby, &pair.primary]).unwrap();
    let moved = Postgres::open(&moved, true).await.unwrap();
    let after = place(&moved).await;
    assert_eq!((after.system, after.timeline), (before.system, 2));
    let (_, mut ahead) = Store::new(moved.clone()).open(pair.id).await.unwrap();
    ahead.append(&note(2), None).await.unwrap();
    let (id, first, state) = new_match(2);
    let (_, mut created) = Store::new(moved.clone()).open(id).await.unwrap();
    created.append(&first, &index_row(&state, 1)).await.unwrap();
    let code = state.terms().code;
    // Nothing that the old one lacks is said to be missing.
    let store = Store::new(stays.clone());
    let found = with_bound(async {
        loop {
            match store.find(code).await {
                Ok(found) => break found,
                Err(_) => sleep(RECOVERY_PAUSE).await,
            }
        }
    });
    assert_eq!(found.await, Some(id));
    assert_eq!(log.read_on().await.unwrap(), [note(2)]);
    for lane in &stays.0.readers {
        let link = lane.link().await.unwrap();
        assert_eq!(link.settings.primary.timeline, 2);
    }
    until_ready(&stays).await;
    let hint = Hint::Chat(pair.id, 1);
    with_bound(async {
        loop {
            moved.hint(hint.clone());
            if let Ok(Some(heard)) = timeout(RECOVERY_PAUSE, hints.next()).await {
                break assert_eq!(heard, hint);
            }
        }
    })
    .await;
    // One that starts later, and finds the old one first, goes to the new one too.
    let late = url([&pair.primary, &pair.standby]).unwrap();
    let late = Postgres::open(&late, true).await.unwrap();
    assert_eq!(Store::new(late).find(code).await.unwrap(), Some(id));
    // Without the new one, the old one is no way out, and the reason is named.
    pair.standby.kill();
    let is_named = |ready: &Result<String, StoreError>| {
        matches!(ready, Err(StoreError::CannotWrite(FailureKind::Superseded)))
    };
    with_bound(async {
        while !is_named(&stays.ready().await) {
            sleep(RECOVERY_PAUSE).await;
        }
    })
    .await;
}
