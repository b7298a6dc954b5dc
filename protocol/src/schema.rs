//! JSON Schemas of the messages, for clients in other languages and their tools.
//!
//! They are generated from the types that the server reads and writes messages with. `schema/` keeps
//! the result, which `tests/schema.rs` compares. A schema describes the shape of a message; what a
//! server accepts beyond it, such as the notation of a move, is in `PROTOCOL.md`.

mod flat;

use std::borrow::Cow;

use fibfob_games::Level;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::change::FieldChange;
use crate::event::Record;
use crate::message::client::{ActFields, OtherFields};
use crate::{ClientMessage, CommandId, Hello, RequestBody, ServerMessage};

/// The path of the schemas below the server's address.
pub const SCHEMA_PATH: &str = "/protocol/fibfob.v1.schema.json";

const DESCRIPTION: &str = "The messages of fibfob.v1. A client's is a ClientMessage, a server's a \
    ServerMessage. What a server sends is open: later servers of fibfob.v1 may send further fields, \
    further words where an enum lists words, and further variants of a union. A client ignores \
    fields, messages, events and steps that it does not know, and takes an unknown reason or phase \
    for one that it cannot act on. What a client sends is closed: a server refuses unknown words.";

impl<T: JsonSchema> JsonSchema for FieldChange<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}Change", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

impl JsonSchema for ClientMessage {
    fn schema_name() -> Cow<'static, str> {
        "ClientMessage".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let hello = generator.subschema_for::<Hello>();
        let acts = generator.subschema_for::<ActFields<CommandId, Action>>();
        let others = generator.subschema_for::<OtherFields<CommandId, RequestBody>>();
        json_schema!({
            "description": "A message of a client.",
            "anyOf": [
                {
                    "properties": { "type": { "const": "hello", "type": "string" } },
                    "required": ["type"],
                    "allOf": [hello]
                },
                acts,
                others
            ]
        })
    }
}

/// A level of play: its type is in a crate that does not know the wire's schema.
pub(crate) struct LevelName;

impl JsonSchema for LevelName {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let levels: Vec<String> = Level::ALL.iter().map(Level::to_string).collect();
        json_schema!({ "description": "A bot's level of play.", "type": "string", "enum": levels })
    }
}

/// The schemas of all messages, as one document of JSON Schema 2020-12. `$defs/ClientMessage` and
/// `$defs/ServerMessage` are the messages of each side, `$defs/Record` is a stored event.
#[must_use]
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<ClientMessage>();
    generator.subschema_for::<ServerMessage>();
    generator.subschema_for::<Record>();
    let roots = ["ClientMessage", "ServerMessage", "Record"];
    let mut definitions = flat::flatten(generator.take_definitions(true), &roots);
    keep_positions(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_PATH,
        "title": "Message",
        "description": DESCRIPTION,
        "anyOf": [
            { "$ref": "#/$defs/ClientMessage" },
            { "$ref": "#/$defs/ServerMessage" }
        ],
        "$defs": definitions,
    })
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
