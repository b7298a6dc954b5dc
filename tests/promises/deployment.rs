//! The files in deploy/ fit the server and each other. No container is started.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fibfob_tests::Server;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names in a text that are made of capitals, digits and underscores.
fn capitals(text: &str) -> BTreeSet<&str> {
    let is_part =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.split(|letter| !is_part(letter))
        .filter(|word| !word.is_empty())
        .collect()
}

#[tokio::test]
async fn the_server_knows_every_variable_that_the_containers_set() {
    let help = Server::task_on(Path::new("unused"), &["--help"]).await;
    let help = String::from_utf8(help.stdout).unwrap();
    let known = capitals(&help);
    let (compose, image) = (text("compose.yaml"), text("Dockerfile"));
    let set: BTreeSet<_> = capitals(&compose)
        .union(&capitals(&image))
        .copied()
        .collect();
    let set: Vec<_> = set
        .iter()
        .filter(|name| name.starts_with("FIBFOB_"))
        .collect();
    assert!(set.len() >= 4, "{set:?}");
    for name in set {
        assert!(known.contains(name), "{name} is no variable of the server");
    }
}

#[test]
fn compose_mounts_files_that_are_there_and_sets_what_the_balancer_reads() {
    let compose = text("compose.yaml");
    let mounted = compose
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ./"));
    let mounted: Vec<_> = mounted.filter_map(|rest| rest.split(':').next()).collect();
    assert!(mounted.contains(&"haproxy.cfg"), "{mounted:?}");
    for name in mounted {
        assert!(folder().join(name).exists(), "deploy/{name} is missing");
    }
    let balancer = text("haproxy.cfg");
    let read = balancer
        .split("${")
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    for name in read {
        assert!(
            compose.contains(&format!("      {name}: \"")),
            "{name} is not set"
        );
    }
}
