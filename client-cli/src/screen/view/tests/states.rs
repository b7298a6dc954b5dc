//! The connection, the beginning and the end of a match on the screen.

use fibfob_protocol::ServerMessage;
use serde_json::json;

use super::*;
use crate::app::UserRole;
use crate::app::fixture::id;
use crate::args::Autoplay;

#[test]
fn an_open_match_shows_how_a_friend_joins() {
    let fake = ScriptedMatch::open("poker-nim", "time=4 nuggets=1");
    let (app, _) = fake.app("Ada", None);
    check(
        &model(app),
        (60, 10),
        "
Poker Nim  K7M2QX
  Ada (you)  against  no opponent yet
A friend joins with: fibfob play --join K7M2QX
time 4 ████░ 1 nugget





>                                              ? how to play
",
    );
}

#[test]
fn the_state_of_the_connection_is_shown_before_the_first_answer() {
    let mut model = model(AppState::new(
        crate::app::fixture::server(),
        UserRole::Watcher,
    ));
    check(
        &model,
        (50, 4),
        "
Fib Fob  ws://127.0.0.1:7171/ws
connecting …

>                                           ? help
",
    );
    report(&mut model, down());
    let screen = drawn(&model, 78, 6);
    assert_eq!(screen[1], "the connection is lost; reconnecting …");
}

#[test]
fn a_broken_connection_is_shown_with_the_pending_move() {
    let (_, mut model) = played("nim", "3", &[]);
    report(&mut model, down());
    types(&mut model, "take 3 from 1");
    let screen = drawn(&model, 70, 8);
    assert_eq!(
        screen[1],
        "● Ada (you)  against  ● Bo                              reconnecting …"
    );
    assert_eq!(screen[2], "take 3 from 1 is not played yet …");
    assert_eq!(
        screen[6],
        "kept, and not played yet; it is sent when the connection is back"
    );
}

#[test]
fn the_result_stays_on_the_terminal_after_the_end() {
    let (_, mut ada) = played("nim", "3", &["take 3 from 1"]);
    let words = ["match K7M2QX: You win: Bo is erased from reality (no move left, after 1 move)."];
    assert_eq!(ada.closing_lines(), words);
    assert_eq!(types(&mut ada, "quit"), Some(Exit::Done));
}

#[test]
fn the_end_shows_its_keys_in_every_window() {
    let (mut fake, mut model) = played("nim", "3,4,5", &["take 1 from 1"]);
    let seat = Seat::Creator;
    report(&mut model, fake.happens(Event::Resigned { seat }));
    let review = json!({"type": "review", "id": "q", "match": id(), "plies": [
        {"version": 1, "position": "3,4,5", "outcome": "N", "gave_away": false},
        {"version": 3, "position": "2,4,5", "move": "take 1 from 1", "seat": "creator",
            "outcome": "N", "gave_away": true},
    ]});
    let review = ServerMessage::read(&review.to_string()).unwrap();
    report(&mut model, ClientEvent::Answer(review));
    for (columns, rows) in [(80, 24), (60, 20), (40, 12)] {
        let screen = drawn(&model, columns, rows);
        let keys = screen.last().unwrap();
        assert!(keys.ends_with("`rematch`, `new`, `quit`"), "{screen:#?}");
    }
}

#[test]
fn an_automatic_player_and_a_spectator_see_whose_turn_it_is() {
    let mut fake = ScriptedMatch::open("nim", "3");
    let (mut auto, _) = fake.app("Ada", Some(Autoplay::Random));
    let (mut cy, _) = fake.app("Cy", None);
    let joined = fake.joins();
    auto.on_event(joined.clone());
    cy.on_event(joined);
    assert_eq!(drawn(&model(auto), 60, 8)[2], "The solver plays for you …");
    assert_eq!(drawn(&model(cy), 60, 8)[2], "Ada to move.");
}
