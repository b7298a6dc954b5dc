//! Tests of migrations, between files, databases and from memory.

use fibfob_protocol::{GuestId, Match, MatchId, Record, Timestamp};
use fibfob_store::limits::HEADS_MAX;
use fibfob_store::{Engine, FailureKind, Listing, Memory, NameTaken, Opening};
use fibfob_store_contract::faulty::{Faulty, ScriptedFaults};
use fibfob_store_contract::{STAMPS, fill, index_row, new_match, stamp};
use fibfob_store_postgres::Postgres;
use fibfob_store_sqlite::Sqlite;
use fibfob_test_postgres::Database;
use tempfile::TempDir;

use super::*;

/// The number of generated matches.
const MATCHES: usize = 60;
/// The instant of the migrations.
const NOW: Timestamp = Timestamp(1_000_000_000_000);

/// Fills a store with matches and stamps, and returns the logs.
async fn filled(store: &Store) -> Vec<(MatchId, Vec<Record>)> {
    fill(store, MATCHES).await
}

fn file(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("moved.sqlite")
}

async fn moved(from: &Store, to: &Store) -> Result<Migrated, MigrationError> {
    migrate(from, to, NOW, |_, _| {}).await
}

#[tokio::test]
async fn everything_that_lasts_is_moved_and_tokens_stay_good() {
    let folder = TempDir::new().unwrap();
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let events: usize = logs.iter().map(|(_, log)| log.len()).sum();
    let key = from.server_key().await.unwrap();
    let expected = Migrated {
        matches: MATCHES as u64,
        events: events as u64,
        written: events as u64,
        notes: STAMPS,
    };
    {
        let to = Store::new(Sqlite::open_for(&file(&folder), Opening::Fill(&key)).unwrap());
        assert_eq!(moved(&from, &to).await.unwrap(), expected);
        let again = moved(&from, &to).await.unwrap();
        assert_eq!(
            again,
            Migrated {
                written: 0,
                ..expected
            }
        );
    }
    let to = Store::new(Sqlite::open(&file(&folder)).unwrap());
    assert_eq!(to.server_key().await.unwrap(), key);
    for (id, log) in &logs {
        assert_eq!(to.open(*id).await.unwrap().0, *log);
        let code = Match::replay(*id, log).unwrap().terms().code;
        assert_eq!(to.find(code).await.unwrap(), Some(*id));
    }
    let guest = GuestId(uuid::Uuid::from_u128(4));
    assert_eq!(to.token_stamp(guest).await.unwrap(), stamp());
    let lists = |store: Store| async move {
        let mut lobby = store.lobby_rows(1_000).await.unwrap();
        // Many were made at the same instant.
        lobby.sort_by_key(|(id, _)| *id);
        let unfinished = store.list(Listing::UNFINISHED, 1_000).await.unwrap();
        (lobby, unfinished)
    };
    assert_eq!(lists(from).await, lists(to).await);
}

#[tokio::test]
async fn an_interrupted_migration_goes_on() {
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let to = Store::new(Memory::with_key(from.server_key().await.unwrap()));
    // Every third log is there whole, and every third in part.
    let mut written = 0;
    for (number, (id, log)) in logs.iter().enumerate() {
        let upto = [0, log.len() / 2, log.len()][number % 3];
        let rows = IndexRow::of_log(*id, log).unwrap();
        let (_, mut there) = to.open(*id).await.unwrap();
        for (record, row) in log.iter().zip(&rows).take(upto) {
            there.append(record, row.as_ref()).await.unwrap();
        }
        written += log.len() - upto;
    }
    let done = moved(&from, &to).await.unwrap();
    assert_eq!(done.written, written as u64);
    assert_eq!(done.matches, MATCHES as u64);
}

#[tokio::test]
async fn a_target_with_something_else_is_refused() {
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let another = moved(&from, &Store::new(Memory::default())).await;
    assert!(matches!(another, Err(MigrationError::AnotherStore)));

    let key = from.server_key().await.unwrap();
    let with_key = || Store::new(Memory::with_key(key.clone()));
    let to = with_key();
    let (id, log) = logs.iter().find(|(_, log)| log.len() > 2).unwrap();
    let mut first = log[0].clone();
    first.at.0 += 1;
    let row = IndexRow::of_log(*id, &log[..1]).unwrap().remove(0);
    let (_, mut there) = to.open(*id).await.unwrap();
    there.append(&first, row.as_ref()).await.unwrap();
    let refused = moved(&from, &to).await;
    assert!(matches!(refused, Err(MigrationError::Differs(found)) if found == *id));

    let (to, emptier) = (with_key(), with_key());
    moved(&from, &to).await.unwrap();
    let refused = moved(&emptier, &to).await;
    assert!(
        matches!(refused, Err(MigrationError::Foreign(_))),
        "{refused:?}"
    );
}

