//! The change that one event makes in a match's public state. A frame carries this instead of the state.
//!
//! It is a merge patch (RFC 7396) of `state`: a field that is absent stays, a null removes, any other value
//! replaces. After a move two fields follow from the event and are not repeated: see [`apply_frame`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::event::Event;
use crate::view::MatchView;

/// The fields whose own fields are patched one by one. Other objects are replaced whole.
const PATCHED_WITHIN: [&str; 2] = ["players", "rematch"];

/// The fields of a match's state that one event changes, as they are on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StateChange(pub Map<String, Value>);

/// A change that would leave the state without a phase. No server makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the change of a frame does not fit the state before it")]
pub struct UnfitChange;

impl StateChange {
    /// Returns the change from one state to another.
    pub(crate) fn between(before: &MatchView, after: &MatchView) -> Self {
        Self(patch(fields(before), &fields(after)))
    }

    /// Returns true if the event leaves the state as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the event changes the legal moves.
    #[must_use]
    pub fn changes_legal_moves(&self) -> bool {
        self.0.contains_key("position") || self.0.contains_key("phase")
    }
}

/// Returns the merge patch that turns `before` into `after`. It has the fields in the order of `after`. A removed field
/// stands in its old place.
fn patch(before: Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    let mut before = before.into_iter().peekable();
    for (name, new) in after {
        while let Some((gone, _)) = before.next_if(|(gone, _)| !after.contains_key(gone)) {
            patch.insert(gone, Value::Null);
        }
        let change = match (before.next_if(|(kept, _)| kept == name), new) {
            (Some((_, old)), new) if old == *new => continue,
            (Some((_, Value::Object(old))), Value::Object(new))
                if PATCHED_WITHIN.contains(&name.as_str()) =>
            {
                self::patch(old, new).into()
            }
            (_, new) => new.clone(),
        };
        patch.insert(name.clone(), change);
    }
    patch.extend(before.map(|(gone, _)| (gone, Value::Null)));
    patch
}

impl MatchView {
    /// Applies a frame, as [`apply_frame`] does.
    ///
    /// # Errors
    /// [`UnfitChange`] if it is not the frame after this state; the state is then unchanged.
    pub fn apply(&mut self, event: &Event, change: &StateChange) -> Result<(), UnfitChange> {
        let mut state = fields(self);
        apply_frame(&mut state, &fields(event), change.0.clone());
        *self = serde_json::from_value(state.into()).map_err(|_| UnfitChange)?;
        Ok(())
    }
}

fn fields(value: &impl Serialize) -> Map<String, Value> {
    let value = serde_json::to_value(value).expect("it has string keys and no failing serialiser");
    value.as_object().cloned().unwrap_or_default()
}

/// Applies a frame's event and change to the state before it. Everything is JSON as on the wire, so that fields of
/// a newer server survive. Besides the merge patch: after `moved`, `plies` is one more and `last` is that move.
pub fn apply_frame(
    state: &mut Map<String, Value>,
    event: &Map<String, Value>,
    change: Map<String, Value>,
) {
    if event.get("event").is_some_and(|name| name == "moved") {
        let plies = state.get("plies").and_then(Value::as_u64).unwrap_or(0);
        state.insert("plies".to_owned(), (plies + 1).into());
        let last = ["seat", "move"].map(|name| {
            let value = event.get(name).cloned().unwrap_or_default();
            (name.to_owned(), value)
        });
        state.insert("last".to_owned(), Value::Object(Map::from_iter(last)));
    }
    merge(state, change);
}

/// The merge patch of RFC 7396.
fn merge(target: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, value) in patch {
        match (value, target.get_mut(&name)) {
            (Value::Null, _) => {
                target.remove(&name);
            }
            (Value::Object(patch), Some(Value::Object(inner))) => merge(inner, patch),
            (value, _) => {
                target.insert(name, value);
            }
        }
    }
}
