//! The contract test suite of store engines: each test runs against every engine.
//!
//! A new engine adds a case to [`EngineFixture`] and a line to each macro below. `contract/faults`
//! holds the tests under injected faults, `contract/listing` those of lists, `contract/notes` those of
//! notes, `contract/shared` those of several servers, `contract/fixture` the engines.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test takes real time, and ends at the first failure"
)]

mod faults;
mod fixture;
mod listing;
mod notes;
mod persons;
mod shared;

use std::slice;

use fibfob_protocol::{
    CommandId, GuestId, LastRun, Match, MatchId, PlayerName, Record, Seat, Timestamp, Version,
};
use fibfob_store::identity::TokenStamp;
use fibfob_store::{AppendError, Beat, IndexRow, Listing, ServerId, Service, Sign, Store};
use fibfob_store_contract::faulty::{FaultInjector, ScriptedFaults};
use fibfob_store_contract::{
    index_row, joined, joined_by, moved, new_match, new_match_of, resigned,
};
use uuid::Uuid;

use self::fixture::EngineFixture;
use self::listing::{
    a_guests_matches_are_listed_newest_first, lobby_rows_are_read_again,
    unfinished_matches_are_read_in_turn, what_is_not_due_yet_is_left_out,
};
use self::notes::{
    a_device_code_is_used_once, a_repeated_chat_line_is_the_same_line,
    notes_of_a_kind_are_read_by_subject_and_number, notes_of_connections_are_replaced_and_removed,
    old_chat_lines_make_room_for_new_ones, seats_in_unfinished_matches_are_counted,
    stamps_of_several_guests_are_read, what_guests_learn_is_kept,
};

use self::persons::{
    a_finished_match_is_removed_whole, a_person_becomes_a_former_player_and_nothing_else_changes,
};

/// Makes a module of tests from the functions of `$suite` for one engine.
macro_rules! run_against {
    ($($engine:ident: $fixture:expr;)* => $tests:tt) => {
        $(run_against!(@one $engine, $fixture, $tests);)*
    };
    (@one $engine:ident, $fixture:expr, [$($test:ident),* $(,)?]) => {
        mod $engine {
            use super::*;

            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() { super::$test($fixture).await })*
        }
    };
}
use run_against;

run_against! {
    memory: EngineFixture::memory();
    sqlite: EngineFixture::sqlite();
    faulty_memory: EngineFixture::faulty(EngineFixture::memory());
    faulty_sqlite: EngineFixture::faulty(EngineFixture::sqlite());
    postgres: EngineFixture::postgres();
    faulty_postgres: EngineFixture::faulty(EngineFixture::postgres());
    => [
        an_unknown_match_has_an_empty_log,
        appended_records_are_read_again,
        a_log_that_is_behind_conflicts_and_changes_nothing,
        exactly_one_of_two_racing_logs_wins,
        a_log_is_read_on_from_its_end_also_after_a_conflict,
        a_log_advances_behind_the_next_record_and_no_other,
        long_logs_are_read_again_while_others_grow,
        a_taken_code_is_refused_and_the_log_stays_usable,
        concurrent_appends_of_many_matches_are_all_stored,
        a_match_is_found_by_its_code,
        lobby_rows_are_read_again,
        unfinished_matches_are_read_in_turn,
        what_is_not_due_yet_is_left_out,
        a_guests_matches_are_listed_newest_first,
        seats_in_unfinished_matches_are_counted,
        notes_of_connections_are_replaced_and_removed,
        a_repeated_chat_line_is_the_same_line,
        old_chat_lines_make_room_for_new_ones,
        notes_of_a_kind_are_read_by_subject_and_number,
        a_device_code_is_used_once,
        stamps_of_several_guests_are_read,
        what_guests_learn_is_kept,
        a_renewed_stamp_replaces_earlier_ones,
        exactly_one_of_two_racing_stamps_wins,
        the_server_key_is_stable,
        a_person_becomes_a_former_player_and_nothing_else_changes,
        a_finished_match_is_removed_whole,
    ]
}

/// Notes by the server's own clock, of engines that one server uses at a time.
mod one_server {
    use super::*;

    run_against! {
        memory: EngineFixture::memory();
        sqlite: EngineFixture::sqlite();
            faulty_memory: EngineFixture::faulty(EngineFixture::memory());
        faulty_sqlite: EngineFixture::faulty(EngineFixture::sqlite());
        => [notes_of_a_running_server_are_read_again]
    }
}

