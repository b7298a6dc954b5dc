//! The common part of the three Ryūō games: takes from one heap or several, the closed form, tables for the rest.
//!
//! Knows no game's own rule.

pub mod blocks;
pub mod nimber_table;
pub mod rule;

use crate::explain::verdict;
use crate::explanation::{Explanation, ExplanationStep, LossCondition};
use crate::game::Game;
use crate::nimber::Nimber;

/// A condition of a lost position: what is looked at, its value here, and the value it would need.
pub type Condition = (LossCondition, u64, u64);

/// Ends the explanation of a game in which only the lost positions have a closed form.
pub fn conditioned<G: Game>(
    position: &G,
    mut steps: Vec<ExplanationStep>,
    conditions: impl IntoIterator<Item = Condition>,
) -> Explanation {
    let step = |(condition, value, wanted)| ExplanationStep::Condition {
        condition,
        value,
        wanted,
    };
    steps.extend(conditions.into_iter().map(step));
    if let Nimber::Known(nimber) = position.nimber() {
        steps.push(ExplanationStep::Searched { nimber });
    }
    verdict(position, steps)
}
