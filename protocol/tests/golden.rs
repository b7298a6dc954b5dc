//! One golden example of every message and event: the Rust types, PROTOCOL.md and third
//! clients are all held against the same files.
//!
//! `frozen/` has the golden files and the schema of each release, one file a release, so that later code
//! is held against them, too. `FIBFOB_FREEZE=1 cargo test -p fibfob-protocol --test golden` writes that of
//! the version in Cargo.toml, once; nobody changes it after its release.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use fibfob_protocol::{ClientMessage, Record, RequestBody, ServerMessage};
use serde_json::{Value, json};

/// Name without ending → the file's JSON.
fn golden() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    fs::read_dir(folder)
        .expect("the golden folder")
        .map(|entry| {
            let path = entry.expect("a readable folder").path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let value = serde_json::from_str(&fs::read_to_string(&path).unwrap())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, value)
        })
        .collect()
}

/// Reads `value` into the Rust types and writes it again.
fn written_again(name: &str, value: &Value) -> Value {
    let text = value.to_string();
    let again = match name.split('-').next() {
        Some("client") => ClientMessage::read(&text)
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"))
            .write(),
        Some("server") => {
            let message = ServerMessage::read(&text);
            message
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .write()
        }
        Some("record") => {
            let record: Record =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            serde_json::to_string(&record).unwrap()
        }
        _ => panic!("{name}: golden files begin with client-, server- or record-"),
    };
    serde_json::from_str(&again).unwrap()
}

#[test]
fn every_request_knows_its_own_type() {
    for (name, value) in &golden() {
        if name.starts_with("client-")
            && let Ok(ClientMessage::Request(request)) = ClientMessage::read(&value.to_string())
        {
            assert_eq!(value["type"], request.body.kind(), "{name}");
        }
    }
}

#[test]
fn every_golden_file_is_read_and_written_unchanged() {
    let golden = golden();
    assert!(golden.len() > 30);
    for (name, value) in &golden {
        assert_eq!(&written_again(name, value), value, "{name}");
    }
}

#[test]
fn every_message_and_every_event_has_a_golden_file() {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, value) in &golden() {
        let (kind, tag) = match name.split('-').next() {
            Some("client") => ("client", "type"),
            Some("server") => ("server", "type"),
            _ => ("record", "event"),
        };
        let tag = value[tag].as_str().unwrap().to_owned();
        found.entry(kind).or_default().insert(tag);
    }
    let expected = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut asks: BTreeSet<String> = RequestBody::kinds().map(str::to_owned).collect();
    asks.insert("hello".to_owned());
    assert_eq!(found["client"], asks);
    assert_eq!(
        found["server"],
        expected(&[
            "welcome",
            "accepted",
            "refused",
            "preview",
            "analysis",
            "review",
            "legal",
            "study",
            "progress",
            "today",
            "record",
            "games",
            "matches",
            "matches-change",
            "device-code",
            "identity",
            "frame",
            "snapshot",
            "presence",
            "chat",
            "lobby",
            "lobby-change",
            "notice",
            "goodbye"
        ])
    );
    assert_eq!(
        found["record"],
        expected(&[
            "created",
            "joined",
            "begun",
            "first-move-missed",
            "chosen",
            "choice-lapsed",
            "moved",
            "takeback-offered",
            "taken-back",
            "takeback-declined",
            "timed-out",
            "claimed",
            "abandoned",
            "resumed",
            "resigned",
            "withdrawn",
            "expired",
            "stopped",
            "rematch-offered",
            "rematch-accepted"
        ])
    );
}

#[test]
fn the_protocol_text_shows_every_golden_message_as_it_is() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("PROTOCOL.md")).unwrap();
    let shown: Vec<Value> = text
        .split("```json\n")
        .skip(1)
        .flat_map(|rest| rest.split("```").next().unwrap().lines())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
        .collect();
    let golden = golden();
    for (name, value) in golden
        .iter()
        .filter(|(name, _)| !name.starts_with("record-"))
    {
        assert!(shown.contains(value), "PROTOCOL.md does not show {name}");
    }
    for block in &shown {
        assert!(
            golden.values().any(|value| value == block),
            "PROTOCOL.md shows what no golden file has: {block}"
        );
    }
}

/// The golden files and the schema of each release, by its version and their names.
fn frozen() -> BTreeMap<(String, String), Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the frozen folder") {
        let path = entry.expect("a readable folder").path();
        let version = path.file_stem().unwrap().to_string_lossy().into_owned();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let name = line["name"].as_str().unwrap().to_owned();
            found.insert((version.clone(), name), line["message"].take());
        }
    }
    assert!(found.len() > 40, "{}", found.len());
    found
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/fibfob.v1.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The first place at which `new` has lost something of `old`, or has it with another value.
fn lost(place: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => old.iter().find_map(|(name, old)| {
            let place = format!("{place}/{name}");
            lost(&place, old, new.get(name).unwrap_or(&Value::Null))
        }),
        (Value::Array(olds), Value::Array(news)) if olds.len() == news.len() => {
            let mut pairs = olds.iter().zip(news).enumerate();
            pairs.find_map(|(at, (old, new))| lost(&format!("{place}/{at}"), old, new))
        }
        _ => (old != new).then(|| format!("{place}: {old} is {new} now")),
    }
}

/// The same of a schema: lists may grow, but not what is required of a client; bounds may widen.
fn narrowed(place: &str, old: &Value, new: &Value) -> Option<String> {
    // With a description, a reference is the one part of `allOf`.
    let plain = |schema: &Value| schema.pointer("/allOf/0").unwrap_or(schema).clone();
    match (&plain(old), &plain(new)) {
        (Value::Object(old), Value::Object(new)) => old.iter().find_map(|(name, old)| {
            let new = new.get(name).unwrap_or(&Value::Null);
            let place = format!("{place}/{name}");
            match name.as_str() {
                "description" => None,
                "maximum" if new.as_u64() >= old.as_u64() => None,
                "required" if place.contains("Request/") => narrowed(&place, new, old),
                _ => narrowed(&place, old, new),
            }
        }),
        (Value::Array(olds), Value::Array(news)) => {
            let gone = olds.iter().find(|old| !news.contains(old));
            gone.map(|gone| format!("{place}: {gone} has gone"))
        }
        _ => lost(place, old, new),
    }
}

#[test]
fn the_messages_of_every_release_mean_the_same_today() {
    if std::env::var_os("FIBFOB_FREEZE").is_some() {
        let version = env!("CARGO_PKG_VERSION");
        let path = format!(
            "{}/tests/frozen/{version}.jsonl",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut lines = golden();
        lines.insert("schema".to_owned(), schema());
        let lines = lines
            .iter()
            .map(|(name, message)| json!({ "name": name, "message": message }).to_string() + "\n");
        let mut file = File::create_new(path).expect("a release is frozen once");
        file.write_all(lines.collect::<String>().as_bytes())
            .unwrap();
    }
    for ((version, name), old) in &frozen() {
        let fault = match name.as_str() {
            "schema" => narrowed("", old, &schema()),
            _ => lost("", old, &written_again(name, old)),
        };
        assert_eq!(fault, None, "{name} of {version}");
    }
}
