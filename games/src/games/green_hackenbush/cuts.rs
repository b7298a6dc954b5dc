//! Cuts that make a grounded graph worth a given number: those of bridges, and those in circuits.

use super::{circuits, contract::Contracted};

/// All edges whose cut makes the graph worth `value`, in no order.
pub fn cuts_to(graph: &Contracted, value: u64) -> Vec<u32> {
    let parts = &graph.parts;
    let mut cuts = Vec::new();
    // What each part would have to be worth, all else staying as it is; `None` if no number does.
    let mut targets = vec![Some(value)];
    for part in &parts[1..] {
        let below = &parts[part.below as usize];
        let wanted =
            targets[part.below as usize].map(|target| target ^ below.nimber ^ (1 + part.nimber));
        if wanted == Some(0) {
            cuts.push(part.bridge);
        }
        targets.push(wanted.and_then(|wanted| wanted.checked_sub(1)));
    }
    let hits = circuits::after_cuts(graph)
        .into_iter()
        .filter(|cut| targets[cut.part as usize] == Some(cut.nimber));
    cuts.extend(hits.map(|cut| cut.edge));
    cuts
}
