//! Whole screens, compared row by row. Colours are not compared: they repeat what the signs say.

use fibfob_protocol::{Action, Event, Refusal, RequestBody, Seat, ServerMessage, Version};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyModifiers};

use serde_json::json;

use super::*;
use crate::app::fixture::{ScriptedMatch, begun, down, id, refused};
use crate::app::{AppState, DisplayEffect, Effect, UserRole};
use crate::args::Autoplay;
use fibfob_theory::Exit;

use crate::screen::theme::Theme;
use fibfob_client::ClientEvent;

mod documents;
mod players;

const EXAMPLE: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";

fn model(app: AppState) -> ScreenModel {
    ScreenModel::new(app, Theme::Dark, begun())
}

/// Ada's screen in a match with Bo, after these moves.
fn played(game: &str, start: &str, moves: &[&str]) -> (ScriptedMatch, ScreenModel) {
    let mut fake = ScriptedMatch::open(game, start);
    let (app, _) = fake.app("Ada", None);
    let mut model = model(app);
    report(&mut model, fake.joins());
    let presence = fake.presence(&Seat::BOTH, 2);
    report(&mut model, presence);
    for text in moves {
        report(&mut model, fake.moves(text));
    }
    (fake, model)
}

/// Passes a report to the model, then the driver's output.
fn report(model: &mut ScreenModel, event: ClientEvent) {
    let effects = model.app.on_event(event);
    apply(model, effects);
}

fn apply(model: &mut ScreenModel, effects: Vec<Effect>) -> Option<Exit> {
    let shown = effects.into_iter().filter_map(|effect| match effect {
        Effect::Show(shown) => Some(shown),
        _ => None,
    });
    let shown = shown.collect();
    model.apply(shown)
}

fn types(model: &mut ScreenModel, text: &str) -> Option<Exit> {
    model.update(event::Event::Paste(text.to_owned()));
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    let effects = model.update(event::Event::Key(enter));
    apply(model, effects)
}

fn drawn(model: &ScreenModel, columns: u16, rows: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, model)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| {
        (0..columns)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..rows).map(|y| row(y).trim_end().to_owned()).collect()
}

#[track_caller]
fn check(model: &ScreenModel, (columns, rows): (u16, u16), expected: &str) {
    let drawn = drawn(model, columns, rows);
    let shown = drawn.join("\n");
    let expected = expected.trim_matches('\n');
    assert!(
        shown == expected,
        "the screen is\n{shown}\nand not\n{expected}\n(end)"
    );
}

#[test]
fn a_match_fits_80x24() {
    let (_, mut model) = played("fib-fob", EXAMPLE, &["time -13", "ship g5@3"]);
    model.update(event::Event::Paste("time -1".to_owned()));
    check(
        &model,
        (80, 24),
        "
Fib Fob  K7M2QX                                                       2 watching
● Ada (you)  against  ● Bo
Your move. Bo flew to g5 (ship g5@3).
     1        2       [3]       4        5        6        7        8
8 ········ ········ ········ ········ ········ ········ ········ ········
7 ········ ········ ········ ········ ········ ········ ········ ········
6 ········ ········ ······◇· ········ ········ ········ ········ ········
5 ······•· ······•· ••••••◆· ········ ········ ········ ········ ········
4 ········ ········ ······•· ········ ········ ········ ········ ········
3 ········ ········ ······•· ········ ········ ········ ········ ········
2 ········ ········ ······•· ········ ········ ········ ········ ········
1 ⌂······· ········ ······•· ········ ········ ········ ········ ········
  abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh

time  2 ██░░░░░ 5 nuggets
fib  12 ████████████
fob   9 █████████
23 moves: ship a5@3 to f5@3, g1@3 to g4@3, g5@1 or g5@2 · time -1, -2 or +1 to
+5 · spend fib or fob · eject fib or fob
Bo joins
1. You let 13 pass (time -13)   2. Bo flew to g5 (ship g5@3)


> time -1
",
    );
}

