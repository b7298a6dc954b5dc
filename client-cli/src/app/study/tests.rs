//! Puzzles, analysis, lessons and the recorder, as lines go in and steps come out.

use fibfob_client::ClientEvent;
use fibfob_games::{Outcome, Reasoner, random_move};
use fibfob_protocol::{Event, ReviewedPly, Seat};
use serde_json::json;

use super::*;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::fixture::{ScriptedMatch, welcome};
use crate::app::text::OutputLine;

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

fn is_refusal(steps: &[Effect]) -> bool {
    let refused = |line: &OutputLine| line.tone == OutputKind::Refusal;
    matches!(steps, [Effect::Show(DisplayEffect::Print(line))] if refused(line))
}

#[test]
fn moves_are_tried_on_the_board_and_taken_back_with_the_value_live() {
    let mut study = StudyBoard::new(vec![read("nim", "3,4,5")], Task::Analyse);
    let right = said(&study.on_move("take 2 from 1"));
    assert_eq!(
        right,
        "take 2 from 1: nim 1,4,5: whoever is to move loses against good play"
    );
    study.on_word(StudyWord::Back);
    assert_eq!(study.line.asked().to_string(), "3,4,5");
    // Another move from here forgets the first one.
    study.on_move("take 3 from 1");
    let forward = study.on_word(StudyWord::Forward);
    assert_eq!(forward, []);
    assert_eq!(study.line.asked().to_string(), "0,4,5");
    let mut set = |text| said(&study.on_word(StudyWord::Position(text)));
    assert_eq!(
        set("nim 9007199254740991,1"),
        "nim 9007199254740991,1: whoever is to move can win"
    );
    assert!(set("nim x").contains("expected"));
}

#[test]
fn a_wrong_move_is_refuted_on_the_board_and_taken_back_and_every_winning_one_is_right() {
    let set = PuzzleTask::set(GameId::Nim, Some(Reasoner::Xor), 7);
    let (task, position) = set.unwrap();
    let winning: Vec<String> = position.solve().winning.iter().collect();
    let legal = position.legal_moves();
    let wrong = legal.iter().find(|text| !winning.contains(text)).unwrap();
    for text in &winning {
        let mut study = StudyBoard::new(vec![position.clone()], Task::Puzzle(task.clone()));
        let steps = study.on_move(&wrong);
        let kept = Effect::Mark("missed/nim/xor/7".to_owned(), true);
        assert!(steps.contains(&kept), "{steps:?}");
        assert_ne!(
            study.position(),
            &position,
            "the refutation is on the board"
        );
        assert_eq!(study.line.asked(), &position);
        assert!(said(&study.on_move(text)).starts_with("Right."));
        assert!(!study.takes_moves());
    }
}

#[test]
fn every_lesson_can_be_done_with_the_moves_that_win() {
    for lesson in fibfob_games::lessons() {
        let mut study = Journey::begin(Some(lesson.name), Default::default()).unwrap();
        let mut steps = study.opening();
        for _ in 0..200 {
            if steps.iter().any(|step| matches!(step, Effect::Mark(..))) {
                break;
            }
            steps = match () {
                () if study.takes_moves() => {
                    let best = coach::best(study.line.asked()).unwrap();
                    study.on_move(&best)
                }
                () if steps.iter().any(|step| matches!(step, Effect::Request(_))) => {
                    study.come_back(true)
                }
                () => match study.on_word(StudyWord::Next) {
                    refused if is_refusal(&refused) => {
                        let answers = lost_ones(lesson).into_iter();
                        let mut answered = answers.map(|numbers| study.on_move(&numbers));
                        let right = answered.find(|steps| said(steps).starts_with("Right."));
                        right.unwrap_or_else(|| panic!("{}: {refused:?}", lesson.name))
                    }
                    steps => steps,
                },
            };
        }
        let mark = Effect::Mark(format!("lesson/{}", lesson.name), true);
        assert!(steps.contains(&mark), "{}: {steps:?}", lesson.name);
    }
}

/// The answers to the lesson's tasks of telling positions apart.
fn lost_ones(lesson: &fibfob_games::Lesson) -> Vec<String> {
    let tasks = lesson.steps.iter().filter_map(|step| match &step.task {
        fibfob_games::LessonTask::Colour { positions, lost } => {
            let numbered = (1..).zip(positions).filter(|(_, it)| lost.contains(it));
            let numbers = numbered.map(|(number, _): (usize, _)| number.to_string());
            Some(numbers.collect::<Vec<_>>().join(" "))
        }
        _ => None,
    });
    tasks.collect()
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

/// The values of the positions of a match, as a server tells them.
fn reviewed(start: &Position, moves: &[String]) -> Vec<ReviewedPly> {
    let mut position = start.clone();
    let mut plies = vec![json!({"version": 1, "position": position.to_string(),
        "outcome": position.outcome(), "gave_away": false})];
    for (number, text) in moves.iter().enumerate() {
        let after = coach::after(&position, text).unwrap();
        let [before, now] = [&position, &after].map(Position::outcome);
        let seat = if number % 2 == 0 { "creator" } else { "joiner" };
        plies.push(
            json!({"version": number + 3, "position": after.to_string(), "move": text,
            "seat": seat, "outcome": now,
            "gave_away": before == Some(Outcome::N) && now == Some(Outcome::N)}),
        );
        position = after;
    }
    serde_json::from_value(plies.into()).unwrap()
}

fn recorded(game: &str, start: &str, moves: &[&str], end: Option<Event>) -> Recorder {
    let mut fake = ScriptedMatch::open(game, start);
    let mut events = vec![fake.first(), fake.joins()];
    events.extend(moves.iter().map(|text| fake.moves(text)));
    events.extend(end.map(|end| fake.happens(end)));
    let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
    let plies = reviewed(&read(game, start), &moves);
    Recorder::of(&followed(&events), &plies).unwrap()
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
            "You gave the win away once, and Bo could still win when the match ended.",
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
    assert_eq!(lost.flown(7), "Flight 7 · erased after 1 move · no slip  ■");
    let mut study = StudyBoard::new(lost.positions(), Task::Record(Box::new(lost)));
    assert!(said(&study.on_word(StudyWord::Try(""))).contains("no move of this match"));
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
            let mut study = StudyBoard::new(recorder.positions(), Task::Record(Box::new(recorder)));
            while study.takes_moves()
                || said(&study.on_word(StudyWord::Try(""))).starts_with("Move ")
            {
                assert_eq!(study.line.asked().outcome(), Some(Outcome::N));
                let best = coach::best(study.line.asked()).unwrap();
                assert!(
                    said(&study.on_move(&best)).starts_with("Right."),
                    "{game}: {moves:?}"
                );
            }
        }
    }
}
