//! The documents are true: named paths exist, and programs print what is quoted.

use std::fs;
use std::path::{Path, PathBuf};

use fibfob_games::{GameId, Position};
use fibfob_tests::Terminal;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Everything between backticks in `text`, code blocks left out.
fn quoted(text: &str) -> Vec<String> {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    outside
        .iter()
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_path_named_in_the_documents_exists() {
    let mut checked = 0;
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/METRICS.md",
        "docs/OPERATING.md",
        "docs/TERMINAL.md",
        "docs/LOAD.md",
        "docs/PERFORMANCE.md",
    ] {
        for word in quoted(&text(name)) {
            let is_path = word.contains('/')
                && word
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
            let folder = word.split('/').next().unwrap_or_default();
            if is_path && root().join(folder).is_dir() && !folder.is_empty() {
                assert!(root().join(&word).exists(), "{name} names {word}");
                checked += 1;
            }
        }
    }
    assert!(checked > 5);
}

#[test]
fn every_top_level_folder_is_on_the_map() {
    let readme = text("README.md");
    for entry in fs::read_dir(root()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !name.starts_with('.') && name != "target" {
            assert!(
                readme.contains(&format!("[{name}/]({name})")),
                "{name}/ is not on the map"
            );
        }
    }
}

#[test]
fn every_game_of_the_catalogue_is_in_the_table_with_a_position_that_can_be_read() {
    let table = text("docs/TERMINAL.md");
    for &game in GameId::ALL {
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("| `{game}` |")))
            .unwrap_or_else(|| panic!("{game} has no row in docs/TERMINAL.md"));
        let cells = quoted(row);
        let position = Position::read(game, &cells[1]);
        assert!(position.is_ok(), "{game}: {position:?}");
    }
}

#[tokio::test]
async fn solve_prints_what_the_readme_shows() {
    let readme = text("README.md");
    let shown = readme
        .split("```console\n$ fibfob ")
        .nth(1)
        .expect("the README shows a solved position");
    let (words, rest) = shown.split_once('\n').unwrap();
    let printed = rest.split("```").next().unwrap();
    let words: Vec<&str> = words.split(' ').collect();
    let output = Terminal::run(&words, "").await;
    assert_eq!(
        String::from_utf8(output.stdout).unwrap().trim_end(),
        printed.trim_end()
    );
}
