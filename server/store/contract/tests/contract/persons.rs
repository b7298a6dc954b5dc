//! Who sits in a match is told by its row alone.

use fibfob_protocol::{
    GuestId, Match, MatchId, Player, PlayerName, Program, Record, Seat, Version,
};
use fibfob_store::{
    DataError, GuestMatches, IndexRow, Listing, MatchChange, PersonColumns, SeatedPerson, Store,
    record_of, stored_text,
};
use fibfob_store_contract::{index_row, joined, joined_by, new_match, new_match_of, resigned};

use super::fixture::{EngineFixture, assert_sound};
use super::notes::chat_line;

#[test]
fn a_stored_text_names_nobody_and_is_read_with_the_persons_of_the_row() {
    let (id, created, mut state) = new_match(1);
    let records = [created, joined(&mut state, 2)];
    let row = index_row(&state, 1);
    let persons = PersonColumns::of(id, &row.seated).persons(id).unwrap();
    assert_eq!(persons, row.seated);
    for record in &records {
        let text = stored_text(record);
        assert!(text.contains(r#"{"kind":"human"}"#), "{text}");
        for (guest, name) in persons.iter().filter_map(|person| person.player.guest()) {
            assert!(!text.contains(&guest.to_string()) && !text.contains(name.as_str()));
        }
        assert_eq!(record_of(&text, record.version, &persons).unwrap(), *record);
    }
    let missing = record_of(&stored_text(&records[1]), Version(2), &persons[..1]);
    assert!(matches!(missing, Err(DataError::NoPerson(Seat::Joiner))));
}

#[test]
fn the_row_of_a_program_says_what_it_is() {
    let (id, _, state) = new_match(1);
    let row = index_row(&state, 1);
    let author = || Some("Cy Carter".to_owned());
    let url = || Some("https://cy.example".to_owned());
    // Such a url could be said once, and its match must still open.
    let hidden = Some("http://127.0.0.1:1/".to_owned());
    for (author, url) in [
        (author(), url()),
        (None, url()),
        (None, hidden),
        (None, None),
    ] {
        let program = Some(Program::stored(author, url).unwrap());
        let (guest, name) = row.seated[0].player.guest().unwrap();
        let player = Player::of_guest(guest, name.clone(), program);
        let persons = vec![SeatedPerson::of(Seat::Creator, player).unwrap()];
        let read = PersonColumns::of(id, &persons).persons(id).unwrap();
        assert_eq!(read, persons);
    }
}

#[test]
fn persons_are_those_of_their_match_and_seat_or_damage() {
    let (id, _, mut state) = new_match(1);
    joined(&mut state, 2);
    let columns = PersonColumns::of(id, &index_row(&state, 1).seated);
    let renamed = PersonColumns {
        joiner_name: Some("Bo".to_owned()),
        ..columns.clone()
    };
    let swapped = PersonColumns {
        creator: columns.joiner,
        joiner: columns.creator,
        ..columns.clone()
    };
    let (other, _, _) = new_match(1);
    for (id, columns) in [(id, renamed), (id, swapped), (other, columns)] {
        assert!(matches!(
            columns.persons(id),
            Err(DataError::AlteredPersons)
        ));
    }
}

/// A stored match between two guests, which is over or in play.
async fn stored(store: &Store, players: [GuestId; 2], is_over: bool) -> (MatchId, Vec<Record>) {
    let (id, first, mut state) = new_match_of(players[0], 1);
    let mut rows = vec![(first, index_row(&state, 1))];
    rows.push((joined_by(players[1], &mut state, 2), index_row(&state, 1)));
    if is_over {
        rows.push((resigned(&mut state, 3), index_row(&state, 1)));
    }
    let (_, mut log) = store.open(id).await.unwrap();
    for (record, row) in &rows {
        log.append(record, row).await.unwrap();
    }
    (id, rows.into_iter().map(|(record, _)| record).collect())
}

fn players(id: MatchId, records: &[Record]) -> [Player; 2] {
    let state = Match::replay(id, records).unwrap();
    let joiner = state.joiner().unwrap().clone();
    [state.terms().creator.clone(), joiner]
}

pub(super) async fn a_person_becomes_a_former_player_and_nothing_else_changes(
    fixture: EngineFixture,
) {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let store = fixture.open();
    let mut before = Vec::new();
    for is_over in [true, false] {
        before.push(stored(&store, [ada, bo], is_over).await);
        before.push(stored(&store, [bo, ada], is_over).await);
    }
    let name = PlayerName::try_from("Bo B.".to_owned()).unwrap();
    let changes = [
        MatchChange::Person(ada, None),
        MatchChange::Person(bo, Some(name.clone())),
    ];
    let change = async |id, change: &MatchChange| store.change_match(id, change.clone()).await;
    for (id, _) in &before {
        for it in &changes {
            assert!(change(*id, it).await.unwrap());
            assert!(!change(*id, it).await.unwrap(), "it is done");
        }
    }
    assert!(!change(MatchId(ada.0), &changes[0]).await.unwrap());
    let bo_now = Player::of_guest(bo, name, None);
    for (number, (id, records)) in before.iter().enumerate() {
        let mut expected = [Player::Former, bo_now.clone()];
        if number % 2 == 1 {
            expected.reverse();
        }
        let found = store.read(*id, Version(0)).await.unwrap();
        assert_eq!(players(*id, &found), expected);
        let texts = |records: &[Record]| records.iter().map(stored_text).collect::<Vec<_>>();
        assert_eq!(texts(&found), texts(records), "the log is as it was");
    }
    let listed = async |guest, which| {
        let before = None;
        let listing = Listing::OfGuest {
            guest,
            which,
            before,
        };
        store.list(listing, 9).await.unwrap().len()
    };
    for which in [GuestMatches::Finished, GuestMatches::Unfinished] {
        assert_eq!((listed(ada, which).await, listed(bo, which).await), (0, 2));
    }
    for (_, row) in store.lobby_rows(9).await.unwrap() {
        let players = [Some(row.entry.creator), row.entry.joiner];
        assert!(players.contains(&Some(Player::Former)));
    }
    drop(store);
    assert_sound(&fixture, before.len() as u64).await;
}

pub(super) async fn a_finished_match_is_removed_whole(fixture: EngineFixture) {
    let both = [GuestId::fresh(), GuestId::fresh()];
    let mut store = fixture.open();
    let (kept, _) = stored(&store, both, true).await;
    // The log of one was packed by the end, that of the other is the newest in its table.
    let mut gone = vec![stored(&store, both, true).await];
    drop(store);
    store = fixture.open();
    let (unfinished, _) = stored(&store, both, false).await;
    gone.push(stored(&store, both, true).await);
    for id in [kept, unfinished, gone[0].0] {
        let said = chat_line(both[0], 5);
        store.add_chat_line(id, &said, &[]).await.unwrap();
    }
    let remove = async |id| store.change_match(id, MatchChange::Remove).await.unwrap();
    assert!(!remove(unfinished).await && !remove(MatchId(both[0].0)).await);
    for (id, records) in &gone {
        assert!(remove(*id).await && !remove(*id).await);
        assert_eq!(store.read(*id, Version(0)).await.unwrap(), []);
        assert_eq!(store.chat_lines(*id, 0).await.unwrap(), []);
        let state = Match::replay(*id, records).unwrap();
        assert_eq!(store.find(state.terms().code).await.unwrap(), None);
    }
    assert_eq!(store.chat_lines(kept, 0).await.unwrap().len(), 1);
    let (id, records) = &gone[1];
    let (_, mut log) = store.open(*id).await.unwrap();
    for (record, row) in records.iter().zip(IndexRow::of_log(*id, records).unwrap()) {
        log.append(record, row.as_ref()).await.unwrap();
    }
    drop(store);
    assert_sound(&fixture, 3).await;
}
