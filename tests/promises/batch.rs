//! `fibfob solve`: the offline solver, for programs and for people.

use std::fs;
use std::path::Path;

use fibfob_games::GameId;
use fibfob_tests::Terminal;
use serde_json::Value;

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