async fn an_unknown_match_has_an_empty_log(fixture: EngineFixture) {
    let (records, _) = fixture.open().open(MatchId(Uuid::new_v4())).await.unwrap();
    assert_eq!(records, []);
}

async fn appended_records_are_read_again(fixture: EngineFixture) {
    let (id, first, mut state) = new_match(7);
    let second = {
        let store = fixture.open();
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, 7)).await.unwrap();
        let second = joined(&mut state, 8);
        log.append(&second, &index_row(&state, 7)).await.unwrap();
        second
    };
    let store = fixture.open();
    let (records, mut log) = store.open(id).await.unwrap();
    assert_eq!(records, [first, second]);
    let third = resigned(&mut state, 9);
    log.append(&third, &index_row(&state, 7)).await.unwrap();
    assert_eq!(store.open(id).await.unwrap().0.len(), 3);
}

async fn a_log_that_is_behind_conflicts_and_changes_nothing(fixture: EngineFixture) {
    let store = fixture.open();
    let (id, first, mut state) = new_match(1);
    let open = index_row(&state, 1);
    let (_, mut ahead) = store.open(id).await.unwrap();
    let (_, mut behind) = store.open(id).await.unwrap();
    ahead.append(&first, &open).await.unwrap();
    let again = behind.append(&first, &open).await;
    assert_eq!(again, Err(AppendError::Conflict), "even the same event");
    let second = joined(&mut state, 2);
    let skipping = behind.append(&second, &index_row(&state, 1)).await;
    assert_eq!(skipping, Err(AppendError::Conflict), "no gap");
    assert_eq!(store.open(id).await.unwrap().0, [first]);
    let rows = store.lobby_rows(9).await.unwrap();
    assert_eq!(rows, [(id, open.lobby.unwrap())], "its row neither");
}

async fn exactly_one_of_two_racing_logs_wins(fixture: EngineFixture) {
    let store = fixture.open();
    for round in 0..20 {
        let (id, first, mut state) = new_match(round);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, round)).await.unwrap();
        let (mut one, mut two) = (
            store.open(id).await.unwrap().1,
            store.open(id).await.unwrap().1,
        );
        let mut other = state.clone();
        let (mut left, mut right) = (joined(&mut other, 1), joined(&mut state, 1));
        left.command = Some(CommandId::fresh());
        right.command = Some(CommandId::fresh());
        let (row, also) = (index_row(&other, round), index_row(&state, round));
        let (ours, theirs) = (left.clone(), right.clone());
        let one = tokio::spawn(async move { one.append(&ours, &row).await });
        let two = tokio::spawn(async move { two.append(&theirs, &also).await });
        let stored = match (one.await.unwrap(), two.await.unwrap()) {
            (Ok(()), Err(AppendError::Conflict)) => left,
            (Err(AppendError::Conflict), Ok(())) => right,
            other => panic!("{other:?}"),
        };
        assert_eq!(store.open(id).await.unwrap().0, [first, stored]);
    }
}

async fn a_log_is_read_on_from_its_end_also_after_a_conflict(fixture: EngineFixture) {
    let store = fixture.open();
    let (id, first, mut state) = new_match(3);
    let row = index_row(&state, 3);
    let (_, mut ahead) = store.open(id).await.unwrap();
    let (_, mut behind) = store.open(id).await.unwrap();
    assert_eq!(behind.read_on().await.unwrap(), [], "nothing is there yet");
    ahead.append(&first, &row).await.unwrap();
    assert_eq!(behind.read_on().await.unwrap(), slice::from_ref(&first));
    let second = joined(&mut state, 4);
    let row = index_row(&state, 3);
    ahead.append(&second, &row).await.unwrap();
    let conflict = behind.append(&second, &row).await;
    assert_eq!(conflict, Err(AppendError::Conflict));
    assert_eq!(behind.read_on().await.unwrap(), slice::from_ref(&second));
    assert_eq!(behind.read_on().await.unwrap(), [], "once");
    let third = resigned(&mut state, 5);
    let row = index_row(&state, 3);
    behind.append(&third, &row).await.unwrap();
    assert_eq!(ahead.read_on().await.unwrap(), slice::from_ref(&third));
    assert_eq!(store.open(id).await.unwrap().0, [first, second, third]);
}

