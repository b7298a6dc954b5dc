//! Rematches, and the finished match before one.

use super::*;

#[test]
fn a_rematch_is_offered_accepted_and_followed() {
    let (mut fake, mut ada) = playing("Ada", None);
    assert_eq!(asks(&ada.on_input("resign")), [act(Action::Resign)]);
    let effects = ada.on_event(fake.happens(Event::Resigned {
        seat: Seat::Creator,
    }));
    assert_eq!(
        said(&effects)[1],
        "Bo wins: you are erased from reality (resigned, after 0 moves)."
    );
    ada.on_event(accepted(act(Action::Resign), 3, None));
    assert_eq!(asks(&ada.on_input("rematch")), [act(Action::OfferRematch)]);
    ada.on_event(fake.happens(Event::RematchOffered {
        seat: Seat::Creator,
    }));
    let next = match_ref(1);
    let effects = ada.on_event(fake.happens(Event::RematchAccepted {
        seat: Seat::Joiner,
        next: next.clone(),
    }));
    assert!(effects.contains(&Effect::Follow(next.id)));
    assert_eq!(asks(&effects), [RequestBody::Leave { id: id() }]);
}

#[test]
fn a_finished_match_with_a_rematch_stays_open_until_its_viewer_leaves_for_the_rematch() {
    let mut fake = ScriptedMatch::open("nim", "3,4");
    let next = match_ref(1);
    let seat = Seat::Creator;
    let mut updates = vec![fake.first(), fake.joins()];
    updates.push(fake.happens(Event::Resigned { seat }));
    updates.push(fake.happens(Event::RematchOffered { seat }));
    updates.push(fake.happens(Event::RematchAccepted {
        seat: Seat::Joiner,
        next: next.clone(),
    }));
    let role = UserRole::Player(None);
    for (name, role) in [("Cy", UserRole::Watcher), ("Ada", role)] {
        let mut app = AppState::new(fixture::server(), role);
        app.on_event(welcome(name));
        let effects = app.on_event(ScriptedMatch::at_once(updates.clone()));
        assert!(!effects.contains(&Effect::Follow(next.id)), "{name}");
        assert!(
            said(&effects).contains(&"the rematch is match T4W9BD; `rematch` goes there"),
            "{name}"
        );
        let effects = app.on_input("rematch");
        assert!(effects.contains(&Effect::Follow(next.id)), "{name}");
    }
}

#[test]
fn an_offered_rematch_is_accepted_by_either_command() {
    for word in ["rematch", "accept"] {
        let (mut fake, mut ada) = playing("Ada", None);
        ada.on_event(fake.happens(Event::Resigned {
            seat: Seat::Creator,
        }));
        let effects = ada.on_event(fake.happens(Event::RematchOffered { seat: Seat::Joiner }));
        assert_eq!(
            said(&effects)[0],
            "[4] Bo offers a rematch: type `accept` to go on"
        );
        assert_eq!(asks(&ada.on_input(word)), [act(Action::AcceptRematch)]);
    }
}