/// A note of a kind; the text says the number.
fn note(kind: NoteKind, about: u128, name: &str, number: u64) -> Note {
    let about = Uuid::from_u128(about);
    let name = name.to_owned();
    Note {
        key: NoteKey { kind, about, name },
        number,
        until: number
            .is_multiple_of(2)
            .then_some(Timestamp(10_000_000_000_000)),
        text: format!("{kind:?} {number}"),
    }
}

/// Fills a store with notes of all kinds, of some in another order of names than of numbers, and with more
/// about one subject than are read at once.
async fn fill_notes(store: &Store) {
    let mut notes = Vec::new();
    for &kind in NoteKind::ALL {
        for about in [1, 2, 7] {
            notes.push(note(kind, about, "z", 5));
            notes.push(note(kind, about, "b", 8));
            notes.push(note(kind, about, "a", 100));
        }
    }
    let many = 0..HEADS_MAX as u64 + 3;
    notes.extend(many.map(|number| note(NoteKind::Ban, 3, &number.to_string(), number + 1)));
    let stored = store.put_notes(notes.clone(), Vec::new()).await.unwrap();
    assert_eq!(stored, notes);
}

/// All notes of these kinds in a store.
async fn notes_of(store: &Store, lasting: bool) -> Vec<Note> {
    let mut found = Vec::new();
    for &kind in NoteKind::ALL.iter().filter(|kind| kind.lasts() == lasting) {
        for about in 0..=7 {
            let about = vec![Uuid::from_u128(about)];
            found.extend(store.notes(kind, about, 0).await.unwrap());
        }
    }
    found.sort_by(|one, other| one.key.cmp(&other.key));
    found
}

#[tokio::test]
async fn all_notes_but_those_of_connections_move_to_a_database_and_back() {
    let (folder, database) = (TempDir::new().unwrap(), Database::create());
    let path = folder.path().join("from.sqlite");
    let from = Store::new(Sqlite::open(&path).unwrap());
    fill(&from, 4).await;
    fill_notes(&from).await;
    let key = from.server_key().await.unwrap();
    let opening = Opening::Fill(&key);
    let url = database.url().parse().unwrap();
    let to = Store::new(Postgres::open_for(&url, true, opening).await.unwrap());
    let back = Store::new(Sqlite::open_for(&file(&folder), opening).unwrap());
    let expected = notes_of(&from, true).await;
    assert!(!notes_of(&from, false).await.is_empty());
    for (from, to) in [(&from, &to), (&to, &back)] {
        for _ in 0..2 {
            let done = moved(from, to).await.unwrap();
            assert_eq!(done.notes, expected.len() as u64);
            assert_eq!(notes_of(to, true).await, expected);
            assert_eq!(notes_of(to, false).await, []);
        }
    }
}

#[tokio::test]
async fn notes_that_a_server_has_made_in_the_target_are_kept_and_refused() {
    let from = Store::new(Memory::default());
    fill_notes(&from).await;
    let key = from.server_key().await.unwrap();
    for &kind in NoteKind::ALL.iter().filter(|kind| kind.lasts()) {
        let to = Store::new(Memory::with_key(key.clone()));
        let put = async |note: Note| to.put_notes(vec![note], Vec::new()).await.unwrap();
        // As an interrupted migration of an earlier content may leave it.
        put(note(kind, 1, "z", 5)).await;
        if kind.name_taken() != NameTaken::StaysNumbered {
            put(note(kind, 2, "z", 4)).await;
        }
        moved(&from, &to).await.unwrap();
        let expected = notes_of(&to, true).await;
        assert_eq!(expected, notes_of(&from, true).await);
        let newer = note(kind, 7, "c", 101);
        put(newer.clone()).await;
        let refused = moved(&from, &to).await;
        assert!(
            matches!(refused, Err(MigrationError::Note(found)) if found == kind),
            "{refused:?}"
        );
        let kept = notes_of(&to, true).await;
        assert_eq!(kept.len(), expected.len() + 1);
        assert!(kept.contains(&newer));
    }
}

/// Stores a new match with one event.
async fn begin_match(store: &Store) -> MatchId {
    let (id, first, state) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    id
}

/// A store that takes notes and no events.
fn without_events(engine: impl Engine) -> Store {
    let faults = ScriptedFaults::default();
    faults.set_outage(Some(FailureKind::Unanswered));
    Store::new(Faulty::new(engine, faults))
}

async fn opened_to_fill(database: &Database, from: &Store) -> Postgres {
    let key = from.server_key().await.unwrap();
    let url = database.url().parse().unwrap();
    let opened = Postgres::open_for(&url, true, Opening::Fill(&key)).await;
    opened.unwrap()
}

