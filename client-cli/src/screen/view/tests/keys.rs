//! What keys and typed lines do on the screen.

use fibfob_protocol::{Action, Refusal, RequestBody, Version};

use super::*;
use crate::app::DisplayEffect;
use crate::app::fixture::{id, refused};

#[test]
fn the_help_covers_the_screen_until_a_key_is_pressed() {
    let (_, mut model) = played("nim", "3", &[]);
    let key = |letter| event::Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    model.update(key('?'));
    assert!(drawn(&model, 60, 24)[0].starts_with("┌ help ─"));
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
    assert!(shown.contains("> ship f6@3"), "{shown}");
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
