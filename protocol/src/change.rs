//! The change of a match's public state by one event: what a frame carries in place of the state.
//!
//! On the wire it is a merge patch (RFC 7396) of `state`: a field that is absent stays, a null
//! removes, any other value replaces. Three fields follow from the rest and are not repeated: see
//! [`MatchView::apply`].

use fibfob_games::MoveSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::event::Event;
use crate::ids::Timestamp;
use crate::seat::{FirstMove, Player, Seat};
use crate::time::ClocksView;
use crate::view::{CloseReason, EndReason, LastMove, MatchView, PhaseName, PhaseView, RematchView};

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

/// The fields of [`MatchView`] that one event changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub last: FieldChange<LastMove>,
    /// The seat that moves first.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub first: FieldChange<FirstMove>,
    /// The clocks.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub clocks: FieldChange<ClocksView>,
    /// The player who joined.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub players: FieldChange<JoinerChange>,
    /// The phase's fields.
    #[serde(flatten)]
    pub phase: PhaseChange,
}

/// The players after one has joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JoinerChange {
    /// The player who joined.
    pub joiner: Player,
}

/// The fields of [`PhaseView`] that one event changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PhaseChange {
    /// The name of the phase.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub phase: FieldChange<PhaseName>,
    /// The seat that chooses.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub chooser: FieldChange<Seat>,
    /// The instant at which the choice lapses.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub until: FieldChange<Timestamp>,
    /// The seat to move.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub turn: FieldChange<Seat>,
    /// The seat that has offered a takeback.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
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
    pub rematch: FieldChange<RematchView>,
    /// The legal moves, for the player to move.
    // The last field, so that they can be added to an encoded frame.
    #[serde(skip_serializing_if = "FieldChange::is_unchanged")]
    pub legal: FieldChange<MoveSet>,
}

/// The reason of a phase that ends a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PhaseReason {
    /// Of a match that was played.
    End(EndReason),
    /// Of a match that was closed without play.
    Close(CloseReason),
}

/// A change after which the state would have no phase: no server makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the change of a frame does not fit the state before it")]
pub struct UnfitChange;

impl<T> FieldChange<T> {
    /// Returns true if the field stays as it is.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged)
    }

    /// The change from one value to another.
    pub(crate) fn between(before: &T, after: T) -> Self
    where
        T: PartialEq,
    {
        if *before == after {
            Self::Unchanged
        } else {
            Self::Set(after)
        }
    }

    /// The change from one optional value to another.
    pub(crate) fn between_options(before: Option<&T>, after: Option<T>) -> Self
    where
        T: PartialEq,
    {
        match (before, after) {
            (Some(before), Some(after)) => Self::between(before, after),
            (None, Some(after)) => Self::Set(after),
            (Some(_), None) => Self::Removed,
            (None, None) => Self::Unchanged,
        }
    }

    fn apply_to(&self, field: &mut Option<T>)
    where
        T: Clone,
    {
        match self {
            Self::Unchanged => {}
            Self::Removed => *field = None,
            Self::Set(value) => *field = Some(value.clone()),
        }
    }

    fn set(&self, field: &mut T)
    where
        T: Clone,
    {
        if let Self::Set(value) = self {
            field.clone_from(value);
        }
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
    #[derive(Serialize)]
    struct AgreedPatch<'a> {
        by: Option<Seat>,
        #[serde(flatten)]
        agreed: &'a RematchView,
    }
    match change {
        FieldChange::Set(agreed @ RematchView::Agreed { .. }) => {
            AgreedPatch { by: None, agreed }.serialize(serializer)
        }
        change => change.serialize(serializer),
    }
}

impl StateChange {
    /// Returns true if the event leaves the state as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the legal moves before the event are not those after it.
    #[must_use]
    pub fn changes_legal_moves(&self) -> bool {
        !self.position.is_unchanged() || !self.phase.phase.is_unchanged()
    }
}

impl PhaseChange {
    /// The change from one phase to another, the legal moves left out.
    pub(crate) fn between(before: &PhaseView, after: &PhaseView) -> Self {
        let (before, after) = (PhaseFields::of(before), PhaseFields::of(after));
        Self {
            phase: FieldChange::between(&before.phase, after.phase),
            chooser: FieldChange::between_options(before.chooser.as_ref(), after.chooser),
            until: FieldChange::between_options(before.until.as_ref(), after.until),
            turn: FieldChange::between_options(before.turn.as_ref(), after.turn),
            takeback: FieldChange::between_options(before.takeback.as_ref(), after.takeback),
            legal: FieldChange::Unchanged,
            winner: FieldChange::between_options(before.winner.as_ref(), after.winner),
            reason: FieldChange::between_options(before.reason.as_ref(), after.reason),
            rematch: FieldChange::between_options(before.rematch.as_ref(), after.rematch),
        }
    }
}

