//! The legal moves as the wire has them: families of moves, so that a frame stays small
//! however large the counters are.

use fibfob_games::MoveSet;
use serde::{Deserialize, Serialize};

/// Every legal move, each in exactly one family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LegalMoves(pub Vec<LegalFamily>);

/// Moves that differ in numbers only. `pattern` is a move's text with holes: `{a}` is the
/// slot `a`'s number, `{a+1}` one more. Without slots the pattern is itself the only move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalFamily {
    /// The text with its holes.
    pub pattern: String,
    /// The values of the slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<LegalSlot>,
    /// Bounds on all slots together: least and greatest sum, and how many must be above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<(u64, u64, u8)>,
}

/// The numbers one hole may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalSlot {
    /// The slot's letter.
    pub name: char,
    /// Ascending runs `[from, to, step]`, ends included.
    pub runs: Vec<(u64, u64, u64)>,
}

impl From<&MoveSet> for LegalMoves {
    fn from(moves: &MoveSet) -> Self {
        let family = |family: &fibfob_games::MoveFamily| LegalFamily {
            pattern: family.pattern().to_owned(),
            slots: family
                .slots()
                .iter()
                .map(|slot| LegalSlot {
                    name: slot.name(),
                    runs: slot
                        .runs()
                        .iter()
                        .map(|run| (run.from, run.to, run.step))
                        .collect(),
                })
                .collect(),
            total: family
                .total()
                .map(|total| (total.least, total.most, total.nonzero)),
        };
        Self(moves.families().iter().map(family).collect())
    }
}
