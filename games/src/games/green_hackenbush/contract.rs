//! Contracting circuits: what a grounded graph is worth.
//!
//! By the fusion principle (Berlekamp, Conway, Guy, Winning Ways, chapter 7) the vertices of a circuit may be contracted to
//! one. What is left is a tree of parts, joined by bridges: a part is worth the parity of the edges in its circuits, xor
//! over its bridges of 1 + what the part at the far end is worth.

use super::graph::{DepthFirstTree, Graph, NONE};

/// Vertices that circuits join, as many as can be, and all that is above them.
pub struct FusedComponent {
    /// The vertex that joins it to what is below, or the ground: its place in the search.
    pub root: u32,
    /// The part below; [`NONE`] for the ground's.
    pub below: u32,
    /// The bridge that leads here; [`NONE`] for the ground's.
    pub bridge: u32,
    /// The number of edges in its circuits.
    pub edges: u64,
    /// Its nimber, with everything above it.
    pub nimber: u64,
}

/// A graph in parts.
pub struct Contracted {
    pub search: DepthFirstTree,
    /// For each vertex of the search, how many edges outside the tree lead from there or above to below it: its edge to
    /// its parent is a bridge iff there are none.
    pub covers: Vec<u32>,
    /// The parts, each after the one below it; the ground's is the first.
    pub parts: Vec<FusedComponent>,
    /// For each vertex of the search, its part.
    pub part_of: Vec<u32>,
}

impl Contracted {
    /// Contracts a grounded graph in time linear in its vertices and edges.
    pub fn new(graph: &Graph) -> Self {
        let search = graph.search();
        let covers = covers(&search);
        let mut parts: Vec<FusedComponent> = Vec::new();
        let mut part_of: Vec<u32> = Vec::with_capacity(covers.len());
        for (vertex, (&cover, &(parent, edge))) in covers.iter().zip(&search.parents).enumerate() {
            if cover > 0 {
                let part = part_of[parent as usize];
                parts[part as usize].edges += 1;
                part_of.push(part);
                continue;
            }
            let below = if parent == NONE {
                NONE
            } else {
                part_of[parent as usize]
            };
            part_of.push(parts.len() as u32);
            parts.push(FusedComponent {
                root: vertex as u32,
                below,
                bridge: edge,
                edges: 0,
                nimber: 0,
            });
        }
        for back in &search.back {
            parts[part_of[back.lower as usize] as usize].edges += 1;
        }
        for index in (0..parts.len()).rev() {
            let FusedComponent { edges, below, .. } = parts[index];
            parts[index].nimber ^= edges % 2;
            if below != NONE {
                parts[below as usize].nimber ^= 1 + parts[index].nimber;
            }
        }
        Self {
            search,
            covers,
            parts,
            part_of,
        }
    }

    pub fn nimber(&self) -> u64 {
        self.parts[0].nimber
    }
}

/// For each vertex, how many edges outside the tree lead from it or its descendants to what it descends from.
fn covers(search: &DepthFirstTree) -> Vec<u32> {
    let mut covers = vec![0u32; search.order.len()];
    for back in &search.back {
        // Wrapping: the upper end may be taken away before what is added below has been carried up.
        covers[back.lower as usize] = covers[back.lower as usize].wrapping_add(1);
        covers[back.upper as usize] = covers[back.upper as usize].wrapping_sub(1);
    }
    for vertex in (1..covers.len()).rev() {
        let parent = search.parents[vertex].0 as usize;
        covers[parent] = covers[parent].wrapping_add(covers[vertex]);
    }
    covers
}