#[test]
fn a_match_fits_60x24() {
    let (_, model) = played("fib-fob", EXAMPLE, &["time -13"]);
    check(
        &model,
        (60, 24),
        "
Fib Fob  K7M2QX                                   2 watching
● Ada (you)  against  ● Bo
Bo to move.
     1        2       [3]       4      time  2  5 nuggets
8 ········ ········ ········ ········  █▒▒▒▒▒░░░ (was 15)
7 ········ ········ ········ ········  fib  12
6 ······•· ······•· ••••••◆· ········  ████████████
5 ········ ········ ······•· ········  fob   9
4 ········ ········ ······•· ········  █████████
3 ········ ········ ······•· ········  24 moves: ship a6@3
2 ········ ········ ······•· ········  to f6@3, g1@3 to
1 ⌂······· ········ ······•· ········  g5@3, g6@1 or g6@2 ·
     5        6        7        8      time -1, -2 or +1 to
8 ········ ········ ········ ········  +5 · spend fib or fob
7 ········ ········ ········ ········  · eject fib or fob
6 ········ ········ ········ ········  Bo joins
5 ········ ········ ········ ········  1. You let 13 pass
4 ········ ········ ········ ········  (time -13)
3 ········ ········ ········ ········
2 ········ ········ ········ ········
1 ········ ········ ········ ········
  abcdefgh abcdefgh abcdefgh abcdefgh

>                                              ? how to play
",
    );
}

#[test]
fn a_low_terminal_shows_the_ships_board_and_a_tower() {
    let (_, mut model) = played("fib-fob", EXAMPLE, &[]);
    types(&mut model, "ship h8@1");
    check(
        &model,
        (64, 17),
        "
Fib Fob  K7M2QX                                       2 watching
● Ada (you)  against  ● Bo
Your move.
        [3]               time 15 ███████████████░░░░░ 5 nuggets
8 · · · · · · · ·   8 ·   fib  12 ████████████
7 · · · · · · · ·   7 ·   fob   9 █████████
6 • • • • • • ◆ ·   6 ·   37 moves: ship a6@3 to f6@3, g1@3 to
5 · · · · · · • ·   5 ·   g5@3, g6@1 or g6@2 · time -1 to -15 or
4 · · · · · · • ·   4 ·   +1 to +5 · spend fib or fob · eject
3 · · · · · · • ·   3 ◆   fib or fob
2 · · · · · · • ·   2 •   Bo joins
1 · · · · · · • ·   1 •
  a b c d e f g h
`ship h8@1` is not legal here: the ship lowers exactly one of
file, rank and board; possible: ship a6@3 to f6@3, g1@3 to g5@3,
g6@1 or g6@2
>                                                  ? how to play
",
    );
}

