//! The JSON Schemas in `schema/`: they are what the types generate, and they describe every golden message. `FIBFOB_WRITE_SCHEMAS=1` writes them anew.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

#[path = "schema/flat.rs"]
mod flat;
#[path = "schema/generated.rs"]
mod generated;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use generated::schema;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn the_file_is_what_the_types_generate() {
    let name = "schema/fibfob.v1.schema.json";
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("FIBFOB_WRITE_SCHEMAS").is_some() {
        fs::create_dir_all(file("schema")).unwrap();
        fs::write(file(name), &text).unwrap();
    }
    let kept = fs::read_to_string(file(name)).unwrap_or_default();
    assert!(
        kept == text,
        "{name} is stale: FIBFOB_WRITE_SCHEMAS=1 cargo test -p fibfob-protocol --features schema"
    );
}

/// The golden messages of one side, with their names.
fn golden(side: &str) -> Vec<(String, Value)> {
    let mut found: Vec<_> = fs::read_dir(file("golden"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap();
            (name, serde_json::from_str(&text).unwrap())
        })
        .filter(|(name, _): &(String, Value)| name.starts_with(side))
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(!found.is_empty(), "{side}");
    found
}

#[test]
fn the_schema_uses_only_keywords_that_tools_understand() {
    fn each(place: &str, schema: &Value) {
        let fields = schema.as_object().into_iter().flatten();
        let nested = fields.clone().map(|(name, part)| (name.as_str(), part));
        let items = schema.as_array().into_iter().flatten();
        for (name, part) in nested.chain(items.map(|item| ("", item))) {
            each(&format!("{place}/{name}"), part);
        }
        let has = |keyword: &str| schema.get(keyword).is_some();
        assert!(!has("$ref") || fields.count() == 1, "{place}: beside $ref");
        assert!(!has("format") && !has("oneOf"), "{place}");
        if schema["type"] == "integer" {
            assert!(has("minimum") && has("maximum"), "{place}");
        }
        if schema["type"] == "null" {
            assert!(place.contains("Change/"), "{place}");
        }
        if let Some(text) = schema["description"].as_str() {
            assert!(
                !text.contains("[`") && !text.contains("::"),
                "{place}: {text}"
            );
        }
    }
    each("", &schema());
}

const SIDES: [(&str, &str); 3] = [
    ("client", "ClientMessage"),
    ("server", "ServerMessage"),
    ("record", "Record"),
];

#[test]
fn every_golden_message_conforms_to_its_schema() {
    let schemas = schema();
    for (side, name) in SIDES {
        for (golden, message) in golden(side) {
            let fault = check(&schemas, &schemas["$defs"][name], &message);
            assert_eq!(fault, Ok(()), "{golden}");
        }
    }
}

#[test]
fn a_message_without_a_required_field_violates_its_schema() {
    let schemas = schema();
    let (mut refused, mut optional) = (0, 0);
    for (side, name) in SIDES {
        for (golden, message) in golden(side) {
            for field in message.as_object().unwrap().keys() {
                let mut less = message.clone();
                less.as_object_mut().unwrap().remove(field);
                let text = less.to_string();
                let is_read = match side {
                    "client" => fibfob_protocol::ClientMessage::read(&text).is_ok(),
                    "server" => fibfob_protocol::ServerMessage::read(&text).is_ok(),
                    _ => serde_json::from_str::<fibfob_protocol::Record>(&text).is_ok(),
                };
                let checked = check(&schemas, &schemas["$defs"][name], &less);
                assert_eq!(
                    checked.is_ok(),
                    is_read,
                    "{golden} without {field}: {checked:?}"
                );
                if is_read { optional += 1 } else { refused += 1 }
            }
        }
    }
    assert!(refused > 100 && optional > 20, "{refused}, {optional}");
}

/// Checks a value against a schema, as far as these schemas go: another keyword is an error.
fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let schema = schema.as_object().expect("a schema is an object");
    let each = |list: &Value| list.as_array().unwrap().clone();
    for (keyword, says) in schema {
        let passes = |part: &&Value| check(root, part, value).is_ok();
        let is_right = match keyword.as_str() {
            "$ref" => {
                let place = says.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(place).unwrap(), value)?;
                true
            }
            "allOf" => {
                for part in each(says) {
                    check(root, &part, value)?;
                }
                true
            }
            "anyOf" => each(says).iter().any(|part| passes(&part)),
            "const" => says == value,
            "enum" => each(says).contains(value),
            "type" => match says {
                Value::Array(types) => types.iter().any(|name| is_of_type(name, value)),
                name => is_of_type(name, value),
            },
            "required" => each(says)
                .iter()
                .all(|name| value.get(name.as_str().unwrap()).is_some() || !value.is_object()),
            "properties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    let part = says.get(name);
                    let part = part.ok_or_else(|| format!("it does not know {name}"))?;
                    check(root, part, field).map_err(|fault| format!("{name}: {fault}"))?;
                }
                true
            }
            "additionalProperties" => {
                for field in value.as_object().into_iter().flat_map(|map| map.values()) {
                    if says.is_object() {
                        check(root, says, field)?;
                    }
                }
                true
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(root, says, item)?;
                }
                true
            }
            "minItems" => value
                .as_array()
                .is_none_or(|it| it.len() as u64 >= says.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|it| it.len() as u64 <= says.as_u64().unwrap()),
            "minimum" => value.as_u64() >= says.as_u64(),
            "maximum" => value.as_u64() <= says.as_u64(),
            "pattern" | "description" => true,
            other => return Err(format!("the keyword {other} is not known to this test")),
        };
        if !is_right {
            return Err(format!("{value} is not as `{keyword}` says"));
        }
    }
    Ok(())
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type of JSON"),
    }
}
