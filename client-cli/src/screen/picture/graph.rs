//! Draws Green Hackenbush as a tree of edges, each with its name in the notation.
//!
//! A line has edges that follow one another. An edge that leads back to a vertex shown before names that vertex.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::text::Line;

use crate::screen::text::{flow, width};
use crate::screen::theme::{StyleRole, Theme};

/// The most edges that are drawn as a tree; more are listed.
const EDGES_MAX: usize = 200;

/// The room that one more edge of a row needs, in columns.
const EDGE_COLUMNS: usize = 18;

type CountedEdges = BTreeMap<(u64, u64), usize>;

fn count_edges(edges: &[(u64, u64)]) -> CountedEdges {
    let mut counted = BTreeMap::new();
    for edge in edges {
        *counted.entry(*edge).or_insert(0) += 1;
    }
    counted
}

/// Returns the tree, and those of the edges `before` that are gone.
pub fn rows(
    edges: &[(u64, u64)],
    before: &[(u64, u64)],
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let (edges, mut gone) = (count_edges(edges), count_edges(before));
    for (edge, count) in &mut gone {
        *count -= edges.get(edge).copied().unwrap_or(0).min(*count);
    }
    gone.retain(|_, count| *count > 0);
    let [plain, trail] = [StyleRole::Plain, StyleRole::Trail].map(|role| theme.style(role));
    let mut rows = if edges.is_empty() {
        vec![Line::styled("no edge is left", plain)]
    } else if edges.len() > EDGES_MAX {
        flow([(list_edges(&edges), plain)], columns)
    } else {
        let rows = Tree::of(&edges, columns).into_iter();
        rows.map(|row| Line::styled(row, plain)).collect()
    };
    if !gone.is_empty() {
        let gone = format!("◌ gone: {}", list_edges(&gone));
        rows.extend(flow([(gone, trail)], columns));
    }
    rows
}

fn name_edge(&(low, high): &(u64, u64), count: usize) -> String {
    match count {
        1 => format!("{low}-{high}"),
        count => format!("{low}-{high} ×{count}"),
    }
}

fn list_edges(edges: &CountedEdges) -> String {
    let all: Vec<String> = edges
        .iter()
        .map(|(edge, count)| name_edge(edge, *count))
        .collect();
    all.join(", ")
}

struct Tree<'e> {
    edges: &'e CountedEdges,
    drawn: BTreeSet<(u64, u64)>,
    reached: BTreeSet<u64>,
}

/// The lines before a branch's first row and before its other rows; and the same for the last branch.
const BRANCH: [&str; 2] = ["├─ ", "│  "];
const LAST_BRANCH: [&str; 2] = ["└─ ", "   "];

impl<'e> Tree<'e> {
    fn of(edges: &'e CountedEdges, columns: usize) -> Vec<String> {
        let mut tree = Self {
            edges,
            drawn: BTreeSet::new(),
            reached: BTreeSet::from([0]),
        };
        let mut rows = vec!["ground 0".to_owned()];
        rows.extend(tree.branches(0, columns));
        rows
    }

    /// The edges at a vertex that are not drawn yet.
    fn undrawn_edges(&self, vertex: u64) -> Vec<(u64, u64)> {
        let touches = |edge: &&(u64, u64)| edge.0 == vertex || edge.1 == vertex;
        let edges = self.edges.keys().filter(touches);
        edges
            .filter(|edge| !self.drawn.contains(edge))
            .copied()
            .collect()
    }

    /// The rows of all that hangs on a vertex.
    fn branches(&mut self, vertex: u64, columns: usize) -> Vec<String> {
        let inner = columns.saturating_sub(width(BRANCH[0]));
        let mut branches = Vec::new();
        while let Some(&edge) = self.undrawn_edges(vertex).first() {
            branches.push(self.follow(edge, vertex, String::new(), inner));
        }
        let last = branches.len().saturating_sub(1);
        let mut rows = Vec::new();
        for (index, branch) in branches.into_iter().enumerate() {
            let [first, others] = if index == last { LAST_BRANCH } else { BRANCH };
            let before = std::iter::once(first).chain(std::iter::repeat(others));
            rows.extend(
                before
                    .zip(branch)
                    .map(|(before, row)| format!("{before}{row}")),
            );
        }
        rows
    }

    /// Draws an edge with those that follow it alone in one row, and the rows of what hangs on the last one.
    fn follow(
        &mut self,
        edge: (u64, u64),
        from: u64,
        mut row: String,
        columns: usize,
    ) -> Vec<String> {
        self.drawn.insert(edge);
        row.push_str(&name_edge(&edge, self.edges[&edge]));
        let to = if edge.0 == from { edge.1 } else { edge.0 };
        if to == from {
            return vec![row + " loop"];
        }
        if !self.reached.insert(to) {
            return vec![format!("{row} back to {to}")];
        }
        if let [next] = self.undrawn_edges(to)[..]
            && width(&row) + EDGE_COLUMNS <= columns
        {
            return self.follow(next, to, row + " ─ ", columns);
        }
        let mut rows = vec![row];
        rows.extend(self.branches(to, columns));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANT: [(u64, u64); 7] = [(0, 1), (0, 5), (1, 2), (1, 3), (3, 4), (3, 4), (5, 5)];

    #[track_caller]
    fn check(edges: &[(u64, u64)], before: &[(u64, u64)], expected: &[&str]) {
        let rows = rows(edges, before, 40, Theme::Plain);
        let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn edges_stand_under_their_names_where_they_hang() {
        check(
            &PLANT,
            &[],
            &[
                "ground 0",
                "├─ 0-1",
                "│  ├─ 1-2",
                "│  └─ 1-3 ─ 3-4 ×2",
                "└─ 0-5 ─ 5-5 loop",
            ],
        );
        check(
            &[(0, 1), (0, 2), (1, 2)],
            &[],
            &["ground 0", "└─ 0-1 ─ 1-2 ─ 0-2 back to 0"],
        );
        check(&[], &[], &["no edge is left"]);
    }

    #[test]
    fn fallen_edges_are_listed() {
        check(
            &[(0, 1)],
            &[(0, 1), (0, 2), (2, 3), (2, 3)],
            &["ground 0", "└─ 0-1", "◌ gone: 0-2, 2-3 ×2"],
        );
    }

    #[test]
    fn a_long_chain_goes_on_below() {
        let chain: Vec<(u64, u64)> = (0..12).map(|low| (low, low + 1)).collect();
        let rows = rows(&chain, &[], 40, Theme::Plain);
        assert!(rows.len() > 2);
        assert!(rows.iter().all(|row| row.width() <= 40));
    }
}
