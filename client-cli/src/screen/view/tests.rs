//! Whole screens, compared row by row. Colours are not compared: they repeat what the signs say.

use fibfob_client::ClientEvent;
use fibfob_protocol::{Event, Seat};
use fibfob_theory::Exit;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::app::fixture::{ScriptedMatch, begun, down};
use crate::app::{AppState, Effect};
use crate::screen::theme::Theme;

mod documents;
mod keys;
mod players;
mod states;

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
fn the_ship_is_visible_without_colours() {
    let (_, mut model) = played("rooks", "g6@3", &[]);
    model.theme = Theme::Plain;
    assert!(
        drawn(&model, 80, 24)
            .iter()
            .any(|row| row.contains("••••••◆·"))
    );
}
