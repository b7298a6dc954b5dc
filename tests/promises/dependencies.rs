//! Only allowed packages are built: the list is `deny.toml`, which `cargo deny` reads too.
//!
//! Sources and versions are those of the lock file, for every platform; licences those of the
//! packages that are built here. Advisories are not looked up: that needs a network, and `cargo
//! deny check advisories`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};
use toml::Table;

const REGISTRY: &str = "https://github.com/rust-lang/crates.io-index";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> Table {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    text.parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words of a list.
fn words(list: &toml::Value) -> BTreeSet<String> {
    let word = |value: &toml::Value| value.as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(word).collect()
}

fn locked() -> Vec<toml::Value> {
    let lock = read("Cargo.lock");
    lock["package"].as_array().unwrap().clone()
}

#[test]
fn every_dependency_comes_from_the_one_registry() {
    let known = words(&read("deny.toml")["sources"]["allow-registry"]);
    assert_eq!(known, BTreeSet::from([REGISTRY.to_owned()]));
    let mut foreign = 0;
    for package in locked() {
        if let Some(source) = package.get("source") {
            let registry = source.as_str().unwrap().strip_prefix("registry+");
            assert!(registry.is_some_and(|it| known.contains(it)), "{package:?}");
            assert!(package.get("checksum").is_some(), "{package:?}");
            foreign += 1;
        }
    }
    assert!(foreign > 100, "the lock file is read");
}

#[test]
fn no_package_has_two_versions_but_the_listed_ones() {
    let mut versions = BTreeMap::<String, u32>::new();
    for package in locked() {
        let name = package["name"].as_str().unwrap().to_owned();
        *versions.entry(name).or_default() += 1;
    }
    versions.retain(|_, count| *count > 1);
    let twice: BTreeSet<_> = versions.into_keys().collect();
    let deny = read("deny.toml");
    let listed = deny["bans"]["skip"].as_array().unwrap().iter();
    let listed: BTreeSet<_> = listed
        .map(|entry| entry["crate"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(twice, listed, "found and listed");
}

#[test]
fn every_licence_is_allowed() {
    let deny = read("deny.toml");
    let allowed = words(&deny["licenses"]["allow"]);
    let exceptions = deny["licenses"]["exceptions"].as_array().unwrap();
    let of_ours = read("Cargo.toml")["workspace"]["package"]["license"].clone();
    let mut used = BTreeSet::new();
    let mut checked = 0;
    for package in packages_built_here() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        if package["source"].is_null() {
            assert_eq!(Some(licence), of_ours.as_str(), "{name}");
            continue;
        }
        let own = exceptions
            .iter()
            .find(|it| it["crate"].as_str() == Some(name));
        let own = own.map(|it| words(&it["allow"])).unwrap_or_default();
        let expression = Expression::parse_mode(licence, ParseMode::LAX);
        let expression =
            expression.unwrap_or_else(|_| panic!("{name} has no licence but `{licence}`"));
        let may = expression.evaluate(|required| {
            let id = required.license.id().map_or("", |id| id.name).to_owned();
            let may = allowed.contains(&id) || own.contains(&id);
            used.insert(id);
            may && required.addition.is_none()
        });
        assert!(may, "{name} asks for {licence}");
        checked += 1;
    }
    assert!(checked > 100, "cargo lists what is built");
    let unused: Vec<_> = allowed.difference(&used).collect();
    assert!(
        unused.is_empty(),
        "allowed, and nobody asks for it: {unused:?}"
    );
}

/// What cargo builds on this platform, tests included.
fn packages_built_here() -> Vec<Value> {
    let host = run("rustc", &["-vV"]);
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let words = [
        "metadata",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
    ];
    let told = run(env!("CARGO"), &[&words[..], &[host.unwrap()]].concat());
    let metadata: Value = serde_json::from_str(&told).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn run(program: &str, words: &[&str]) -> String {
    let output = Command::new(program)
        .args(words)
        .current_dir(root())
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
