//! `fibfob solve`: the offline solver, for programs and for people.

use std::fs;
use std::path::Path;

use fibfob_games::GameId;
use fibfob_tests::Terminal;
use serde_json::{Value, json};

use crate::json_lines::check_answer;

fn lines(output: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test]
async fn the_batch_agrees_with_every_line_of_every_copied_vector() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/vectors");
    let mut games = std::collections::BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the vectors") {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let output = Terminal::run(&["solve", "--batch"], &text).await;
        assert_eq!(output.status.code(), Some(0), "{}", path.display());
        let answers = lines(&output.stdout);
        assert_eq!(answers.len(), text.lines().count(), "{}", path.display());
        for (line, answer) in text.lines().zip(&answers) {
            let expected: Value = serde_json::from_str(line).unwrap();
            let mut answer = answer.clone();
            if let Some(winning) = answer["winning"].as_array_mut() {
                winning.sort_unstable_by_key(ToString::to_string);
            }
            let fields = ["game", "position", "nimber", "outcome"].map(|name| [name, name]);
            let moves = [["winning", "winning_moves"], ["legal_count", "legal_moves"]];
            for [field, name] in fields.into_iter().chain(moves) {
                if let Some(value) = expected.get(name) {
                    assert_eq!(&answer[field], value, "{field} of {line}");
                }
            }
            games.insert(expected["game"].as_str().unwrap().to_owned());
        }
    }
    for game in GameId::ALL {
        assert!(games.contains(game.id()), "no vectors of {game}");
    }
}

#[tokio::test]
async fn an_invalid_line_is_reported_in_its_place_and_the_batch_goes_on() {
    let input = concat!(
        r#"{"game":"nim","position":"1,2"}"#,
        "\n",
        "no json\n",
        r#"{"game":"chess","position":"e4"}"#,
        "\n",
        r#"{"game":"nim","position":"x"}"#,
        "\n",
        r#"{"game":"nim"}"#,
        "\n",
        r#"{"game":"nim","position":" 3, 4 ,5 ","note":"ignored"}"#,
        "\n",
    );
    let output = Terminal::run(&["solve", "--batch"], input).await;
    assert_eq!(output.status.code(), Some(1));
    let answers = lines(&output.stdout);
    assert_eq!(answers.len(), 6);
    for wrong in &answers[1..5] {
        assert!(
            wrong["error"].as_str().is_some_and(|text| !text.is_empty()),
            "{wrong}"
        );
    }
    assert_eq!(
        answers[0],
        json!({"game":"nim","position":"1,2","outcome":"N","nimber":3,"winning":["take 1 from 2"],"complete":true,"legal_count":3})
    );
    assert_eq!(answers[5]["winning"], json!(["take 2 from 1"]));
}

#[tokio::test]
async fn solve_explains_the_winning_move() {
    let words = ["solve", "g6@3", "time=15", "nuggets=5", "fib=12", "fob=9"];
    let output = Terminal::run(&words, "").await;
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in ["13", "37", "time -13", "6⊕5⊕2⊕15⊕2⊕1 = 13", "time 15 → 2"] {
        assert!(text.contains(expected), "{expected} is missing in:\n{text}");
    }
    let output = Terminal::run(&["solve", "a1@1", "time=1", "fib=2"], "").await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("nimber 3") || text.contains("nimber: 3"),
        "{text}"
    );
}

#[tokio::test]
async fn usage_errors_and_input_errors_have_different_exit_codes() {
    let code = async |words: &[&str]| Terminal::run(words, "").await.status.code();
    assert_eq!(code(&["solve", "--game", "nim", "3,4,5"]).await, Some(0));
    assert_eq!(code(&["solve", "--game", "nim", "x"]).await, Some(1));
    assert_eq!(code(&["solve", "--nonsense"]).await, Some(2));
    assert_eq!(code(&["fly"]).await, Some(2));
}

#[tokio::test]
async fn answers_computed_without_a_server_follow_the_json_schema() {
    let huge = "9007199254740991,9007199254740990 p=9007199254740991";
    let answers: [(&[&str], &str); 10] = [
        (&["solve", "nim", "3,4,5"], "Solution"),
        (&["solve", "misere-nim", "3,4,5"], "Solution"),
        (&["solve", "ryuo-nim", huge], "Solution"),
        (&["compare", "nim 3", "nim 1,2"], "Comparison"),
        (&["compare", "ryuo-nim 5,7 p=3", "nim 3"], "Comparison"),
        (&["mex", "0", "1", "18446744073709551614"], "Mex"),
        (&["table", "kayles", "--to", "9"], "Table"),
        (&["table", "wythoff-nim", "--size", "3"], "Table"),
        (&["rules", "kayles"], "Rules"),
        (&["games"], "Games"),
    ];
    for (words, definition) in answers {
        let output = Terminal::run(&[words, &["--json"]].concat(), "").await;
        check_answer(&String::from_utf8_lossy(&output.stdout), definition);
    }
    let output = Terminal::run(&["solve", "--batch"], "no json\n").await;
    check_answer(&String::from_utf8_lossy(&output.stdout), "Unsolved");
}