async fn opened_to_serve(database: &Database) -> Result<Store, String> {
    let opened = Postgres::open(&database.url().parse().unwrap(), true).await;
    opened.map(Store::new).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_move_into_a_complete_database_that_is_interrupted_leaves_an_unfinished_one() {
    let (database, from) = (Database::create(), Store::new(Memory::default()));
    fill(&from, 4).await;
    let to = opened_to_fill(&database, &from).await;
    moved(&from, &Store::new(to.clone())).await.unwrap();
    drop(opened_to_serve(&database).await.unwrap());
    begin_match(&from).await;
    let interrupted = moved(&from, &without_events(to.clone())).await;
    assert!(
        matches!(interrupted, Err(MigrationError::Append(..))),
        "{interrupted:?}"
    );
    let refused = opened_to_serve(&database).await.err().unwrap();
    assert!(refused.contains("has not moved all of them"), "{refused}");
    moved(&from, &Store::new(to)).await.unwrap();
    drop(opened_to_serve(&database).await.unwrap());
}

#[tokio::test]
async fn a_complete_target_that_is_refused_stays_as_it_was() {
    let from = Store::new(Memory::default());
    fill(&from, 4).await;
    for has_match in [true, false] {
        let database = Database::create();
        let empty = Store::new(Memory::with_key(from.server_key().await.unwrap()));
        let to = Store::new(opened_to_fill(&database, &from).await);
        moved(&empty, &to).await.unwrap();
        if has_match {
            begin_match(&to).await;
        } else {
            let own = note(NoteKind::Ban, 1, "a", 5);
            to.put_notes(vec![own], Vec::new()).await.unwrap();
        }
        let before = (
            to.list(Listing::UNFINISHED, 9).await.unwrap(),
            notes_of(&to, true).await,
        );
        let refused = moved(&from, &to).await;
        let is_right = match has_match {
            true => matches!(refused, Err(MigrationError::Foreign(_))),
            false => matches!(refused, Err(MigrationError::Note(NoteKind::Ban))),
        };
        assert!(is_right, "{refused:?}");
        let serving = opened_to_serve(&database).await.unwrap();
        let after = (
            serving.list(Listing::UNFINISHED, 9).await.unwrap(),
            notes_of(&serving, true).await,
        );
        assert_eq!(before, after);
    }
}

#[tokio::test]
async fn an_interrupted_move_has_all_notes_before_the_first_event() {
    let from = Store::new(Memory::default());
    fill(&from, 4).await;
    fill_notes(&from).await;
    let to = Memory::with_key(from.server_key().await.unwrap());
    moved(&from, &without_events(to.clone())).await.unwrap_err();
    let to = Store::new(to);
    assert_eq!(notes_of(&to, true).await, notes_of(&from, true).await);
    assert_eq!(to.list(Listing::UNFINISHED, 9).await.unwrap(), []);
}

#[tokio::test]
async fn notes_that_have_ended_neither_move_nor_hinder() {
    let lasting = || NoteKind::ALL.iter().filter(|kind| kind.lasts());
    // The first line of a chat ends first.
    let ended = |&kind| note(kind, 1, "old", 3).until(NOW);
    let ended: Vec<Note> = lasting().map(ended).collect();
    let keys = || ended.iter().map(|note| note.key.clone()).collect();
    let live = lasting().flat_map(|&kind| [note(kind, 1, "z", 5), note(kind, 1, "b", 8)]);
    let all: Vec<Note> = ended.iter().cloned().chain(live).collect();
    // Which of the stores a server has cleaned since an earlier move; none if there was none.
    for cleaned in [
        Some([false, false]),
        Some([true, false]),
        Some([false, true]),
        None,
    ] {
        let (database, from) = (Database::create(), Store::new(Memory::default()));
        let to = Store::new(opened_to_fill(&database, &from).await);
        from.put_notes(all.clone(), Vec::new()).await.unwrap();
        if let Some(cleaned) = cleaned {
            assert_eq!(to.put_notes(all.clone(), Vec::new()).await.unwrap(), all);
            for (store, _) in [&from, &to].into_iter().zip(cleaned).filter(|(_, is)| *is) {
                store.put_notes(Vec::new(), keys()).await.unwrap();
            }
        }
        let done = moved(&from, &to).await.unwrap();
        assert_eq!(done.notes, 2 * lasting().count() as u64);
        let mut found = [notes_of(&from, true).await, notes_of(&to, true).await];
        for notes in &mut found {
            notes.retain(|note| !note.has_ended(NOW));
        }
        assert_eq!(found[0], found[1]);
    }
}
