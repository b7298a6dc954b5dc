//! JSON Schemas of the messages whose types do not derive them. `tests/schema.rs` makes one document of all
//! schemas in `schema/`, for clients in other languages.

use std::borrow::Cow;

use fibfob_games::Level;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};

use crate::action::Action;
use crate::change::StateChange;
use crate::ids::{CommandId, MatchId};
use crate::message::{ClientMessage, Hello, RequestBody};

/// `tests/schema.rs` writes the fields: those of the state, each of which may be null.
impl JsonSchema for StateChange {
    fn schema_name() -> Cow<'static, str> {
        "Change".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "The fields of a match's state that one event changes." })
    }
}

impl JsonSchema for ClientMessage {
    fn schema_name() -> Cow<'static, str> {
        "ClientMessage".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let hello = generator.subschema_for::<Hello>();
        let id = generator.subschema_for::<CommandId>();
        let match_id = generator.subschema_for::<MatchId>();
        let action = generator.subschema_for::<Action>();
        let other = generator.subschema_for::<RequestBody>();
        json_schema!({
            "description": "A message of a client.",
            "anyOf": [
                {
                    "properties": { "type": { "const": "hello", "type": "string" } },
                    "required": ["type"],
                    "allOf": [hello]
                },
                {
                    "properties": { "id": id, "match": match_id },
                    "required": ["id", "match"],
                    "allOf": [action]
                },
                { "properties": { "id": id }, "required": ["id"], "allOf": [other] }
            ]
        })
    }
}

/// A level of play. Its type is in a crate that does not know the wire's schema.
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
