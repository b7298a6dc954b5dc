//! A graph with a ground, as lists of neighbours; what is joined to the ground, and in which order a search meets it.
//!
//! Every walk keeps its own stack, so that a path of 100 000 edges is no deeper than one of two.

use std::collections::HashMap;

use super::Edge;

/// No vertex, no edge.
pub const NONE: u32 = u32::MAX;

/// A graph whose vertices are numbered anew, the ground being 0.
pub struct Graph {
    /// The number each vertex has in the notation.
    pub names: Vec<u64>,
    /// The ends of each edge.
    pub ends: Vec<(u32, u32)>,
    /// The index of the first neighbour of each vertex, and the end of the last one's.
    first: Vec<u32>,
    /// Neighbours, each with the edge that leads to it; loops are left out.
    neighbours: Vec<(u32, u32)>,
}

/// A depth-first search from the ground. Vertices are named by their place in the order in which they were met, so that a
/// parent comes before its children.
pub struct DepthFirstTree {
    /// The vertices of the graph, in the order in which they were met.
    pub order: Vec<u32>,
    /// The parent of each, and the edge that leads to it; [`NONE`] for the ground.
    pub parents: Vec<(u32, u32)>,
    /// All other edges: each leads from a vertex to one it descends from, or is a loop.
    pub back: Vec<BackEdge>,
}

/// An edge that is not in the tree of the search.
#[derive(Clone, Copy)]
pub struct BackEdge {
    /// The edge.
    pub edge: u32,
    /// The end that was met first.
    pub upper: u32,
    /// The end that was met later, or the same one again.
    pub lower: u32,
}

impl Graph {
    /// The graph of these edges, at most 2^31.
    pub fn new(edges: &[Edge]) -> Self {
        let mut numbers = HashMap::from([(0, 0)]);
        let mut names = vec![0];
        let mut number = |name: u64| {
            *numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() as u32 - 1
            })
        };
        let ends: Vec<(u32, u32)> = edges
            .iter()
            .map(|edge| (number(edge.low), number(edge.high)))
            .collect();
        let mut first = vec![0u32; names.len() + 1];
        let proper = || (0..).zip(&ends).filter(|(_, (a, b))| a != b);
        for (_, &(a, b)) in proper() {
            first[a as usize] += 1;
            first[b as usize] += 1;
        }
        // Where each vertex's neighbours end; filling from there moves the mark to where they begin.
        let mut end = 0;
        for mark in &mut first {
            end += *mark;
            *mark = end;
        }
        let mut neighbours = vec![(NONE, NONE); end as usize];
        for (edge, &(a, b)) in proper() {
            for (from, to) in [(a, b), (b, a)] {
                first[from as usize] -= 1;
                neighbours[first[from as usize] as usize] = (to, edge);
            }
        }
        Self {
            names,
            ends,
            first,
            neighbours,
        }
    }

    fn around(&self, vertex: u32) -> &[(u32, u32)] {
        let vertex = vertex as usize;
        &self.neighbours[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }

    /// For each edge, whether it is joined to the ground.
    pub fn grounded(&self) -> impl Iterator<Item = bool> {
        let mut joined = vec![false; self.names.len()];
        joined[0] = true;
        let mut waiting = vec![0];
        while let Some(vertex) = waiting.pop() {
            for &(neighbour, _) in self.around(vertex) {
                if !std::mem::replace(&mut joined[neighbour as usize], true) {
                    waiting.push(neighbour);
                }
            }
        }
        self.ends.iter().map(move |&(end, _)| joined[end as usize])
    }

    /// Searches from the ground, to which all edges must be joined. Takes time linear in vertices and edges.
    pub fn search(&self) -> DepthFirstTree {
        let mut met = vec![NONE; self.names.len()];
        met[0] = 0;
        let mut search = DepthFirstTree {
            order: vec![0],
            parents: vec![(NONE, NONE)],
            back: Vec::new(),
        };
        let mut path = vec![(0u32, self.around(0).iter())];
        while let Some((vertex, rest)) = path.last_mut() {
            let here = met[*vertex as usize];
            let Some(&(neighbour, edge)) = rest.next() else {
                path.pop();
                continue;
            };
            let there = met[neighbour as usize];
            if there == NONE {
                met[neighbour as usize] = search.order.len() as u32;
                search.order.push(neighbour);
                search.parents.push((here, edge));
                path.push((neighbour, self.around(neighbour).iter()));
            } else if there < here && edge != search.parents[here as usize].1 {
                search.back.push(BackEdge {
                    edge,
                    upper: there,
                    lower: here,
                });
            }
        }
        let loops = (0..).zip(&self.ends).filter(|(_, (a, b))| a == b);
        search
            .back
            .extend(loops.map(|(edge, &(vertex, _))| BackEdge {
                edge,
                upper: met[vertex as usize],
                lower: met[vertex as usize],
            }));
        search
    }
}
