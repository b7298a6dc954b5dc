//! An explanation in words: the numbers that are added, and what makes the sum 0.

use fibfob_games::{Explanation, Step, Term};

/// The lines that say why.
pub fn written(explanation: &Explanation) -> Vec<String> {
    let steps = &explanation.steps;
    let parts: Vec<String> = steps.iter().filter_map(part).collect();
    let replies: Vec<String> = steps.iter().filter_map(reply).collect();
    let mut sum = Vec::new();
    for step in steps {
        match step {
            Step::Part { .. } | Step::Reply { .. } => {}
            Step::Xor { terms, total } => sum.push(format!("{} = {total}", added(terms))),
            Step::Lost => sum.push(
                "every move makes it another number, and the other player makes it 0 again"
                    .to_owned(),
            ),
            Step::Finished => sum.push("no move is left".to_owned()),
        }
    }
    match &replies[..] {
        [] => {}
        [one] => sum.push(format!("{one} makes it 0")),
        [rest @ .., last] => sum.push(format!("{} or {last} makes it 0", rest.join(", "))),
    }
    let lines = [parts.join(", "), sum.join("; ")];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn reply(step: &Step) -> Option<String> {
    match step {
        Step::Reply { part, from, to, .. } => Some(format!("{} → {to}", sized(part, from))),
        _ => None,
    }
}

fn added(terms: &[Term]) -> String {
    if terms.is_empty() {
        return "0".to_owned();
    }
    let values: Vec<String> = terms.iter().map(|term| term.value.to_string()).collect();
    values.join("⊕")
}

/// A part with its size, and its nimber where that is another number.
fn part(step: &Step) -> Option<String> {
    let Step::Part { name, size, nimber } = step else {
        return None;
    };
    let named = sized(name, size);
    Some(if *size == nimber.to_string() {
        named
    } else {
        format!("{named} = {nimber}")
    })
}

/// `time 15`, but `heap 1: 15`, which would otherwise read like one number.
fn sized(name: &str, size: impl std::fmt::Display) -> String {
    let colon = if name.ends_with(|last: char| last.is_ascii_digit()) {
        ":"
    } else {
        ""
    };
    format!("{name}{colon} {size}")
}
