//! The contract under injected faults: each test runs over every engine within [`Faulty`].
//!
//! What the caller sees of a fault is the same for all engines; what was stored is read from the
//! engine itself.

use std::sync::Arc;
use std::time::Duration;

use fibfob_store::{EngineFuture, FailureKind, StoreError};
use fibfob_store_contract::faulty::{InjectedFault, PendingAppend};
use tokio::sync::Semaphore;

use super::*;

run_against! {
    memory: EngineFixture::faulty(EngineFixture::memory());
    sqlite: EngineFixture::faulty(EngineFixture::sqlite());
    postgres: EngineFixture::faulty(EngineFixture::postgres());
    => [
        a_lost_answer_leaves_the_event_stored,
        a_lost_event_can_be_appended_again,
        an_overtaken_append_conflicts_with_the_other_event,
        a_silent_append_stops_only_its_own_log,
        an_unflushed_event_is_invisible_until_a_crash_settles_it,
        an_append_given_up_by_its_caller_keeps_the_log_consistent,
        in_an_outage_the_store_is_readable_and_not_ready,
        faults_of_one_process_do_not_reach_another,
    ]
}

impl EngineFixture {
    fn faults(&self) -> &ScriptedFaults {
        match self {
            Self::Faulty(_, faults) => faults,
            Self::Memory(_) | Self::Sqlite(..) | Self::Postgres(_) => {
                panic!("no faults without the decorator")
            }
        }
    }
}

/// A match with one stored record.
struct Stored {
    store: Store,
    id: MatchId,
    first: Record,
    state: Match,
}

impl Stored {
    async fn new(fixture: &EngineFixture) -> Self {
        let store = fixture.open();
        let (id, first, state) = new_match(1);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, 1)).await.unwrap();
        Self {
            store,
            id,
            first,
            state,
        }
    }

    /// The next record, with a command id of its own, and its row.
    fn next(&self) -> (Record, IndexRow) {
        let mut state = self.state.clone();
        let record = Record {
            command: Some(CommandId::fresh()),
            ..joined(&mut state, 2)
        };
        (record, index_row(&state, 1))
    }

    async fn append(&self, record: &Record, row: &IndexRow) -> Result<(), AppendError> {
        let (_, mut log) = self.store.open(self.id).await.unwrap();
        log.append(record, row).await
    }

    async fn records(&self) -> Vec<Record> {
        self.store.open(self.id).await.unwrap().0
    }
}

async fn a_lost_answer_leaves_the_event_stored(fixture: EngineFixture) {
    let stored = Stored::new(&fixture).await;
    let (second, row) = stored.next();
    fixture.faults().inject([InjectedFault::AnswerLost]);
    let answer = stored.append(&second, &row).await;
    assert_eq!(answer, Err(AppendError::Unknown));
    assert_eq!(stored.records().await, [stored.first.clone(), second]);
    assert_eq!(stored.store.meter().events.get(), 2);
}

async fn a_lost_event_can_be_appended_again(fixture: EngineFixture) {
    let stored = Stored::new(&fixture).await;
    let (second, row) = stored.next();
    fixture.faults().inject([InjectedFault::EventLost]);
    let answer = stored.append(&second, &row).await;
    assert_eq!(answer, Err(AppendError::Unknown));
    assert_eq!(stored.records().await, std::slice::from_ref(&stored.first));
    stored.append(&second, &row).await.unwrap();
    assert_eq!(stored.records().await, [stored.first.clone(), second]);
}

async fn an_overtaken_append_conflicts_with_the_other_event(fixture: EngineFixture) {
    let stored = Stored::new(&fixture).await;
    let (second, row) = stored.next();
    fixture.faults().inject([InjectedFault::Overtaken]);
    let answer = stored.append(&second, &row).await;
    assert_eq!(answer, Err(AppendError::Conflict));
    let records = stored.records().await;
    assert_eq!(records.len(), 2);
    assert_eq!(records[1].command, None, "the other writer's event");
    assert_eq!(records[1].event, second.event);
}