#[test]
fn a_refusal_is_read_whole_and_covers_neither_a_tank_nor_a_legal_move() {
    let (_, mut model) = played("fib-fob", EXAMPLE, &[]);
    types(&mut model, "ship h8@8");
    let screen = drawn(&model, 60, 20).join("\n");
    for shown in [
        "fib  12",
        "fob   9",
        "eject fib or fob",
        "to g5@3, g6@1 or g6@2\n",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    types(&mut model, "");
    model.editor.replace("");
    model.update(event::Event::Key(KeyEvent::new(
        KeyCode::Tab,
        KeyModifiers::NONE,
    )));
    let screen = drawn(&model, 60, 20).join("\n");
    for shown in ["fob   9", "eject fib or fob", "ship   time   spend   eject"] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
}

#[test]
fn a_tiny_terminal_has_no_boards_but_everything_else() {
    let (_, model) = played("fib-fob", EXAMPLE, &[]);
    check(
        &model,
        (60, 11),
        "
Fib Fob  K7M2QX                                   2 watching
● Ada (you)  against  ● Bo
Your move.
ship g6@3: file g, rank 6, board 3
time 15 ███████████████░░░░░ 5 nuggets
fib  12 ████████████
fob   9 █████████
37 moves: ship a6@3 to f6@3, g1@3 to g5@3, g6@1 or g6@2 ·
time -1 to -15 or +1 to +5 · spend fib or fob · eject fib  …
Bo joins
>                                              ? how to play
",
    );
    for (columns, rows) in (0..30).flat_map(|columns| (0..8).map(move |rows| (columns, rows))) {
        drawn(&model, columns, rows);
    }
}

#[test]
fn heaps_are_rows_of_coins() {
    let (_, model) = played("nim", "3,0,12", &["take 2 from 1"]);
    check(
        &model,
        (60, 14),
        "
Nim  K7M2QX                                       2 watching
● Ada (you)  against  ● Bo
Bo to move.
heap 1  1 ●◌◌ (was 3)
heap 2  0
heap 3 12 ●●●●●●●●●●●●
13 moves: take 1 from 1 or 1 to 12 from 3
Bo joins
1. You took 2 from heap 1 (take 2 from 1)




>                                              ? how to play
",
    );
}

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
fn the_end_names_the_player_who_is_erased_from_reality() {
    let (_, mut ada) = played("nim", "3", &["take 3 from 1"]);
    let screen = drawn(&ada, 80, 8);
    assert_eq!(
        screen[2],
        "You win: Bo is erased from reality (no move left, after 1 move)."
    );
    let words = ["match K7M2QX: You win: Bo is erased from reality (no move left, after 1 move)."];
    assert_eq!(ada.closing_lines(), words);
    assert_eq!(types(&mut ada, "quit"), Some(Exit::Done));
}

#[test]
fn a_rematch_offer_is_shown() {
    let (mut fake, mut ada) = played("nim", "3", &["take 3 from 1"]);
    report(
        &mut ada,
        fake.happens(Event::RematchOffered { seat: Seat::Joiner }),
    );
    let screen = drawn(&ada, 60, 8);
    assert_eq!(screen[6], "Bo offers a rematch: type `accept` to go on");
}

#[test]
fn leaving_a_match_shows_how_to_return() {
    let (_, mut model) = played("nim", "3", &[]);
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let effects = model.update(event::Event::Key(key));
    assert_eq!(apply(&mut model, effects), Some(Exit::Interrupted));
    assert_eq!(
        model.closing_lines(),
        ["your seat is kept; come back with: fibfob play --resume K7M2QX"]
    );
}

#[test]
fn the_help_covers_the_screen_until_a_key_is_pressed() {
    let (_, mut model) = played("nim", "3", &[]);
    let key = |letter| event::Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    model.update(key('?'));
    check(
        &model,
        (60, 24),
        "
┌ help ────────────────────────────────────────────────────┐
│ How to play Nim                                          │
│ Two players take turns, and both may make exactly the    │
│ same moves. No luck, nothing hidden, no draw.            │
│ Whoever makes the last move wins. Whoever cannot move    │
│ has lost.                                                │
│ You type a move. From `3,4,5`, for example:              │
│   take 2 from 2  Take as many coins as you like from one │
│                  heap.                                   │
│                                                          │
│ Commands                                                 │
│   first, second    move first or second, where you       │
│                    choose                                │
│   takeback         ask to take back your newest move     │
│   yes, no          allow or refuse a takeback            │
│   claim            win the match if the other player     │
│                    stays away                            │
│   say …            hello, good-luck …; `say` lists all   │
│                    phrases                               │
│   name …           take another name: `name Ada`         │
│   mute, unmute     hide or show the chat                 │
│   resign           give up the match; it asks once       │
│   rematch, accept  offer a rematch; accept an offer      │
└ ↑ ↓ PgUp PgDn more, any other key closes ────────────────┘
",
    );
    model.update(key('x'));
    assert_eq!(model.help, None);
    assert!(model.editor.is_empty());
}

#[test]
fn space_closes_help_that_came_unasked_and_letters_are_typed() {
    let (_, mut model) = played("nim", "3", &[]);
    let key = |letter| event::Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    for (letter, typed) in [(' ', ""), ('t', "t")] {
        apply(&mut model, vec![DisplayEffect::Rules.into()]);
        model.update(key(letter));
        assert_eq!((model.help, model.editor.text()), (None, typed));
    }
}

#[test]
fn a_refused_line_leaves_the_prompt_and_the_history_has_it() {
    let (_, mut model) = played("nim", "3,4,5", &[]);
    let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
    for line in ["hint", "why", "take 9 from 1"] {
        types(&mut model, line);
        assert_eq!(model.editor.text(), "", "{line}");
        model.update(event::Event::Key(up));
        assert_eq!(model.editor.text(), line);
        model.editor.replace("");
    }
    // A move that the server refuses.
    types(&mut model, "take 1 from 1");
    let asked = RequestBody::Act {
        id: id(),
        action: Action::Play {
            expecting: Version(2),
            text: "take 1 from 1".to_owned(),
        },
    };
    report(&mut model, refused(asked, &Refusal::Unavailable));
    assert_eq!(model.editor.text(), "");
    assert_eq!(types(&mut model, "quit"), Some(Exit::Done));
}

#[test]
fn a_person_types_resign_twice() {
    let (_, mut model) = played("nim", "3", &[]);
    model.app.is_by_hand = true;
    let resigns = |model: &mut ScreenModel, line: &str| {
        let effects = model.app.on_input(line);
        effects.iter().any(|it| matches!(it, Effect::Request(_)))
    };
    assert!(!resigns(&mut model, "resign"));
    assert!(!resigns(&mut model, "help"));
    assert!(!resigns(&mut model, "resign"), "another line came between");
    assert!(resigns(&mut model, "resign"));
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

#[test]
fn the_ship_is_visible_without_colours() {
    let (_, mut model) = played("rooks", "g6@3", &[]);
    model.theme = Theme::Plain;
    assert!(
        drawn(&model, 80, 24)
            .iter()
            .any(|row| row.contains("••••••◆·"))
    );
}

/// Presses a key, and returns what stands in the line then.
fn presses(model: &mut ScreenModel, code: KeyCode, modifiers: KeyModifiers) -> String {
    model.update(event::Event::Key(KeyEvent::new(code, modifiers)));
    model.editor.text().to_owned()
}

#[test]
fn arrow_keys_choose_the_square_that_the_ship_flies_to() {
    let (_, mut model) = played("fib-fob", EXAMPLE, &[]);
    let [plain, shift] = [KeyModifiers::NONE, KeyModifiers::SHIFT];
    for (code, modifiers, expected) in [
        (KeyCode::Right, plain, ""),
        (KeyCode::Left, plain, "ship f6@3"),
        (KeyCode::Left, plain, "ship e6@3"),
        (KeyCode::Right, plain, "ship f6@3"),
        (KeyCode::Down, plain, "ship g5@3"),
        (KeyCode::Down, shift, "ship g6@2"),
        (KeyCode::Down, shift, "ship g6@1"),
        (KeyCode::Up, shift, "ship g6@2"),
        (KeyCode::Up, shift, ""),
        (KeyCode::Left, plain, "ship f6@3"),
    ] {
        assert_eq!(presses(&mut model, code, modifiers), expected, "{code:?}");
    }
    let shown = drawn(&model, 100, 30).join("\n");
    assert!(shown.contains("◈ ◆"), "{shown}");
    // What is typed is the line's again.
    presses(&mut model, KeyCode::Esc, plain);
    presses(&mut model, KeyCode::Char('t'), plain);
    assert_eq!(presses(&mut model, KeyCode::Left, plain), "t");
}

#[test]
fn one_walks_back_through_the_moves_and_returns() {
    let (mut fake, mut model) = played("nim", "3,4,5", &["take 1 from 1", "take 2 from 2"]);
    let plain = KeyModifiers::NONE;
    let shown = |model: &ScreenModel| {
        let (position, _) = model.position(model.app.followed().unwrap());
        (position.to_owned(), model.moves_back)
    };
    presses(&mut model, KeyCode::PageUp, plain);
    assert_eq!(shown(&model), ("2,4,5".to_owned(), 1));
    assert!(drawn(&model, 80, 24)[2].starts_with("After 1 of 2 moves"));
    presses(&mut model, KeyCode::PageUp, plain);
    presses(&mut model, KeyCode::PageUp, plain);
    assert_eq!(
        shown(&model),
        ("3,4,5".to_owned(), 2),
        "not before the start"
    );
    presses(&mut model, KeyCode::PageDown, plain);
    assert_eq!(shown(&model), ("2,4,5".to_owned(), 1));
    presses(&mut model, KeyCode::Esc, plain);
    assert_eq!(shown(&model), ("2,2,5".to_owned(), 0));
    presses(&mut model, KeyCode::PageUp, plain);
    report(&mut model, fake.moves("take 1 from 2"));
    assert_eq!(shown(&model), ("2,1,5".to_owned(), 0), "a new move is seen");
}
