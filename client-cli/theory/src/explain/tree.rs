//! Green Hackenbush: the tree that remains after circuits are contracted, drawn from the ground up.

use std::collections::HashMap;

use fibfob_games::{ExplanationStep, Part, Summand};

use super::{join, values};

/// The maximum number of bridges drawn.
const BRIDGES_SHOWN_MAX: usize = 48;

/// A contracted part of a graph.
struct ContractedPart<'a> {
    vertex: u64,
    /// The number of edges in circuits.
    edges: u64,
    /// The bridges that lead up, with their nimbers.
    bridges: &'a [Summand],
    nimber: u64,
}

impl<'a> ContractedPart<'a> {
    /// The part that a step is about, if it is about one.
    fn of(step: &'a ExplanationStep) -> Option<Self> {
        let ExplanationStep::Contracted {
            vertex,
            edges,
            bridges,
            nimber,
        } = step
        else {
            return None;
        };
        Some(Self {
            vertex: *vertex,
            edges: *edges,
            bridges,
            nimber: *nimber,
        })
    }

    /// Returns the sum of the part, such as `1⊕2`: the parity of the circuits' edges, then the bridges.
    fn write_sum(&self) -> String {
        let parity = (self.edges > 0).then_some(self.edges % 2);
        join(parity.into_iter().chain(values(self.bridges)), "⊕")
    }

    /// The number of terms of that sum.
    fn terms(&self) -> usize {
        self.bridges.len() + usize::from(self.edges > 0)
    }

    fn circuits(&self) -> String {
        match self.edges {
            0 => String::new(),
            1 => "; 1 edge in a circuit".to_owned(),
            edges => format!("; {edges} edges in circuits: {edges} mod 2 = {}", edges % 2),
        }
    }
}

/// Draws the tree, the ground first. The steps come in the order of the argument: parts above before the part
/// below them.
pub fn draw(steps: &[ExplanationStep]) -> Vec<String> {
    let parts: Vec<ContractedPart<'_>> = steps.iter().filter_map(ContractedPart::of).collect();
    let Some(ground) = parts.last() else {
        return Vec::new();
    };
    let sum = match ground.terms() {
        0 | 1 => ground.nimber.to_string(),
        _ => format!("{} = {}", ground.write_sum(), ground.nimber),
    };
    let mut drawing = Drawing {
        at: parts.iter().map(|part| (part.vertex, part)).collect(),
        lines: vec![format!("ground: {sum}{}", ground.circuits())],
    };
    drawing.above(ground, "");
    let bridges: usize = parts.iter().map(|part| part.bridges.len()).sum();
    if bridges > BRIDGES_SHOWN_MAX {
        let more = bridges - BRIDGES_SHOWN_MAX;
        drawing.lines.push(format!("… and {more} more bridges"));
    }
    drawing.lines
}

struct Drawing<'a> {
    at: HashMap<u64, &'a ContractedPart<'a>>,
    lines: Vec<String>,
}

impl<'a> Drawing<'a> {
    /// Draws the parts above a part, no deeper than the bound on bridges.
    fn above(&mut self, part: &ContractedPart<'_>, indent: &str) {
        for (index, bridge) in part.bridges.iter().enumerate() {
            // The first line belongs to the ground.
            if self.lines.len() > BRIDGES_SHOWN_MAX {
                return;
            }
            let last = index + 1 == part.bridges.len();
            let branch = if last { "└─" } else { "├─" };
            let child = self.child(part, bridge.part);
            let worth = match child {
                // Nothing stands there: the bridge itself is all.
                None => bridge.value.to_string(),
                Some(child) => {
                    let added = match child.terms() {
                        0 | 1 => child.write_sum(),
                        _ => format!("({})", child.write_sum()),
                    };
                    format!("1 + {added} = {}{}", bridge.value, child.circuits())
                }
            };
            self.lines
                .push(format!("{indent}{branch} {}: {worth}", bridge.part));
            if let Some(child) = child {
                let between = if last { "   " } else { "│  " };
                self.above(child, &format!("{indent}{between}"));
            }
        }
    }

    /// Returns the part at the far end of a bridge. The near end is a vertex of the part below, and no other
    /// part has its name.
    fn child(&self, below: &ContractedPart<'_>, bridge: Part) -> Option<&'a ContractedPart<'a>> {
        let Part::Bridge { low, high } = bridge else {
            return None;
        };
        let mut far = [low, high].into_iter().filter(|&end| end != below.vertex);
        far.find_map(|end| self.at.get(&end).copied())
    }
}
