//! The document of all messages. A schema describes the shape of a message; what a server accepts beyond
//! it, such as the notation of a move, is in `PROTOCOL.md`.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_protocol::{ClientMessage, Record, ServerMessage};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::flat::{self, base, reference};

/// The path of the document below the server's address.
const PATH: &str = "/protocol/fibfob.v1.schema.json";

const DESCRIPTION: &str = "The messages of fibfob.v1. A client's is a ClientMessage, a server's a \
    ServerMessage. What a server sends is open: later servers of fibfob.v1 may send further fields, \
    further words where an enum lists words, and further variants of a union. A client ignores \
    fields, messages, events and steps that it does not know, and takes an unknown reason or phase \
    for one that it cannot act on. What a client sends is closed: a server refuses unknown words, and \
    with `strict` unknown fields, too.";

/// The schemas of all messages, as one document of JSON Schema 2020-12. `$defs/ClientMessage` and
/// `$defs/ServerMessage` are the messages of each side, `$defs/Record` is a stored event.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<ClientMessage>();
    generator.subschema_for::<ServerMessage>();
    generator.subschema_for::<Record>();
    let roots = ["ClientMessage", "ServerMessage", "Record"];
    let mut definitions = flat::flatten(generator.take_definitions(true), &roots);
    keep_positions(&mut definitions);
    let mut change = patch_of(&mut definitions, "State");
    change["description"] = definitions["Change"]["description"].take();
    definitions.insert("Change".to_owned(), change);
    close_requests(&mut definitions);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": PATH,
        "title": "Message",
        "description": DESCRIPTION,
        "anyOf": [
            { "$ref": "#/$defs/ClientMessage" },
            { "$ref": "#/$defs/ServerMessage" }
        ],
        "$defs": definitions,
    });
    schema.sort_all_objects();
    schema
}

/// Describes a merge patch of a definition: all fields of all its variants, each of which may be missing, or null. It has
/// names for its parts, because generators number the types that have none.
fn patch_of(definitions: &mut Map<String, Value>, name: &str) -> Value {
    let referred = |schema: &Value| {
        let place = schema.get("$ref").or(schema.pointer("/allOf/0/$ref"));
        let place = place.and_then(Value::as_str).map(base);
        place.map(str::to_owned)
    };
    let variants = definitions[name]["anyOf"].as_array();
    let names = match variants {
        Some(variants) => variants.iter().filter_map(referred).collect(),
        None => vec![name.to_owned()],
    };
    let mut fields: BTreeMap<String, (Value, Vec<Value>)> = BTreeMap::new();
    for name in names {
        let variant = definitions[&name]["properties"].as_object().cloned();
        for (field, schema) in variant.into_iter().flatten() {
            let value = match referred(&schema) {
                Some(inner) if ["players", "rematch"].contains(&field.as_str()) => {
                    let patch = format!("{inner}Change");
                    let described = patch_of(definitions, &inner);
                    definitions.insert(patch.clone(), described);
                    reference(&patch)
                }
                Some(inner) => reference(&inner),
                None if schema["type"] == "integer" => reference("Amount"),
                None => {
                    let mut plain = schema.clone();
                    plain
                        .as_object_mut()
                        .expect("a schema")
                        .remove("description");
                    plain
                }
            };
            let (text, values) = fields.entry(field).or_default();
            *text = schema["description"].clone();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    let nullable = |(field, (text, mut values)): (String, (Value, Vec<Value>))| {
        let words: Vec<_> = values.iter().map(|value| value["const"].clone()).collect();
        if words.iter().any(Value::is_string) {
            values = vec![json!({ "type": "string", "enum": words })];
        }
        values.push(json!({ "type": "null" }));
        let mut schema = json!({ "anyOf": values });
        if text.is_string() {
            schema["description"] = text;
        }
        (field, schema)
    };
    let fields: Map<_, _> = fields.into_iter().map(nullable).collect();
    json!({ "type": "object", "properties": fields })
}

/// Closes the objects that only clients send, so that a generated type finds a misspelt field.
fn close_requests(definitions: &mut Map<String, Value>) {
    let of_server = reached(definitions, &["ServerMessage", "Record"]);
    for name in reached(definitions, &["ClientMessage"]) {
        let sent = &mut definitions[&name];
        if !of_server.contains(&name) && sent["properties"].is_object() {
            sent["additionalProperties"] = false.into();
        }
    }
}

/// Returns the names of these definitions and of those that they need.
fn reached(definitions: &Map<String, Value>, roots: &[&str]) -> BTreeSet<String> {
    fn visit(definitions: &Map<String, Value>, schema: &Value, found: &mut BTreeSet<String>) {
        let place = schema.get("$ref").and_then(Value::as_str);
        if let Some(name) = place.and_then(|place| place.strip_prefix("#/$defs/"))
            && found.insert(name.to_owned())
        {
            visit(definitions, &definitions[name], found);
        }
        let fields = schema.as_object().into_iter().flat_map(Map::values);
        let items = schema.as_array().into_iter().flatten();
        for part in fields.chain(items) {
            visit(definitions, part, found);
        }
    }
    let mut found = BTreeSet::new();
    for root in roots {
        let root = json!({ "$ref": format!("#/$defs/{root}") });
        visit(definitions, &root, &mut found);
    }
    found
}

/// Past events that change the position have it, and others have not.
fn keep_positions(definitions: &mut Map<String, Value>) {
    for (name, past) in definitions {
        match name.as_str() {
            "PastMoved" | "PastTakenBack" => {
                let required = past["required"].as_array_mut();
                required
                    .expect("an event has fields")
                    .push("position".into());
            }
            name if name.starts_with("Past") && past["properties"].is_object() => {
                let fields = past["properties"].as_object_mut();
                fields.expect("they are an object").remove("position");
            }
            _ => {}
        }
    }
}