async fn a_log_advances_behind_the_next_record_and_no_other(fixture: EngineFixture) {
    let store = fixture.open();
    let (id, first, mut state) = new_match(3);
    let row = index_row(&state, 3);
    let (_, mut ahead) = store.open(id).await.unwrap();
    let (_, mut behind) = store.open(id).await.unwrap();
    ahead.append(&first, &row).await.unwrap();
    let second = joined(&mut state, 4);
    let row = index_row(&state, 3);
    ahead.append(&second, &row).await.unwrap();
    assert!(!behind.advance(&second), "the first one is missing");
    assert!(behind.advance(&first));
    assert!(!behind.advance(&first), "once");
    assert_eq!(behind.read_on().await.unwrap(), slice::from_ref(&second));
    let third = resigned(&mut state, 5);
    let row = index_row(&state, 3);
    ahead.append(&third, &row).await.unwrap();
    assert!(behind.advance(&third));
    assert_eq!(
        behind.read_on().await.unwrap(),
        [],
        "nothing comes after it"
    );
}

/// Long enough that engines which move records to another place do so several times.
async fn long_logs_are_read_again_while_others_grow(fixture: EngineFixture) {
    const LOGS: u64 = 5;
    const MOVES: u64 = 80;
    let store = fixture.open();
    let grow = |number: u64| {
        let store = store.clone();
        tokio::spawn(async move {
            let (id, first, mut state) = new_match(number);
            let (_, mut log) = store.open(id).await.unwrap();
            let mut behind = store.open(id).await.unwrap().1;
            let mut stored = vec![first];
            log.append(&stored[0], &index_row(&state, number))
                .await
                .unwrap();
            for at in 0..MOVES {
                let record = if at == 0 {
                    joined(&mut state, at)
                } else {
                    moved(&mut state, at)
                };
                let row = index_row(&state, number);
                log.append(&record, &row).await.unwrap();
                stored.push(record);
                if at % 7 == 3 {
                    // Read while others write and records are moved.
                    let (records, reopened) = store.open(id).await.unwrap();
                    assert_eq!(records, stored);
                    let stale = behind.append(&stored[0], &row).await;
                    assert_eq!(stale, Err(AppendError::Conflict), "with any older record");
                    behind = std::mem::replace(&mut log, reopened);
                }
            }
            let over = resigned(&mut state, MOVES);
            log.append(&over, &index_row(&state, number)).await.unwrap();
            stored.push(over);
            (id, stored)
        })
    };
    let growing: Vec<_> = (0..LOGS).map(grow).collect();
    let mut grown = Vec::new();
    for log in growing {
        grown.push(log.await.unwrap());
    }
    for (id, stored) in &grown {
        assert_eq!(store.open(*id).await.unwrap().0, *stored);
    }
    drop(store);
    let store = fixture.open();
    for (id, stored) in grown {
        assert_eq!(store.open(id).await.unwrap().0, stored);
    }
    assert_eq!(store.list(Listing::UNFINISHED, 9).await.unwrap(), []);
}

async fn a_taken_code_is_refused_and_the_log_stays_usable(fixture: EngineFixture) {
    let store = fixture.open();
    let (owner, first, state) = new_match(1);
    let (_, mut log) = store.open(owner).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();

    let (id, second, other) = new_match(2);
    let mut stolen = index_row(&other, 2);
    stolen.code = state.terms().code;
    let (_, mut log) = store.open(id).await.unwrap();
    assert_eq!(
        log.append(&second, &stolen).await,
        Err(AppendError::CodeTaken)
    );
    assert_eq!(store.open(id).await.unwrap().0, []);
    assert_eq!(store.find(state.terms().code).await.unwrap(), Some(owner));
    log.append(&second, &index_row(&other, 2)).await.unwrap();
    assert_eq!(store.open(id).await.unwrap().0, [second]);
}

async fn concurrent_appends_of_many_matches_are_all_stored(fixture: EngineFixture) {
    const MATCHES: u64 = 200;
    let store = fixture.open();
    let tasks: Vec<_> = (0..MATCHES)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let (id, first, mut state) = new_match(number);
                let (_, mut log) = store.open(id).await.unwrap();
                log.append(&first, &index_row(&state, number))
                    .await
                    .unwrap();
                let second = joined(&mut state, number);
                log.append(&second, &index_row(&state, number))
                    .await
                    .unwrap();
                (id, [first, second])
            })
        })
        .collect();
    let mut stored = Vec::new();
    for task in tasks {
        stored.push(task.await.unwrap());
    }
    assert_eq!(store.meter().events.get(), 2 * MATCHES);
    drop(store);
    let store = fixture.open();
    for (id, records) in stored {
        assert_eq!(store.open(id).await.unwrap().0, records);
    }
}

