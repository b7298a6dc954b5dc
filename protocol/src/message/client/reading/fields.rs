//! Reads the fields of a client's message, and says which one is wrong and why.

use std::fmt;

use fibfob_games::Level;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Error, Map, Value};

use super::undisturbed;
use crate::refusal::Refusal;

/// The characters of a JSON error that a refusal repeats: the beginning says what was found, the end what was
/// expected.
const FAULT_CHARS: (usize, usize) = (80, 200);

/// The forms of fields that have several, in the protocol's words instead of serde's.
const CHOICES: [(&str, &str); 5] = [
    (
        "start",
        r#"{"position": TEXT} or {"random": {RANGE: [FROM, TO], …}}"#,
    ),
    ("opponent", r#""open", "friend" or {"bot": LEVEL}"#),
    ("first", r#""me", "other", "random" or "choose""#),
    ("visibility", r#""public" or "private""#),
    (
        "time",
        r#""none", {"match": {"initial_ms": MS, "increment_ms": MS}} or {"move": {"each_ms": MS}}"#,
    ),
];

/// Words of Rust in serde's errors, and what a refusal says instead.
const WORDS: [(&str, &str); 5] = [
    ("u64", "a whole number from 0"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("unknown variant", "unknown word"),
    ("a boolean", "true or false"),
    ("a string", "a text"),
];

/// The beginning of serde's error about a number that is no integer.
const FLOATING: &str = "invalid type: floating point `";
/// 2^64: from here on, no number fits into an integer of the protocol.
const INTEGERS_END: f64 = 18_446_744_073_709_551_616.0;

/// The refusal of a message that is none.
pub(super) fn malformed(fault: &dyn fmt::Display) -> Refusal {
    Refusal::Malformed(on_one_line(&fault.to_string()))
}

/// Takes a field that every message of this kind must have.
pub(super) fn taken<T: DeserializeOwned>(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<T, Refusal> {
    let value = fields
        .remove(name)
        .ok_or_else(|| malformed(&format_args!("missing field `{name}`")))?;
    serde_json::from_value(value).map_err(|error| wrong(name, &error))
}

/// Reads the fields of a message of this kind. A refusal names the path of the wrong field; `is_strict`
/// refuses unknown fields too.
pub(super) fn checked<T: DeserializeOwned>(
    kind: &str,
    source: Value,
    is_strict: bool,
) -> Result<T, Refusal> {
    let mut unknown = None;
    let mut note = |path: serde_ignored::Path<'_>| {
        unknown.get_or_insert_with(|| path.to_string());
    };
    let source = serde_ignored::Deserializer::new(source, &mut note);
    let value = serde_path_to_error::deserialize(source)
        .map_err(|error| wrong(&path_within(kind, &error.path().to_string()), error.inner()))?;
    match unknown {
        Some(path) if is_strict => {
            let path = path_within(kind, &path);
            Err(malformed(&format_args!("unknown field `{path}`")))
        }
        _ => Ok(value),
    }
}

/// Reads an enum's variant whose fields stand beside its name. Serde's own reading of such objects loses the
/// place of an error.
pub(super) fn tagged<T: DeserializeOwned>(
    kind: &str,
    fields: Map<String, Value>,
    is_strict: bool,
) -> Result<T, Refusal> {
    // A variant without fields is its name alone.
    if let Ok(named) = serde_json::from_value(kind.into()) {
        return match fields.keys().next() {
            Some(name) if is_strict => Err(malformed(&format_args!("unknown field `{name}`"))),
            _ => Ok(named),
        };
    }
    let variant = Map::from_iter([(kind.to_owned(), fields.into())]);
    checked(kind, variant.into(), is_strict)
}

/// Shortens an error's path: leaves out the message itself (its kind, or `.`) and the marks of optional
/// values (`?`).
fn path_within(kind: &str, path: &str) -> String {
    let mut parts: Vec<&str> = path
        .split('.')
        .filter(|part| !["", "?"].contains(part))
        .collect();
    if parts.first() == Some(&kind) {
        parts.remove(0);
    }
    parts.join(".")
}

/// Refuses a message whose field at `path` is wrong; an empty path means the whole message.
fn wrong(path: &str, error: &Error) -> Refusal {
    let choice = CHOICES.into_iter().find(|(name, _)| {
        let nested = path.strip_prefix(name);
        nested.is_some_and(|nested| nested.is_empty() || nested.starts_with('.'))
    });
    if let Some((name, form)) = choice {
        let levels = Level::ALL.map(|level| format!("\"{level}\"")).join(" | ");
        let form = form.replace("LEVEL", &levels);
        return malformed(&format_args!("`{path}` is wrong: `{name}` is {form}"));
    }
    let text = WORDS
        .into_iter()
        .fold(error.to_string(), |text, (rust, word)| {
            text.replace(rust, word)
        });
    let text = too_large(&text).unwrap_or(text);
    match path {
        "" => malformed(&text),
        path => malformed(&format_args!("`{path}`: {text}")),
    }
}

/// Rewrites the error of a number beyond all integers. The JSON library reads such a number as a floating point,
/// and would tell the sender of a whole number that it has a fraction.
fn too_large(text: &str) -> Option<String> {
    let (number, expected) = text.strip_prefix(FLOATING)?.split_once('`')?;
    let beyond = number.parse::<f64>().ok()?.abs() >= INTEGERS_END;
    beyond.then(|| format!("the number `{number}` is too large{expected}"))
}

/// Puts a parser's error on one line, and cuts the middle of a long one, because it repeats what was sent.
fn on_one_line(fault: &str) -> String {
    let (first, last) = FAULT_CHARS;
    let length = fault.chars().count();
    if length <= first + last {
        return undisturbed(fault).collect();
    }
    let beginning: String = undisturbed(fault).take(first).collect();
    let end: String = undisturbed(fault).skip(length - last).collect();
    format!("{beginning}…{end}")
}

/// The fields of an object; a field that stands there twice is an error.
pub(super) struct ObjectFields(pub(super) Map<String, Value>);

impl<'de> Deserialize<'de> for ObjectFields {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct FieldsReader;
        impl<'de> Visitor<'de> for FieldsReader {
            type Value = ObjectFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ObjectFields, M::Error> {
                let mut fields = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if fields.contains_key(&name) {
                        return Err(M::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    fields.insert(name, value);
                }
                Ok(ObjectFields(fields))
            }
        }
        source.deserialize_map(FieldsReader)
    }
}
