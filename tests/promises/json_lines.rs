//! The lines of `--json`: a match as a program follows it that knows PROTOCOL.md and nothing else.

use serde_json::{Value, json};

/// The state of a match after some lines.
#[derive(Debug, Default)]
pub struct JsonView {
    /// The `state` of PROTOCOL.md; null before the first snapshot.
    pub state: Value,
}

impl JsonView {
    /// The view after all of these lines.
    pub fn after<'a>(lines: impl IntoIterator<Item = &'a String>) -> Self {
        let mut view = Self::default();
        for line in lines {
            view.apply(line);
        }
        view
    }

    /// Applies a line.
    pub fn apply(&mut self, line: &str) {
        let message = parse(line);
        match message["type"].as_str() {
            Some("snapshot") => self.state = message["state"].clone(),
            Some("frame") => self.change(&message),
            _ => {}
        }
    }

    fn change(&mut self, frame: &Value) {
        let change = frame.get("change").cloned().unwrap_or_else(|| json!({}));
        let state = self.state.as_object_mut().expect("a snapshot comes first");
        if change.get("position").is_some() || change.get("phase").is_some() {
            state.remove("legal");
        }
        if frame["event"] == "moved" {
            let plies = state["plies"].as_u64().expect("a count");
            state.insert("plies".to_owned(), json!(plies + 1));
            let last = json!({"seat": frame["seat"], "move": frame["move"]});
            state.insert("last".to_owned(), last);
        }
        merge(&mut self.state, &change);
    }
}

/// The moves in these lines, with their versions.
pub fn moves(lines: &[String]) -> Vec<(u64, String)> {
    let mut moves = Vec::new();
    for line in lines {
        let message = parse(line);
        let events = match message["type"].as_str() {
            Some("snapshot") => message["events"].as_array().cloned().unwrap_or_default(),
            _ => vec![message],
        };
        for event in events {
            if let (Some(version), Some(text)) = (event["version"].as_u64(), event["move"].as_str())
            {
                moves.push((version, text.to_owned()));
            }
        }
    }
    moves
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("every line is JSON")
}

/// The merge patch of RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().expect("just made one");
    for (name, value) in patch {
        match value {
            Value::Null => drop(target.remove(name)),
            value => merge(target.entry(name).or_insert(Value::Null), value),
        }
    }
}

/// Checks a line of `--json`: it is a message of the wire, `welcome` and `identity` without their token, or as
/// the schema of the terminal's own lines says.
pub fn check_line(line: &str) {
    let mut message = parse(line);
    let kind = message["type"].clone();
    let schema = own_schema();
    let is_own = |(_, own): &(&String, &Value)| own["properties"]["type"]["const"] == kind;
    let own = schema["$defs"].as_object().unwrap().iter().find(is_own);
    if let Some((name, _)) = own {
        return check_answer(line, name);
    }
    if kind == "welcome" || kind == "identity" {
        assert_eq!(message.get("token"), None, "{line}");
    }
    if kind == "welcome" {
        message["token"] = json!("");
    }
    let read = fibfob_protocol::ServerMessage::read(&message.to_string());
    assert!(read.is_ok(), "{read:?}: {line}");
}

/// Checks a line of `--json` against a definition of the schema of the terminal's own lines; it has no field that
/// the schema does not tell.
pub fn check_answer(line: &str, definition: &str) {
    let schema = own_schema();
    let (own, message) = (&schema["$defs"][definition], parse(line));
    assert!(fits(&schema, own, &message), "no {definition}: {line}");
    for name in message.as_object().unwrap().keys() {
        assert!(own["properties"].get(name).is_some(), "{name}: {line}");
    }
}

fn own_schema() -> Value {
    parse(include_str!("../../client-cli/schema/own_lines.json"))
}

/// Returns true if a value is as a schema says, as far as that schema uses the language.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        // A number that every reader holds exactly.
        "integer" => value.as_u64().is_some_and(|it| it < 1 << 53),
        other => panic!("{other} is not read here"),
    };
    schema
        .as_object()
        .unwrap()
        .iter()
        .all(|(word, says)| match word.as_str() {
            "$ref" => {
                let name = says.as_str().unwrap().strip_prefix("#/$defs/");
                fits(root, &root["$defs"][name.unwrap()], value)
            }
            "const" => says == value,
            "enum" => says.as_array().unwrap().contains(value),
            "anyOf" => says
                .as_array()
                .unwrap()
                .iter()
                .any(|one| fits(root, one, value)),
            "type" => match says {
                Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
                kind => is(kind.as_str().unwrap()),
            },
            "items" => value
                .as_array()
                .is_none_or(|all| all.iter().all(|it| fits(root, says, it))),
            "required" => says
                .as_array()
                .unwrap()
                .iter()
                .all(|name| value.get(name.as_str().unwrap()).is_some()),
            "properties" => says
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, says)| value.get(name).is_none_or(|field| fits(root, says, field))),
            "pattern" => value
                .as_str()
                .is_none_or(|text| text.bytes().all(|it| it.is_ascii_digit())),
            "minimum" | "title" | "description" => true,
            other => panic!("{other} is not read here"),
        })
}
