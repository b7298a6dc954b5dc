//! The change that one event makes in a match's public state. A frame carries this instead of the state.
//!
//! On the wire it is a merge patch (RFC 7396) of `state`: a field that is absent stays, a null removes, any other
//! value replaces. After a move two fields follow from the event and are not repeated: see [`apply_frame`].

use fibfob_games::MoveSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::event::{Event, MatchRef};
use crate::ids::Timestamp;
use crate::seat::{FirstMove, Player, Seat};
use crate::time::ClocksView;
use crate::view::{CloseReason, EndReason, LastMove, MatchView, PhaseName, PhaseView, RematchView};

use FieldChange::Set;

/// The change of one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldChange<T> {
    /// The field stays as it is; absent on the wire.
    #[default]
    Unchanged,
    /// The field is removed; null on the wire.
    Removed,
    /// The new value.
    Set(T),
}

/// The fields of a match's state that one event changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Change")
)]
#[serde(default)]
pub struct StateChange {
    /// The position.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub position: FieldChange<String>,
    /// The number of moves made, where moves were taken back.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub plies: FieldChange<u64>,
    /// The newest move, where moves were taken back.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<LastMove>"))]
    pub last: FieldChange<LastMove>,
    /// The seat that moves first.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub first: FieldChange<FirstMove>,
    /// The clocks.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ClocksView>"))]
    pub clocks: FieldChange<ClocksView>,
    /// The player who joined.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub players: FieldChange<JoinerChange>,
    /// The phase's fields.
    #[serde(flatten)]
    pub phase: PhaseChange,
}

/// The rematch of a frame.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "kebab-case")]
enum RematchPatch {
    /// Offered by one player.
    Offered {
        /// The offering seat.
        by: Seat,
    },
    /// Agreed; the players go on in the next match.
    Agreed {
        /// Removes the seat that has offered it.
        by: (),
        /// The next match.
        next: MatchRef,
    },
}

/// The players after one has joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JoinerChange {
    /// The player who joined.
    pub joiner: Player,
}

/// The fields of a phase that one event changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PhaseChange {
    /// The name of the phase.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub phase: FieldChange<PhaseName>,
    /// The seat that chooses.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Seat>"))]
    pub chooser: FieldChange<Seat>,
    /// The instant at which the choice lapses.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Timestamp>"))]
    pub until: FieldChange<Timestamp>,
    /// The seat to move.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Seat>"))]
    pub turn: FieldChange<Seat>,
    /// The instant at which the match closes unless the player to move makes their first move.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Timestamp>"))]
    pub first_move_until: FieldChange<Timestamp>,
    /// The seat that has offered a takeback.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Seat>"))]
    pub takeback: FieldChange<Seat>,
    /// The winner.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub winner: FieldChange<Seat>,
    /// The reason for the end.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub reason: FieldChange<PhaseReason>,
    /// The state of the rematch; once agreed, with `by` null, so that a merge removes the offer's.
    #[serde(
        skip_serializing_if = "FieldChange::is_unchanged",
        serialize_with = "serialize_rematch"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "RematchPatch"))]
    pub rematch: FieldChange<RematchView>,
    /// The legal moves, for the player to move; removed where those before are legal no more.
    // The last field, so that they can be added to an encoded frame.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<MoveSet>"))]
    pub legal: FieldChange<MoveSet>,
}

/// The reason of a phase that ends a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum PhaseReason {
    /// Of a match that was played.
    End(EndReason),
    /// Of a match that was closed without a winner.
    Close(CloseReason),
}

/// A change that would leave the state without a phase. No server makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the change of a frame does not fit the state before it")]
pub struct UnfitChange;

impl<T> FieldChange<T> {
    /// Returns true if the field stays as it is.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged)
    }

    /// Returns the change from this field to another; a field that is absent is unchanged.
    pub(crate) fn to(self, after: Self) -> Self
    where
        T: PartialEq,
    {
        match (self, after) {
            (Set(before), Set(after)) if before == after => Self::Unchanged,
            (Set(_), Self::Unchanged) => Self::Removed,
            (_, after) => after,
        }
    }
}

/// A field that is absent is unchanged.
impl<T> From<Option<T>> for FieldChange<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unchanged, Set)
    }
}

impl<T: Serialize> Serialize for FieldChange<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unchanged | Self::Removed => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FieldChange<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        Ok(value.map_or(Self::Removed, Self::Set))
    }
}

/// Writes the rematch as a patch of the rematch before it.
fn serialize_rematch<S: Serializer>(
    change: &FieldChange<RematchView>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let patch = match change.clone() {
        Set(RematchView::Offered { by }) => Some(RematchPatch::Offered { by }),
        Set(RematchView::Agreed { next }) => Some(RematchPatch::Agreed { by: (), next }),
        FieldChange::Unchanged | FieldChange::Removed => None,
    };
    patch.serialize(serializer)
}

impl StateChange {
    /// Returns true if the event leaves the state as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the event changes the legal moves.
    #[must_use]
    pub fn changes_legal_moves(&self) -> bool {
        !self.position.is_unchanged() || !self.phase.phase.is_unchanged()
    }
}

impl PhaseChange {
    /// Takes the fields of a phase but its legal moves; fields that the phase lacks are unchanged.
    fn of(view: &PhaseView) -> Self {
        let mut fields = Self {
            phase: Set(view.name()),
            ..Self::default()
        };
        match view {
            PhaseView::Open => {}
            PhaseView::Choosing { chooser, until } => {
                (fields.chooser, fields.until) = (Set(*chooser), Set(*until));
            }
            PhaseView::Playing {
                turn,
                first_move_until,
                takeback,
                legal: _,
            } => {
                fields.turn = Set(*turn);
                fields.first_move_until = (*first_move_until).into();
                fields.takeback = (*takeback).into();
            }
            PhaseView::Over {
                winner,
                reason,
                rematch,
            } => {
                fields.winner = Set(*winner);
                fields.reason = Set(PhaseReason::End(*reason));
                fields.rematch = rematch.clone().into();
            }
            PhaseView::Closed { reason } => fields.reason = Set(PhaseReason::Close(*reason)),
        }
        fields
    }

    /// The change from one phase to another, without the legal moves of either.
    pub(crate) fn between(before: &PhaseView, after: &PhaseView) -> Self {
        let (before, after) = (Self::of(before), Self::of(after));
        Self {
            phase: before.phase.to(after.phase),
            chooser: before.chooser.to(after.chooser),
            until: before.until.to(after.until),
            turn: before.turn.to(after.turn),
            first_move_until: before.first_move_until.to(after.first_move_until),
            takeback: before.takeback.to(after.takeback),
            winner: before.winner.to(after.winner),
            reason: before.reason.to(after.reason),
            rematch: before.rematch.to(after.rematch),
            legal: FieldChange::Unchanged,
        }
    }
}

impl MatchView {
    /// Applies a frame, as [`apply_frame`] does.
    ///
    /// # Errors
    /// [`UnfitChange`] if it is not the frame after this state; the state is then unchanged.
    pub fn apply(&mut self, event: &Event, change: &StateChange) -> Result<(), UnfitChange> {
        let mut state = fields(self);
        apply_frame(&mut state, &fields(event), fields(change));
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