async fn a_match_is_found_by_its_code(fixture: EngineFixture) {
    let (id, first, state) = new_match(1);
    let code = state.terms().code;
    let store = fixture.open();
    assert_eq!(store.find(code).await.unwrap(), None);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    assert_eq!(store.find(code).await.unwrap(), Some(id));
    drop((store, log));
    assert_eq!(fixture.open().find(code).await.unwrap(), Some(id));
}

/// A server's sign of life.
async fn beat(store: &Store, server: ServerId, at: u64, sign: Sign) -> Service {
    let beat = Beat {
        server,
        at: Timestamp(at),
        sign,
        is_idle: false,
        absences: None,
    };
    store.beat(beat).await.unwrap()
}

async fn notes_of_a_running_server_are_read_again(fixture: EngineFixture) {
    let note = async |store: &Store, server: u128, at: u64, sign| {
        beat(store, ServerId(Uuid::from_u128(server)), at, sign).await
    };
    {
        let first = fixture.open();
        let new = note(&first, 1, 1_000, Sign::Begins).await;
        assert_eq!((new.since, new.last_run), (Timestamp(1_000), None));
        note(&first, 1, 2_000, Sign::Ends).await;
    }
    let second = fixture.open();
    let service = note(&second, 2, 5_000, Sign::Begins).await;
    let (began, until) = (Timestamp(1_000), Timestamp(2_000));
    assert_eq!(service.last_run, Some(LastRun { began, until }));
    let now = Timestamp(5_000);
    assert_eq!((service.since, service.at), (now, now));
    let running = service.downtimes.running_millis(began, Timestamp(6_000));
    assert_eq!(running, 2_000);
    let earlier = note(&second, 2, 4_000, Sign::Runs).await;
    assert_eq!(earlier.at, now, "a clock that was set back");
}

async fn a_renewed_stamp_replaces_earlier_ones(fixture: EngineFixture) {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let first = TokenStamp::default();
    let second = first.next(&mut rand::rng());
    let third = second.next(&mut rand::rng());
    {
        let store = fixture.open();
        assert_eq!(store.token_stamp(ada).await.unwrap(), first);
        store.renew_token(ada, second).await.unwrap();
        store.renew_token(ada, second).await.unwrap();
        let other = store.renew_token(ada, first.next(&mut rand::rng()));
        assert_eq!(other.await, Err(AppendError::Conflict));
    }
    let store = fixture.open();
    assert_eq!(store.token_stamp(ada).await.unwrap(), second);
    store.renew_token(ada, third).await.unwrap();
    for earlier in [first, second] {
        let renewed = store.renew_token(ada, earlier).await;
        assert_eq!(renewed, Err(AppendError::Conflict));
    }
    assert_eq!(store.token_stamp(ada).await.unwrap(), third);
    assert_eq!(store.token_stamp(bo).await.unwrap(), first);
}

async fn exactly_one_of_two_racing_stamps_wins(fixture: EngineFixture) {
    let store = fixture.open();
    for _ in 0..20 {
        let guest = GuestId::fresh();
        let stamps = [(); 2].map(|()| TokenStamp::default().next(&mut rand::rng()));
        let renewing = stamps.map(|stamp| {
            let store = store.clone();
            tokio::spawn(async move { store.renew_token(guest, stamp).await })
        });
        let [one, two] = renewing;
        let stored = match (one.await.unwrap(), two.await.unwrap()) {
            (Ok(()), Err(AppendError::Conflict)) => stamps[0],
            (Err(AppendError::Conflict), Ok(())) => stamps[1],
            other => panic!("{other:?}"),
        };
        assert_eq!(store.token_stamp(guest).await.unwrap(), stored);
    }
}

async fn the_server_key_is_stable(fixture: EngineFixture) {
    let key = fixture.open().server_key().await.unwrap();
    assert_eq!(fixture.open().server_key().await.unwrap(), key);
    let another = EngineFixture::sqlite().open().server_key().await.unwrap();
    assert_ne!(another, key);
}
