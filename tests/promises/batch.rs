//! `fibfob solve`: the offline solver, for programs and for people.

use std::fs;
use std::path::Path;

use fibfob_games::GameId;
use fibfob_tests::Terminal;
use serde_json::{Value, json};

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
            for field in [
                "game",
                "position",
                "nimber",
                "outcome",
                "winning_moves",
                "legal_moves",
            ] {
                if let Some(value) = expected.get(field) {
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
        json!({"game":"nim","position":"1,2","nimber":3,"outcome":"N","winning_moves":["take 1 from 2"],"legal_moves":3})
    );
    assert_eq!(answers[5]["winning_moves"], json!(["take 2 from 1"]));
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
