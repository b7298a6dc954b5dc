//! Builds explanations: of positions whose parts are added by xor, and the end of any explanation.
//!
//! Knows no single game.

use crate::explanation::{Explanation, ExplanationStep, Part, PartValue, Summand};
use crate::game::Game;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome};
use crate::solution::Solution;

/// The most winning moves that an explanation shows.
pub const REPLIES_SHOWN_MAX: usize = 16;

/// Explains a sum of parts: the parts, their xor, and the replies that make it 0.
pub(crate) fn by_parts<G: Game>(position: &G) -> Explanation {
    let parts = position.parts();
    debug_assert_eq!(
        position.nimber(),
        Nimber::Known(parts.iter().fold(0, |sum, part| sum ^ part.nimber)),
        "the parts add up to the position"
    );
    let mut steps: Vec<ExplanationStep> = Vec::with_capacity(parts.len() + REPLIES_SHOWN_MAX);
    steps.extend(parts.iter().cloned().map(ExplanationStep::from));
    steps.push(xor(&parts));
    let reply = |mv: &G::Move| {
        let [before, after] = position.changed(mv)?;
        let sizes = [before.size, after.size];
        Some(ExplanationStep::Reply {
            part: before.part,
            from: before.nimber,
            to: after.nimber,
            sizes: sizes.iter().all(|size| !size.is_empty()).then_some(sizes),
            mv: mv.to_string(),
        })
    };
    concluded(position, steps, reply)
}

impl From<PartValue> for ExplanationStep {
    fn from(PartValue { part, size, nimber }: PartValue) -> Self {
        Self::Part { part, size, nimber }
    }
}

/// The step that adds the parts.
pub(crate) fn xor(parts: &[PartValue]) -> ExplanationStep {
    ExplanationStep::Xor {
        terms: summands(parts.iter().map(|part| (part.part, part.nimber))),
        total: parts.iter().fold(0, |sum, part| sum ^ part.nimber),
    }
}

/// Ends an explanation: with what each winning move does, or that there is none, or why the winner is unknown.
pub(crate) fn concluded<G: Game>(
    position: &G,
    steps: Vec<ExplanationStep>,
    wins: impl Fn(&G::Move) -> Option<ExplanationStep>,
) -> Explanation {
    ended(position, steps, || {
        let winning = position.winning_moves().unwrap_or_default();
        let shown = winning.iter().take(REPLIES_SHOWN_MAX);
        shown
            .filter_map(|text| wins(&position.listed(&text)))
            .collect()
    })
}

/// Ends an explanation: with the winning moves in short form, that there is none, or what is unknown.
pub(crate) fn verdict<G: Game>(position: &G, mut steps: Vec<ExplanationStep>) -> Explanation {
    if let Nimber::Unknown(why) = position.nimber() {
        let (part, size) = (Part::Position, position.to_string());
        steps.push(ExplanationStep::Unknown { part, size, why });
    }
    ended(position, steps, || {
        let Solution {
            winning, complete, ..
        } = position.solve();
        let families = winning.families().iter().take(REPLIES_SHOWN_MAX);
        let mut moves = MoveSet::new();
        families.for_each(|family| moves.push_family(family.clone()));
        let complete = complete && moves == winning;
        if moves.is_empty() {
            Vec::new()
        } else {
            vec![ExplanationStep::Winning { moves, complete }]
        }
    })
}

fn ended<G: Game>(
    position: &G,
    mut steps: Vec<ExplanationStep>,
    winning: impl FnOnce() -> Vec<ExplanationStep>,
) -> Explanation {
    if position.is_terminal() {
        steps.push(ExplanationStep::Finished);
    } else if position.outcome() == Some(Outcome::P) {
        steps.push(ExplanationStep::Lost);
    } else {
        steps.extend(winning());
    }
    Explanation { steps }
}

/// The summands of these parts and numbers.
pub(crate) fn summands(values: impl IntoIterator<Item = (Part, u64)>) -> Vec<Summand> {
    let term = |(part, value)| Summand { part, value };
    values.into_iter().map(term).collect()
}

/// The step for a winning move: the position after it.
pub(crate) fn leaves<G: Game>(position: &G, mv: &G::Move) -> Option<ExplanationStep> {
    let after = position.play(mv).ok()?.to_string();
    let mv = mv.to_string();
    Some(ExplanationStep::Leaves { mv, after })
}
