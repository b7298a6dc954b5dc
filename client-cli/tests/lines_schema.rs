//! The JSON Schema of the lines of `--json`, in one document with the messages of the protocol.
//! `FIBFOB_WRITE_SCHEMAS=1` writes it again.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The program removes the token from these messages.
const WITHHELD: [&str; 2] = ["WelcomeMessage", "IdentityMessage"];

fn bundle() -> Value {
    let mut lines: Value = serde_json::from_str(include_str!("../schema/own_lines.json")).unwrap();
    let wire = include_str!("../../protocol/schema/fibfob.v1.schema.json");
    let mut wire: Value = serde_json::from_str(wire).unwrap();
    for name in WITHHELD {
        let message = wire["$defs"][name].as_object_mut().unwrap();
        let fields = message["properties"].as_object_mut().unwrap();
        fields.remove("token").expect("it has a token");
        let required = message["required"].as_array_mut().unwrap();
        required.retain(|field| field != "token");
    }
    let own = lines["$defs"].as_object_mut().unwrap();
    // Only what a server sends is printed.
    let mut wanted = vec!["ServerMessage".to_owned()];
    while let Some(name) = wanted.pop() {
        if own.contains_key(&name) {
            continue;
        }
        let definition = wire["$defs"][&name].clone();
        references(&definition, &mut wanted);
        own.insert(name, definition);
    }
    lines.sort_all_objects();
    lines
}

/// Adds the names of the definitions that a schema refers to.
fn references(schema: &Value, found: &mut Vec<String>) {
    let place = schema.get("$ref").and_then(Value::as_str);
    found.extend(place.map(|place| place.trim_start_matches("#/$defs/").to_owned()));
    let fields = schema.as_object().into_iter().flat_map(|it| it.values());
    let items = schema.as_array().into_iter().flatten();
    fields.chain(items).for_each(|part| references(part, found));
}

#[test]
fn the_served_schema_has_all_messages_and_lines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../protocol/schema/fibfob.json-lines.schema.json");
    let text = serde_json::to_string_pretty(&bundle()).unwrap() + "\n";
    if std::env::var_os("FIBFOB_WRITE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "the schema is stale: FIBFOB_WRITE_SCHEMAS=1 cargo test -p fibfob --test lines_schema"
    );
}
