//! Whole solutions in words, compared with those in `answers.txt`, each below its command.

use std::collections::BTreeSet;

use clap::Parser;

use super::*;
use crate::TheoryCommand;

const ANSWERS: &str = include_str!("answers.txt");

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: TheoryCommand,
}

/// The solutions in the file, each with its game and position.
fn expected() -> Vec<(Position, &'static str)> {
    let answers = ANSWERS.split("$ fibfob ").skip(1);
    let read = |answer: &'static str| {
        let (command, answer) = answer.split_once('\n').unwrap();
        let words = command.replace('\'', "");
        let words = ["fibfob"].into_iter().chain(words.split(' '));
        let TheoryCommand::Solve(args) = Line::try_parse_from(words).unwrap().command else {
            panic!("{command}")
        };
        let position = Position::read(
            args.game.unwrap_or(fibfob_games::GameId::FibFob),
            &args.position.join(" "),
        )
        .unwrap();
        (position, answer.trim_end_matches('\n'))
    };
    answers.map(read).collect()
}

#[test]
fn solutions_match_the_file() {
    for (position, expected) in expected() {
        let written = write(&position);
        assert_eq!(written.trim_end_matches('\n'), expected);
        assert!(
            written.ends_with('\n') && !written.contains(" \n"),
            "{written}"
        );
    }
}

#[test]
fn the_file_has_a_solution_of_every_game() {
    let games: BTreeSet<_> = expected()
        .iter()
        .map(|(position, _)| position.game())
        .collect();
    assert_eq!(games.len(), fibfob_games::GameId::ALL.len());
}

#[test]
fn the_json_form_has_the_explanation() {
    let position = Position::read(fibfob_games::GameId::WythoffNim, "1,2").unwrap();
    let line = json_line(&SolutionJson::solve(&position, Some(position.explain())));
    assert_eq!(
        line.trim_end(),
        r#"{"game":"wythoff-nim","position":"1,2","outcome":"P","nimber":0,"winning":[],"complete":true,"legal_count":4,"steps":[{"step":"cold-pair","k":1,"small":1,"large":2},{"step":"lost"}]}"#
    );
}

#[test]
fn numbers_that_a_reader_of_json_may_round_are_texts() {
    let text = "9007199254740991,9007199254740990 p=9007199254740991";
    let position = Position::read(fibfob_games::GameId::RyuoNim, text).unwrap();
    let line = json_line(&SolutionJson::solve(&position, None));
    assert!(line.contains(r#""nimber":"18014398509481981""#), "{line}");
    assert!(line.contains(r#""legal_count":"4056"#), "{line}");
    assert!(line.contains(r#""total":[9007199254740990,"#), "{line}");
}
