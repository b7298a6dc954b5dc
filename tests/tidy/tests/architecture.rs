//! ARCHITECTURE.md says what is true: crates and rooms import as drawn, and the glossary is short.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use fibfob_tidy::{arrows, read, root};

/// The longest glossary, in terms.
const TERMS_MAX: usize = 30;

/// Modules at the root of the server that every room may import, and that import no room.
const SEAMS: [&str; 1] = ["limits"];

/// Modules that match tasks, their directory and viewers stand on, each beside those that it may import
/// besides `limits`.
const UNDER_MATCHES: [(&str, &[&str]); 13] = [
    ("clock", &[]),
    ("encoded", &[]),
    ("errands", &[]),
    ("flights", &["clock", "results"]),
    ("lobby", &["clock", "encoded"]),
    ("metrics", &["disk_ledger", "panics", "process"]),
    ("panics", &[]),
    ("process", &[]),
    ("random", &[]),
    ("results", &[]),
    ("scheduler", &["metrics", "results", "tasks"]),
    ("service", &["clock"]),
    ("tasks", &[]),
];

type Drawing = BTreeMap<String, BTreeSet<String>>;

fn text() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the text is there")
}

/// Returns the section under this heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let after = text.split(heading).nth(1);
    let after = after.unwrap_or_else(|| panic!("no heading {heading}"));
    after
        .split("\n## ")
        .next()
        .expect("a section before the next one")
}

/// Returns the arrows of the first code block: `session → matches, net` on each line.
fn drawn(section: &str) -> Drawing {
    let block = section.split("```").nth(1).expect("a drawing");
    let lines = block.lines().filter_map(|line| line.split_once('→'));
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect();
    lines
        .map(|(from, to)| (from.trim().to_owned(), names(to)))
        .collect()
}

#[test]
fn the_glossary_is_short_and_explains_each_term_once() {
    let text = text();
    let rows = section(&text, "\n## Glossary")
        .lines()
        .skip_while(|line| !line.starts_with("|---"));
    let terms: Vec<&str> = rows
        .skip(1)
        .filter_map(|row| row.split('|').nth(1))
        .collect();
    assert!(
        !terms.is_empty() && terms.len() <= TERMS_MAX,
        "{} terms",
        terms.len()
    );
    let distinct: BTreeSet<_> = terms.iter().collect();
    assert_eq!(distinct.len(), terms.len());
}

/// Returns the room of a file: the name of the module at the crate's root.
fn room(folder: &str, path: &str) -> String {
    let inside = path.strip_prefix(folder).expect("a file of the crate");
    let mut names = inside.split(['/', '.']);
    names.next().expect("a split has a part").to_owned()
}

#[test]
fn what_matches_stand_on_knows_no_match_task() {
    let folder = "server/matches/src/";
    for arrow in arrows(&read("server/matches")) {
        let (from, to) = (room(folder, &arrow.from), room(folder, &arrow.to));
        let under = UNDER_MATCHES.iter().find(|(name, _)| *name == from);
        if let Some((_, may)) = under.filter(|_| from != to && to != "limits") {
            assert!(may.contains(&to.as_str()), "{from} imports {to}");
        }
        assert!(from != "limits" || to == from, "limits imports {to}");
    }
}

#[test]
fn the_rooms_of_the_server_import_as_drawn() {
    let room = |path: &str| room("server/src/", path);
    let mut found = Drawing::new();
    for arrow in arrows(&read("server")) {
        let (from, to) = (room(&arrow.from), room(&arrow.to));
        let around = ["lib", "main"].contains(&from.as_str());
        if from != to && !around && !SEAMS.contains(&to.as_str()) {
            found.entry(from).or_default().insert(to);
        }
    }
    let seams: Vec<_> = SEAMS.iter().filter_map(|seam| found.get(*seam)).collect();
    assert!(seams.is_empty(), "a seam imports {seams:?}");
    assert_eq!(
        found,
        drawn(section(&text(), "\n## The server")),
        "imports and drawing"
    );
}

#[test]
fn the_rooms_of_the_server_make_no_circle() {
    let mut left = drawn(section(&text(), "\n## The server"));
    while !left.is_empty() {
        let rooms: BTreeSet<String> = left.keys().cloned().collect();
        let free = left.iter().find(|(_, to)| to.is_disjoint(&rooms));
        let (free, _) = free.unwrap_or_else(|| panic!("a circle among {rooms:?}"));
        let free = free.clone();
        left.remove(&free);
    }
}

#[test]
fn the_crates_depend_on_each_other_as_drawn() {
    let ours = |folder: &str| -> BTreeSet<String> {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        let names = dependencies.into_iter().flat_map(toml::Table::keys);
        names
            .filter_map(|name| name.strip_prefix("fibfob-"))
            .map(str::to_owned)
            .collect()
    };
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(ours("games"), set(&[]));
    assert_eq!(ours("games/properties"), set(&["games"]));
    assert_eq!(ours("protocol"), set(&["games"]));
    assert_eq!(ours("server/net"), set(&[]));
    assert_eq!(ours("server/page"), set(&["games", "protocol"]));
    assert_eq!(ours("server/store"), set(&["protocol"]));
    assert_eq!(ours("server/store-sqlite"), set(&["protocol", "store"]));
    assert_eq!(
        ours("server/store-postgres"),
        set(&["net", "protocol", "store"])
    );
    assert_eq!(
        ours("server"),
        set(&[
            "games",
            "net",
            "page",
            "protocol",
            "server-matches",
            "store",
            "store-postgres",
            "store-sqlite"
        ])
    );
    assert_eq!(
        ours("server/matches"),
        set(&["games", "net", "protocol", "store"])
    );
    assert_eq!(ours("client"), set(&["games", "protocol"]));
    assert_eq!(ours("client-cli/theory"), set(&["games"]));
    assert_eq!(
        ours("client-cli"),
        set(&["client", "games", "protocol", "theory"])
    );
    assert_eq!(ours("tests/history"), set(&["games", "protocol"]));
}

#[test]
fn the_match_machine_and_the_games_have_no_runtime() {
    for folder in ["games", "protocol"] {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        for foreign in ["tokio", "axum", "rusqlite", "socket2"] {
            assert!(
                !dependencies.contains_key(foreign),
                "{folder} depends on {foreign}"
            );
        }
    }
}

#[test]
fn matches_knows_no_socket_and_no_web_framework() {
    for file in read("server/matches").files {
        // A message once encoded is shared as the text that a WebSocket takes.
        if !file.path.ends_with("/encoded.rs") {
            for foreign in ["axum::", "tokio_tungstenite", "tungstenite::", "hyper::"] {
                assert!(!file.text.contains(foreign), "{} uses {foreign}", file.path);
            }
        }
    }
}
