//! JSON Schemas of the messages, for clients in other languages and their tools.
//!
//! They are generated from the types that the server reads and writes messages with. `schema/` keeps
//! the result, which `tests/schema.rs` compares. A schema describes the shape of a message; what a
//! server accepts beyond it, such as the notation of a move, is in `PROTOCOL.md`.

use std::borrow::Cow;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Value, json};

use crate::action::Action;
use crate::change::FieldChange;
use crate::event::Record;
use crate::limits::SUBPROTOCOL;
use crate::message::client::{ActFields, OtherFields};
use crate::{ClientMessage, CommandId, Hello, Request, RequestBody, ServerMessage};

/// The path of the schemas below the server's address.
pub const SCHEMA_PATH: &str = "/protocol/fibfob.v1.schema.json";

impl<T: JsonSchema> JsonSchema for FieldChange<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}Change", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

impl JsonSchema for Request {
    fn schema_name() -> Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let acts = generator.subschema_for::<ActFields<CommandId, Action>>();
        let others = generator.subschema_for::<OtherFields<CommandId, RequestBody>>();
        json_schema!({ "anyOf": [acts, others] })
    }
}

impl JsonSchema for ClientMessage {
    fn schema_name() -> Cow<'static, str> {
        "ClientMessage".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (hello, request) = (
            generator.subschema_for::<Hello>(),
            generator.subschema_for::<Request>(),
        );
        json_schema!({
            "description": "A message of a client.",
            "anyOf": [
                {
                    "type": "object",
                    "properties": { "type": { "const": "hello" } },
                    "required": ["type"],
                    "allOf": [hello]
                },
                request
            ]
        })
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
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_PATH,
        "title": SUBPROTOCOL,
        "description": "The messages of fibfob.v1. A client's is a ClientMessage, a server's a ServerMessage; \
            unknown fields are to be ignored.",
        "anyOf": [
            { "$ref": "#/$defs/ClientMessage" },
            { "$ref": "#/$defs/ServerMessage" }
        ],
        "$defs": generator.take_definitions(true),
    })
}
