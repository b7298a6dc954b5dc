//! The nimber of a part after a cut in one of its circuits, for all such cuts at once.
//!
//! Cutting an edge e of a circuit makes bridges of those edges f for which {e, f} is a cut of the part: its mates. Mates
//! lie around a ring, with blobs between them that stay in one piece whichever mate is cut. Cutting one mate opens the
//! ring to two chains of blobs that hang from the blob with the part's root. An edge without mates takes nothing apart.
//!
//! A depth-first search finds the mates: two tree edges are mates iff the same edges outside the tree cover them, and an
//! edge outside the tree is the mate of those that it alone covers. Edges outside the tree that cover a tree edge are
//! compared by the deepest of their upper ends and by their number: of two tree edges under one such edge, the upper one is
//! covered by whatever covers the lower one.

use std::cmp::Reverse;

use super::{chain::chains, contract::Contracted, graph::NONE};

/// A cut in a circuit.
pub struct CircuitCut {
    /// The edge that is cut.
    pub edge: u32,
    /// The part it belongs to.
    pub part: u32,
    /// The nimber of the part after the cut.
    pub nimber: u64,
}

/// The contribution of each vertex and its descendants, within its part, to a blob.
#[derive(Clone, Copy, Default)]
struct SubtreeWeight {
    /// The number of edges that lead down to them, or from them to a vertex met before, circuits only.
    edges: u64,
    /// The xor of all bridges up from them.
    bridges: u64,
}

impl SubtreeWeight {
    const fn without(self, other: Self, edges: u64) -> Self {
        Self {
            edges: self.edges - other.edges - edges,
            bridges: self.bridges ^ other.bridges,
        }
    }

    const fn nimber(self) -> u64 {
        self.bridges ^ (self.edges % 2)
    }
}

/// All cuts in circuits. Takes time linear in vertices and edges, up to logarithms.
pub fn after_cuts(graph: &Contracted) -> Vec<CircuitCut> {
    let search = &graph.search;
    let weights = weights(graph);
    let deepest = deepest_covers(graph);
    let mut cuts = Vec::new();
    let mut alone = vec![true; search.back.len()];
    let mut tree: Vec<(u32, u32, u32)> = (0..)
        .zip(&graph.covers)
        .filter(|(_, covers)| **covers > 0)
        .map(|(vertex, &covers)| (deepest[vertex as usize], covers, vertex))
        .collect();
    tree.sort_unstable();
    for mates in tree.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (back, covers, _) = mates[0];
        let closing = (covers == 1).then_some(search.back[back as usize].edge);
        alone[back as usize] &= covers != 1;
        // Down the tree, since a vertex is met after those it descends from.
        let ring: Vec<u32> = mates.iter().map(|&(.., vertex)| vertex).collect();
        open_ring(graph, &weights, &ring, closing, &mut cuts);
    }
    let alone = search.back.iter().zip(alone).filter(|(_, alone)| *alone);
    cuts.extend(alone.map(|(back, _)| {
        let part = graph.part_of[back.lower as usize];
        let nimber = graph.parts[part as usize].nimber ^ 1;
        CircuitCut {
            edge: back.edge,
            part,
            nimber,
        }
    }));
    cuts
}

/// Cuts each of the edges from the vertices of a ring to their parents, and the one outside the tree that closes the
/// ring, if there is one; if there is none, the last blob is a part of the root's.
fn open_ring(
    graph: &Contracted,
    weights: &[SubtreeWeight],
    ring: &[u32],
    closing: Option<u32>,
    cuts: &mut Vec<CircuitCut>,
) {
    let weight = |vertex: &u32| weights[*vertex as usize];
    let between = ring
        .windows(2)
        .map(|pair| weight(&pair[0]).without(weight(&pair[1]), 1));
    let mut blobs: Vec<u64> = between.map(SubtreeWeight::nimber).collect();
    if closing.is_some() {
        let last = ring.last().map_or(SubtreeWeight::default(), weight);
        blobs.push(last.without(SubtreeWeight::default(), 2).nimber());
    }
    let edge = |vertex: &u32| graph.search.parents[*vertex as usize].1;
    let edges: Vec<u32> = ring.iter().map(edge).chain(closing).collect();
    let part = graph.part_of[ring[0] as usize];
    // What is left of the part without the ring's edges and blobs.
    let root = blobs.iter().fold(
        graph.parts[part as usize].nimber ^ (edges.len() as u64 % 2),
        |nimber, blob| nimber ^ blob,
    );
    let bits = (graph.covers.len() + graph.search.back.len()).ilog2() + 1;
    let up = chains(&blobs, bits);
    blobs.reverse();
    let down = chains(&blobs, bits);
    let opened = edges.iter().zip(up.iter().zip(down.iter().rev()));
    cuts.extend(opened.map(|(&edge, (one, other))| CircuitCut {
        edge,
        part,
        nimber: root ^ one ^ other,
    }));
}

fn weights(graph: &Contracted) -> Vec<SubtreeWeight> {
    let mut weights = vec![SubtreeWeight::default(); graph.covers.len()];
    for back in &graph.search.back {
        weights[back.lower as usize].edges += 1;
    }
    for vertex in (1..weights.len()).rev() {
        let parent = graph.search.parents[vertex].0 as usize;
        if graph.covers[vertex] > 0 {
            weights[vertex].edges += 1;
            let SubtreeWeight { edges, bridges } = weights[vertex];
            weights[parent].edges += edges;
            weights[parent].bridges ^= bridges;
        } else {
            let part = &graph.parts[graph.part_of[vertex] as usize];
            weights[parent].bridges ^= 1 + part.nimber;
        }
    }
    weights
}

/// For each vertex, of the edges outside the tree that cover its edge to its parent the one with the deepest upper end
/// (the first of several); [`NONE`] if none does.
fn deepest_covers(graph: &Contracted) -> Vec<u32> {
    let search = &graph.search;
    let mut deepest = vec![NONE; graph.covers.len()];
    // The nearest vertex without an answer: the vertex itself or one it descends from, found by ever shorter ways.
    let mut open: Vec<u32> = (0..graph.covers.len() as u32).collect();
    let mut by_depth: Vec<u32> = (0..search.back.len() as u32).collect();
    by_depth.sort_by_key(|&back| Reverse(search.back[back as usize].upper));
    for index in by_depth {
        let back = &search.back[index as usize];
        let mut vertex = nearest(&mut open, back.lower);
        while vertex > back.upper {
            deepest[vertex as usize] = index;
            open[vertex as usize] = search.parents[vertex as usize].0;
            vertex = nearest(&mut open, vertex);
        }
    }
    deepest
}

fn nearest(open: &mut [u32], mut vertex: u32) -> u32 {
    while open[vertex as usize] != vertex {
        let next = open[vertex as usize];
        open[vertex as usize] = open[next as usize];
        vertex = next;
    }
    vertex
}