/// The fields of all phases.
#[derive(Clone)]
struct PhaseFields {
    phase: PhaseName,
    chooser: Option<Seat>,
    until: Option<Timestamp>,
    turn: Option<Seat>,
    takeback: Option<Seat>,
    legal: Option<MoveSet>,
    winner: Option<Seat>,
    reason: Option<PhaseReason>,
    rematch: Option<RematchView>,
}

impl PhaseFields {
    fn of(view: &PhaseView) -> Self {
        let mut fields = Self {
            phase: view.name(),
            chooser: None,
            until: None,
            turn: None,
            takeback: None,
            legal: None,
            winner: None,
            reason: None,
            rematch: None,
        };
        match view {
            PhaseView::Open => {}
            PhaseView::Choosing { chooser, until } => {
                (fields.chooser, fields.until) = (Some(*chooser), Some(*until));
            }
            PhaseView::Playing {
                turn,
                takeback,
                legal,
            } => {
                (fields.turn, fields.takeback) = (Some(*turn), *takeback);
                fields.legal.clone_from(legal);
            }
            PhaseView::Over {
                winner,
                reason,
                rematch,
            } => {
                fields.winner = Some(*winner);
                fields.reason = Some(PhaseReason::End(*reason));
                fields.rematch.clone_from(rematch);
            }
            PhaseView::Closed { reason } => fields.reason = Some(PhaseReason::Close(*reason)),
        }
        fields
    }

    fn apply(&mut self, change: &PhaseChange) {
        change.phase.set(&mut self.phase);
        change.chooser.apply_to(&mut self.chooser);
        change.until.apply_to(&mut self.until);
        change.turn.apply_to(&mut self.turn);
        change.takeback.apply_to(&mut self.takeback);
        change.legal.apply_to(&mut self.legal);
        change.winner.apply_to(&mut self.winner);
        change.reason.apply_to(&mut self.reason);
        change.rematch.apply_to(&mut self.rematch);
    }

    fn view(self) -> Option<PhaseView> {
        Some(match self.phase {
            PhaseName::Open => PhaseView::Open,
            PhaseName::Choosing => PhaseView::Choosing {
                chooser: self.chooser?,
                until: self.until?,
            },
            PhaseName::Playing => PhaseView::Playing {
                turn: self.turn?,
                takeback: self.takeback,
                legal: self.legal,
            },
            PhaseName::Over => PhaseView::Over {
                winner: self.winner?,
                reason: match self.reason? {
                    PhaseReason::End(reason) => reason,
                    PhaseReason::Close(_) => return None,
                },
                rematch: self.rematch,
            },
            PhaseName::Closed => PhaseView::Closed {
                reason: match self.reason? {
                    PhaseReason::Close(reason) => reason,
                    PhaseReason::End(_) => return None,
                },
            },
        })
    }
}

impl MatchView {
    /// Applies a frame. Besides the merge patch: after `moved`, `plies` is one more and `last` is
    /// that move; and with a new position or phase, `legal` of the old one is gone unless the
    /// change brings it.
    ///
    /// # Errors
    /// [`UnfitChange`] if it is not the frame after this state; the state is then unchanged.
    pub fn apply(&mut self, event: &Event, change: &StateChange) -> Result<(), UnfitChange> {
        let mut fields = PhaseFields::of(&self.phase);
        if change.changes_legal_moves() {
            fields.legal = None;
        }
        fields.apply(&change.phase);
        self.phase = fields.view().ok_or(UnfitChange)?;
        if let Event::Moved { seat, text, .. } = event {
            self.plies += 1;
            self.last = Some(LastMove {
                seat: *seat,
                text: text.clone(),
            });
        }
        change.position.set(&mut self.position);
        change.plies.set(&mut self.plies);
        change.last.apply_to(&mut self.last);
        change.first.set(&mut self.first);
        change.clocks.apply_to(&mut self.clocks);
        if let FieldChange::Set(JoinerChange { joiner }) = &change.players {
            self.players.joiner = Some(joiner.clone());
        }
        Ok(())
    }
}