async fn a_silent_append_stops_only_its_own_log(fixture: EngineFixture) {
    let stored = Stored::new(&fixture).await;
    let (second, row) = stored.next();
    let (_, mut log) = stored.store.open(stored.id).await.unwrap();
    fixture.faults().inject([InjectedFault::Silence]);
    let other_match = async {
        let (id, first, state) = new_match(2);
        let (_, mut log) = stored.store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, 2)).await.unwrap();
    };
    tokio::select! {
        biased;
        answer = log.append(&second, &row) => panic!("{answer:?}"),
        () = other_match => {}
    }
    assert_eq!(stored.records().await, std::slice::from_ref(&stored.first));
    stored.append(&second, &row).await.unwrap();
}

async fn an_unflushed_event_is_invisible_until_a_crash_settles_it(fixture: EngineFixture) {
    let faults = fixture.faults();
    for (survives, replaced) in [(true, true), (true, false), (false, true), (false, false)] {
        let stored = Stored::new(&fixture).await;
        let (second, row) = stored.next();
        faults.inject([InjectedFault::Unflushed { survives }]);
        let answer = stored.append(&second, &row).await;
        assert_eq!(answer, Err(AppendError::Unknown));
        let mut expected = vec![stored.first.clone()];
        assert_eq!(stored.records().await, expected);
        if replaced {
            let (other, row) = stored.next();
            stored.append(&other, &row).await.unwrap();
            expected.push(other);
        } else if survives {
            expected.push(second);
        }
        faults.crash().await;
        assert_eq!(stored.records().await, expected, "{survives} {replaced}");
    }
}

/// An injector whose appends go on when their caller gives up, once the gate lets them.
struct Detached(Arc<Semaphore>);

impl FaultInjector for Detached {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        let gate = Arc::clone(&self.0);
        let stored = tokio::spawn(async move {
            gate.acquire().await.expect("the gate stays open").forget();
            append.store().await
        });
        Box::pin(async { stored.await.expect("no append panics") })
    }
}

async fn an_append_given_up_by_its_caller_keeps_the_log_consistent(fixture: EngineFixture) {
    let gate = Arc::new(Semaphore::new(1));
    let [store] = fixture.open_each([Detached(Arc::clone(&gate))]);
    let (id, first, mut state) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    let second = joined(&mut state, 2);
    let row = index_row(&state, 1);
    let given_up = tokio::time::timeout(Duration::ZERO, log.append(&second, &row)).await;
    assert!(given_up.is_err());
    let (records, mut behind) = store.open(id).await.unwrap();
    assert_eq!(records, std::slice::from_ref(&first), "not stored yet");
    gate.add_permits(2);
    // The late append and this one race for the same version.
    let answer = behind.append(&second, &row).await;
    assert!(
        matches!(answer, Ok(()) | Err(AppendError::Conflict)),
        "{answer:?}"
    );
    assert_eq!(store.open(id).await.unwrap().0, [first, second]);
}

async fn in_an_outage_the_store_is_readable_and_not_ready(fixture: EngineFixture) {
    let stored = Stored::new(&fixture).await;
    let (second, row) = stored.next();
    fixture.faults().set_outage(Some(FailureKind::Full));
    for _ in 0..2 {
        let answer = stored.append(&second, &row).await;
        assert_eq!(answer, Err(AppendError::Unknown));
        let ready = stored.store.ready().await;
        assert!(
            matches!(ready, Err(StoreError::CannotWrite(FailureKind::Full))),
            "{ready:?}"
        );
        assert_eq!(stored.records().await, std::slice::from_ref(&stored.first));
    }
    fixture.faults().set_outage(None);
    stored.store.ready().await.unwrap();
    stored.append(&second, &row).await.unwrap();
    assert_eq!(stored.records().await, [stored.first.clone(), second]);
}

async fn faults_of_one_process_do_not_reach_another(fixture: EngineFixture) {
    let faults = [ScriptedFaults::default(), ScriptedFaults::default()];
    let [faulty, sound] = fixture.open_each(faults.clone());
    faults[0].set_outage(Some(FailureKind::Locked));
    let (id, first, state) = new_match(1);
    let row = index_row(&state, 1);
    let (_, mut log) = faulty.open(id).await.unwrap();
    let answer = log.append(&first, &row).await;
    assert_eq!(answer, Err(AppendError::Unknown));
    sound.ready().await.unwrap();
    let (_, mut log) = sound.open(id).await.unwrap();
    log.append(&first, &row).await.unwrap();
    assert_eq!(faulty.open(id).await.unwrap().0, [first], "one store");
}
