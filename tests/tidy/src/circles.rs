//! Groups of modules side by side that depend on one another in a circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::Arrow;

/// Returns the circles among the arrows: each set of at least two modules side by side of which
/// every one reaches every other one, in order. An arrow from or to a module's part counts for
/// the module.
#[must_use]
pub fn circles<'a>(arrows: impl IntoIterator<Item = &'a Arrow>) -> Vec<BTreeSet<String>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in arrows.into_iter().filter_map(|arrow| arrow.joins.as_ref()) {
        next.entry(from).or_default().insert(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = next
        .keys()
        .map(|from| (*from, reachable(from, &next)))
        .collect();
    let mut found = BTreeSet::new();
    for (from, to) in &reached {
        let circle: BTreeSet<String> = to
            .iter()
            .filter(|to| reached.get(*to).is_some_and(|back| back.contains(from)))
            .map(|to| (*to).to_owned())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

fn reachable<'a>(from: &'a str, next: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for to in next.get(at).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(to);
            }
        }
    }
    seen
}
