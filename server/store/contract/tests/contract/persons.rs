//! Who sits in a match is told by its row alone.

use fibfob_protocol::{Player, Program, Seat, Version};
use fibfob_store::{DataError, PersonColumns, SeatedPerson, record_of, stored_text};
use fibfob_store_contract::{index_row, joined, new_match};

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
        for SeatedPerson { guest, name, .. } in &persons {
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
    for (author, url) in [(author(), url()), (None, url()), (None, None)] {
        let program = Program::new(author, url).ok();
        let SeatedPerson { guest, name, .. } = row.seated[0].clone();
        let player = Player::of_guest(guest, name, program);
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
