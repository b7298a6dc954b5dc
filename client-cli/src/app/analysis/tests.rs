//! Analysis and the recorder, as lines go in and steps come out.

use fibfob_client::ClientEvent;
use fibfob_games::{Outcome, random_move};
use fibfob_protocol::{Event, Seat};

use super::*;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::fixture::{ScriptedMatch, welcome};

fn read(game: &str, position: &str) -> Position {
    Position::read(game.parse().unwrap(), position).unwrap()
}

fn said(steps: &[Effect]) -> String {
    let texts = steps.iter().map(|step| match step {
        Effect::Show(DisplayEffect::Print(line)) => line.text.clone(),
        other => format!("{other:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn moves_are_tried_on_the_board_and_taken_back_with_the_value_live() {
    let mut analysis = AnalysisBoard::new(vec![read("nim", "3,4,5")], None);
    let right = said(&analysis.on_move("take 2 from 1"));
    assert_eq!(
        right,
        "take 2 from 1: nim 1,4,5: whoever is to move loses against good play"
    );
    analysis.on_word(AnalysisWord::Back);
    assert_eq!(analysis.line.current().to_string(), "3,4,5");
    // Another move from here forgets the first one.
    analysis.on_move("take 3 from 1");
    let forward = analysis.on_word(AnalysisWord::Forward);
    assert_eq!(forward, []);
    assert_eq!(analysis.line.current().to_string(), "0,4,5");
    let mut set = |text| said(&analysis.on_word(AnalysisWord::Position(text)));
    assert_eq!(
        set("nim 9007199254740991,1"),
        "nim 9007199254740991,1: whoever is to move can win"
    );
    assert!(set("nim x").contains("expected"));
}

#[test]
fn a_wrong_move_is_refuted_on_the_board_and_taken_back_and_every_winning_one_is_right() {
    let position = read("nim", "2,2,2");
    let winning: Vec<String> = position.solve().winning.iter().collect();
    assert!(winning.len() > 1, "{winning:?}");
    for text in &winning {
        let seat = Seat::Creator;
        let end = Some(Event::Resigned { seat });
        let recorder = recorded("nim", "2,2,2", &["take 1 from 1"], end);
        let mut analysis = AnalysisBoard::new(recorder.positions(), Some(recorder));
        analysis.on_word(AnalysisWord::Try(""));
        assert!(said(&analysis.on_move("take 1 from 1")).ends_with("taken back"));
        assert_ne!(
            analysis.position(),
            &position,
            "the refutation is on the board"
        );
        assert_eq!(analysis.line.current(), &position);
        assert!(said(&analysis.on_move(text)).starts_with("Right."));
        assert!(!analysis.takes_moves());
    }
}

/// A match as Ada sees it, who created it and moves first against Bo.
fn followed(events: &[ClientEvent]) -> DisplayedMatch {
    let ClientEvent::Connected { welcome, .. } = welcome("Ada") else {
        panic!("the fixture's server greets");
    };
    let updates = events.iter().map(|event| match event {
        ClientEvent::Update(update) => update,
        other => panic!("{other:?}"),
    });
    let mut followed: Option<DisplayedMatch> = None;
    for update in updates {
        match &mut followed {
            Some(followed) => followed.apply(update, Some(welcome.guest)),
            None => followed = Some(DisplayedMatch::new(update, Some(welcome.guest))),
        }
    }
    followed.unwrap()
}

fn recorded(game: &str, start: &str, moves: &[&str], end: Option<Event>) -> Recorder {
    let mut fake = ScriptedMatch::open(game, start);
    let mut events = vec![fake.first(), fake.joins()];
    events.extend(moves.iter().map(|text| fake.moves(text)));
    events.extend(end.map(|end| fake.happens(end)));
    Recorder::of(&followed(&events), &fake.review()).unwrap()
}

#[test]
fn the_recorder_says_in_a_sentence_which_move_lost_the_match() {
    let resigned = |seat| Some(Event::Resigned { seat });
    for (moves, end, said) in [
        (
            &["take 1 from 1", "take 2 from 2"][..],
            None,
            "You had the win until move 1. There you took 1 from heap 1; heap 2 from 2 to 1 wins.",
        ),
        (
            &["take 1 from 2"],
            resigned(Seat::Joiner),
            "You had the win from the start and never gave it away.",
        ),
        (
            &["take 1 from 2"],
            resigned(Seat::Creator),
            "You could still win when the match ended.",
        ),
        (
            &["take 1 from 1", "take 1 from 2", "take 1 from 2"],
            None,
            "You gave the win away once; Bo gave it back.",
        ),
        (
            &["take 1 from 1"],
            resigned(Seat::Joiner),
            "Bo could still win when the match ended.",
        ),
    ] {
        let recorder = recorded("nim", "1,2", moves, end);
        assert_eq!(recorder.sentences()[0], said, "{moves:?}");
    }
    let lost = recorded("nim", "1,1", &["take 1 from 1", "take 1 from 2"], None);
    assert_eq!(
        lost.sentences()[0],
        "The start was lost for you before the first move, and Bo gave nothing back."
    );
    let mut analysis = AnalysisBoard::new(lost.positions(), Some(lost));
    assert!(said(&analysis.on_word(AnalysisWord::Try(""))).contains("no move of this match"));
}

#[test]
fn the_bar_turns_only_at_moves_that_gave_the_win_away_in_every_game() {
    for &game in GameId::ALL {
        let start = game.read(game.info().example).unwrap();
        for _ in 0..10 {
            let mut position = start.clone();
            let mut moves = Vec::new();
            while let Some(mv) = random_move(&position, &mut rand::rng()) {
                moves.push(mv.to_string());
                position = position.play(&mv).unwrap();
            }
            let texts: Vec<&str> = moves.iter().map(String::as_str).collect();
            let recorder = recorded(game.id(), game.info().example, &texts, None);
            let bar: Vec<_> = recorder.bar().collect();
            for pair in bar.windows(2) {
                let [(before, _), (now, gave_away)] = pair else {
                    panic!("they are pairs");
                };
                assert!(before.is_some());
                assert_eq!(before != now, *gave_away, "{game}: {moves:?}");
            }
            // Its sentence names a turning point, and a move that wins there.
            let mut analysis = AnalysisBoard::new(recorder.positions(), Some(recorder));
            while analysis.takes_moves()
                || said(&analysis.on_word(AnalysisWord::Try(""))).starts_with("Move ")
            {
                assert_eq!(analysis.line.current().outcome(), Some(Outcome::N));
                let best = coach::best(analysis.line.current()).unwrap();
                assert!(
                    said(&analysis.on_move(&best)).starts_with("Right."),
                    "{game}: {moves:?}"
                );
            }
        }
    }
}
