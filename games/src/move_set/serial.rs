//! The serialised form of move families: one short, readable text, because the legal moves are sent with every
//! ply. Reading checks it, because a family's methods rely on its invariants.

use serde::{Deserialize, Serialize, Serializer};

use super::{
    count::SumConstraint,
    family::MoveFamily,
    template::{MALFORMED_RUNS, MalformedFamily, Template},
};

/// The most runs of one slot that are read.
const RUNS_MAX: usize = 1_024;

/// The serialised form of a family.
///
/// In a pattern, `{1..5,9..21/3}` stands for each number from 1 to 5 and each third one from 9 to 21, and `{a..f}`
/// for each letter from a to f. `{a:1..5}` also names the number, so that `{a}` and `{a+1}` may follow from it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a pattern, or an object of `pattern` and perhaps `total`"
)]
pub enum FamilyValue {
    /// The pattern.
    Free(String),
    /// A pattern that must not be taken for a move, or whose numbers are bound together.
    Marked {
        /// The pattern.
        pattern: String,
        /// Least sum, greatest sum, and the least number of slots above 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<(u64, u64, u8)>,
    },
}

impl Serialize for MoveFamily {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_object() {
            return serializer.serialize_str(self.text());
        }
        let total = self.total();
        FamilyValue::Marked {
            pattern: self.text().to_owned(),
            total: total.map(|total| (total.least, total.most, total.nonzero)),
        }
        .serialize(serializer)
    }
}

impl TryFrom<FamilyValue> for MoveFamily {
    type Error = MalformedFamily;

    fn try_from(value: FamilyValue) -> Result<Self, MalformedFamily> {
        let (text, total, is_marked) = match value {
            FamilyValue::Free(text) => (text, None, false),
            FamilyValue::Marked { pattern, total } => (pattern, total, true),
        };
        let total = total.map(|(least, most, nonzero)| SumConstraint {
            least,
            most,
            nonzero,
        });
        let slots = Template::read(&text, total)?.slots;
        // The other side chose the text; what is kept of it has to be bounded.
        if slots.iter().any(|slot| slot.runs().len() > RUNS_MAX) {
            return Err(MALFORMED_RUNS);
        }
        let family = Self::of_text(text, total);
        Ok(if is_marked { family.marked() } else { family })
    }
}
