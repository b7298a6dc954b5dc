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

/// Checks a line of `--json`: it is a message of the wire, `welcome` without its token, or as the schema of
/// the terminal's own lines says.
pub fn check_line(line: &str) {
    let text = include_str!("../../client-cli/schema/fibfob.json-lines.schema.json");
    let mut message = parse(line);
    let kind = message["type"].clone();
    let is_own = |own: &&Value| own["properties"]["type"]["const"] == kind;
    let schema = parse(text);
    let Some(own) = schema["$defs"].as_object().unwrap().values().find(is_own) else {
        if kind == "welcome" {
            assert_eq!(message.get("token"), None, "{line}");
            message["token"] = json!("");
        }
        let read = fibfob_protocol::ServerMessage::read(&message.to_string());
        assert!(read.is_ok(), "{read:?}: {line}");
        return;
    };
    for name in own["required"].as_array().unwrap() {
        assert!(
            message.get(name.as_str().unwrap()).is_some(),
            "{name}: {line}"
        );
    }
    for (name, field) in message.as_object().unwrap() {
        let says = &own["properties"][name];
        let is_right = match says["type"].as_str() {
            Some("string") => field.is_string(),
            Some("integer") => field.is_u64(),
            Some("object") => field.is_object(),
            _ => {
                says["const"] == *field
                    || says["enum"].as_array().is_some_and(|it| it.contains(field))
            }
        };
        assert!(is_right, "{name} is not as the schema says: {line}");
    }
}
