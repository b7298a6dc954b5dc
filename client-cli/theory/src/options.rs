//! The lecture's own procedure in lines: what each family of moves leads to, and the first value that none does.

use fibfob_games::{Budget, Convention, Position};

/// The most boxes that are drawn in the row of values.
const BOXES_MAX: u64 = 24;

/// Returns the lines of the procedure for a position.
#[must_use]
pub fn write(position: &Position) -> Vec<String> {
    let mut lines = vec![format!("{} {position}", position.game())];
    if position.game().convention() == Convention::Misere {
        lines.push(
            "The last move loses here, and such positions have no nimber: `solve` says who wins."
                .to_owned(),
        );
        return lines;
    }
    if position.is_terminal() {
        lines.push(
            "No move is left: no value is reached, and the first box stays empty.".to_owned(),
        );
    }
    let options = position.options(&mut Budget::of_question());
    let widths = options
        .families
        .iter()
        .map(|family| family.moves.chars().count());
    let width = widths.max().unwrap_or(0).min(40);
    for family in &options.families {
        let values: Vec<String> = family.values.iter().map(u64::to_string).collect();
        let more = if family.complete { "" } else { " …" };
        lines.push(format!(
            "  {:width$}  leads to {}{more}",
            family.moves,
            values.join(", ")
        ));
    }
    let reached = |value: u64| {
        options
            .families
            .iter()
            .any(|family| family.values.contains(&value))
    };
    let last = options.mex.unwrap_or(BOXES_MAX).min(BOXES_MAX);
    let boxes: Vec<String> = (0..=last)
        .map(|value| match reached(value) {
            true => format!("[{value}]"),
            false => "[ ]".to_owned(),
        })
        .collect();
    lines.push(boxes.concat());
    lines.push(match options.mex {
        Some(0) => "The first empty box is 0: no move leads to a lost position, so whoever is to move loses.".to_owned(),
        Some(mex) => format!(
            "The first empty box is {mex}: that is the value of this position (its nimber, the mex of its options)."
        ),
        None => "There are too many moves to value each; these are the least values that they lead to.".to_owned(),
    });
    lines
}
