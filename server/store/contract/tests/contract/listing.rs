//! The contract of what an engine lists: the lobby, the unfinished matches, and those of a guest.

use std::collections::HashSet;

use fibfob_protocol::{Event, GuestId, MatchPlace, Timestamp};
use fibfob_store::{BEGINNING, GuestMatches, Listing};
use fibfob_store_contract::{
    index_row, joined, joined_by, new_match, new_match_of, next, resigned,
};

use super::fixture::EngineFixture;

pub(super) async fn lobby_rows_are_read_again(fixture: EngineFixture) {
    let store = fixture.open();
    let mut created = Vec::new();
    for number in 0..6 {
        let (id, first, mut state) = new_match(number);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, number))
            .await
            .unwrap();
        if number % 2 == 1 {
            let second = joined(&mut state, number);
            log.append(&second, &index_row(&state, number))
                .await
                .unwrap();
        }
        created.push((id, index_row(&state, number).lobby.unwrap()));
    }
    drop(store);
    let store = fixture.open();
    let rows = store.lobby_rows(2).await.unwrap();
    let newest = &created[2..];
    assert_eq!(newest[1].1.open_until, None, "it is in play");
    assert_eq!(rows.len(), 4, "two open and two in play");
    assert_eq!(
        rows.iter().map(|(id, _)| *id).collect::<HashSet<_>>(),
        newest.iter().map(|(id, _)| *id).collect::<HashSet<_>>(),
    );
    for row in rows {
        assert!(newest.contains(&row));
    }
}

pub(super) async fn unfinished_matches_are_read_in_turn(fixture: EngineFixture) {
    let store = fixture.open();
    let mut unfinished = Vec::new();
    // Two of each instant, and the last ones over.
    for number in 0..8 {
        let (id, first, mut state) = new_match(number / 2);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, number / 2))
            .await
            .unwrap();
        if number / 2 == 3 {
            for next in [joined, resigned] {
                let record = next(&mut state, number);
                log.append(&record, &index_row(&state, number / 2))
                    .await
                    .unwrap();
            }
        } else {
            unfinished.push((Timestamp(number / 2), id));
        }
    }
    unfinished.sort_unstable();
    let (mut query, mut found) = (Listing::UNFINISHED, Vec::new());
    loop {
        let page = store.list(query.clone(), 4).await.unwrap();
        if let (Listing::Unfinished { after, .. }, Some(last)) = (&mut query, page.last()) {
            *after = *last;
        } else {
            break;
        }
        found.extend(page.iter().map(|row| (row.created_at, row.match_id)));
    }
    assert_eq!(found, unfinished);
}

pub(super) async fn what_is_not_due_yet_is_left_out(fixture: EngineFixture) {
    let store = fixture.open();
    let due_by = |due_by| {
        let listing = Listing::Unfinished {
            after: BEGINNING,
            due_by: Timestamp(due_by),
        };
        let found = store.list(listing, 9);
        async {
            found
                .await
                .unwrap()
                .iter()
                .map(|row| row.match_id)
                .collect::<Vec<_>>()
        }
    };
    let (id, first, mut state) = new_match(7);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 7)).await.unwrap();
    let expires_at = state.terms().expires_at.0;
    assert_eq!(due_by(expires_at - 1).await, []);
    assert_eq!(due_by(expires_at).await, [id]);
    let record = joined(&mut state, 7);
    log.append(&record, &index_row(&state, 7)).await.unwrap();
    assert_eq!(due_by(0).await, [id], "nobody has looked at it in play");
    for until in [900, 500] {
        store.note_quiet(&[(id, Timestamp(until))]).await.unwrap();
        assert_eq!(due_by(until - 1).await, []);
        assert_eq!(due_by(until).await, [id]);
    }
    let record = resigned(&mut state, 7);
    log.append(&record, &index_row(&state, 7)).await.unwrap();
    assert_eq!(due_by(u64::MAX).await, []);
}

pub(super) async fn a_guests_matches_are_listed_newest_first(fixture: EngineFixture) {
    let store = fixture.open();
    let guest = GuestId::fresh();
    let (mut running, mut finished) = (Vec::new(), Vec::new());
    // Several of each instant, so that a page ends between them. The guest has either seat, or both.
    for number in 0..24 {
        let created_at = number / 3;
        let (creator, joiner) = match number % 4 {
            0 => (guest, guest),
            1 => (GuestId::fresh(), guest),
            _ => (guest, GuestId::fresh()),
        };
        let (id, first, mut state) = new_match_of(creator, created_at);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, created_at))
            .await
            .unwrap();
        let place = MatchPlace {
            created_at: Timestamp(created_at),
            match_id: id,
        };
        match number % 5 {
            0 => {
                let record = next(&mut state, number, Event::Withdrawn);
                log.append(&record, &index_row(&state, created_at))
                    .await
                    .unwrap();
                if creator == guest {
                    finished.push(place);
                }
                continue;
            }
            1 if creator == guest => {
                running.push(place);
                continue;
            }
            _ => {}
        }
        let record = joined_by(joiner, &mut state, number);
        log.append(&record, &index_row(&state, created_at))
            .await
            .unwrap();
        if number % 2 == 0 {
            running.push(place);
            continue;
        }
        let record = resigned(&mut state, number);
        log.append(&record, &index_row(&state, created_at))
            .await
            .unwrap();
        finished.push(place);
    }
    for (which, mut expected) in [
        (GuestMatches::Unfinished, running),
        (GuestMatches::Finished, finished),
    ] {
        assert!(expected.len() > 6);
        expected.sort_unstable();
        expected.reverse();
        let mut found: Vec<MatchPlace> = Vec::new();
        loop {
            let before = found.last().copied();
            let query = Listing::OfGuest {
                guest,
                which,
                before,
            };
            let page = store.list(query, 4).await.unwrap();
            assert!(page.len() <= 4);
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        assert_eq!(found, expected, "{which:?}");
    }
    let of_stranger = Listing::OfGuest {
        guest: GuestId::fresh(),
        which: GuestMatches::Unfinished,
        before: None,
    };
    assert_eq!(store.list(of_stranger, 4).await.unwrap(), []);
}
