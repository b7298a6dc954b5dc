//! Values a graph on its ground, by the fusion principle.
//!
//! By that principle (Berlekamp, Conway, Guy, Winning Ways, chapter 7) the vertices of a circuit may be
//! contracted to one. A tree of parts is left, joined by bridges. A part is worth the parity of the edges in
//! its circuits, xor 1 + the worth of the part at the far end, over its bridges.

use super::Edge;

/// A graph whose vertices are numbered from the ground, 0, on, and its edges by their order.
pub struct Graph {
    /// The number each vertex has in the notation, ascending.
    pub names: Vec<u64>,
    /// One end of each edge.
    ends: Vec<usize>,
    /// The neighbours of all vertices, vertex by vertex, with the edge that leads to each; by a loop a vertex is its
    /// own. One list for all: a search builds many graphs, and a list for each vertex took most of the time.
    neighbours: Vec<(usize, usize)>,
    /// The place in that list where the neighbours of each vertex begin, and one more for the end.
    starts: Vec<usize>,
}

/// A depth-first search of a graph from the root of one of its parts.
pub struct DepthFirstTree {
    /// The vertices that were met, in their order: a parent comes before its children.
    pub met: Vec<MetVertex>,
    /// For each vertex of the graph, its place among them.
    places: Vec<Option<usize>>,
}

/// A vertex in the tree of a search. Other vertices are named by their places.
pub struct MetVertex {
    pub vertex: usize,
    pub parent: usize,
    /// The edge to the parent.
    pub edge: Option<usize>,
    /// The first vertex of its part.
    pub root: usize,
    /// The nimber of its subtree. For a root, the nimber of its part with everything above it.
    pub nimber: u64,
    /// The number of edges outside the tree that lead down from here.
    pub back: u64,
    /// The edges outside the tree from here or above to below. If there are none, a bridge leads to the parent.
    covers: i64,
}

impl MetVertex {
    /// Returns true if a bridge leads here.
    pub const fn is_on_bridge(&self) -> bool {
        self.edge.is_some() && self.covers == 0
    }
}

impl Graph {
    pub fn new(edges: &[Edge]) -> Self {
        let mut names = vec![0];
        names.extend(edges.iter().flat_map(|edge| [edge.low, edge.high]));
        names.sort_unstable();
        names.dedup();
        let number = |name| names.partition_point(|known| *known < name);
        let ends: Vec<[usize; 2]> = edges
            .iter()
            .map(|edge| [number(edge.low), number(edge.high)])
            .collect();
        // At a loop's only vertex it is listed once.
        let joined = || {
            ends.iter().enumerate().flat_map(|(edge, &[low, high])| {
                let back = (low != high).then_some((high, low, edge));
                [(low, high, edge)].into_iter().chain(back)
            })
        };
        let mut starts = vec![0; names.len() + 1];
        joined().for_each(|(vertex, ..)| starts[vertex + 1] += 1);
        for vertex in 0..names.len() {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![(0, 0); starts[names.len()]];
        for (vertex, neighbour, edge) in joined() {
            neighbours[next[vertex]] = (neighbour, edge);
            next[vertex] += 1;
        }
        Self {
            names,
            ends: ends.iter().map(|[low, _]| *low).collect(),
            neighbours,
            starts,
        }
    }

    fn neighbours(&self, vertex: usize) -> &[(usize, usize)] {
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// Searches all that is joined to the ground.
    pub fn search(&self) -> DepthFirstTree {
        self.tree(0, [None; 2], &vec![None; self.ends.len()])
            .valued()
    }

    /// For each edge, whether it is joined to the ground.
    pub fn grounded(&self) -> impl Iterator<Item = bool> {
        let DepthFirstTree { places, .. } = self.search();
        self.ends.iter().map(move |&end| places[end].is_some())
    }

    /// Says for each edge whether cutting it makes the graph worth `value`.
    pub fn cuts_to(&self, value: u64) -> Vec<bool> {
        let DepthFirstTree { met, places } = self.search();
        let mut hits = vec![false; self.ends.len()];
        // A cut always changes the nimber.
        if met[0].nimber == value {
            return hits;
        }
        // What each part would have to be worth if all else stays; none if no number does.
        let mut targets = vec![None; met.len()];
        targets[0] = Some(value);
        let mut bridges = vec![None; self.ends.len()];
        for (place, above) in met.iter().enumerate() {
            let Some(bridge) = above.edge.filter(|_| above.is_on_bridge()) else {
                continue;
            };
            let worth = 1 + above.nimber;
            bridges[bridge] = Some(worth);
            let below = met[above.parent].root;
            let wanted = targets[below].map(|target| target ^ met[below].nimber ^ worth);
            hits[bridge] = wanted == Some(0);
            targets[place] = wanted.and_then(|wanted: u64| wanted.checked_sub(1));
        }
        // A cut in a circuit changes its part alone, which is searched again without it.
        for (edge, hit) in hits.iter_mut().enumerate() {
            let place = places[self.ends[edge]].filter(|_| bridges[edge].is_none());
            let root = place.map(|place| met[place].root);
            if let Some(root) = root.filter(|&root| targets[root].is_some()) {
                let MetVertex {
                    vertex,
                    edge: below,
                    ..
                } = met[root];
                let cut = self.tree(vertex, [below, Some(edge)], &bridges).valued();
                *hit = targets[root] == Some(cut.met[0].nimber);
            }
        }
        hits
    }

    /// Searches from a vertex; leaves out two edges, and does not cross bridges whose worth is known.
    ///
    /// It keeps its own stack, so a path of thousands of edges needs no deep recursion.
    fn tree(
        &self,
        from: usize,
        left_out: [Option<usize>; 2],
        bridges: &[Option<u64>],
    ) -> DepthFirstTree {
        let mut search = DepthFirstTree {
            met: Vec::new(),
            places: vec![None; self.names.len()],
        };
        search.meet(from, 0, None);
        let mut path = vec![(0, self.neighbours(from).iter().rev())];
        while let Some((here, rest)) = path.last_mut() {
            let here = *here;
            let Some(&(neighbour, edge)) = rest.next() else {
                path.pop();
                continue;
            };
            if left_out.contains(&Some(edge)) || search.met[here].edge == Some(edge) {
                continue;
            }
            if let Some(worth) = bridges[edge] {
                search.met[here].nimber ^= worth;
                continue;
            }
            match search.places[neighbour] {
                None => {
                    path.push((search.met.len(), self.neighbours(neighbour).iter().rev()));
                    search.meet(neighbour, here, Some(edge));
                }
                Some(there) if there <= here => {
                    search.met[here].back += 1;
                    search.met[here].covers += 1;
                    search.met[there].covers -= 1;
                }
                // It was counted at its other end.
                Some(_) => {}
            }
        }
        search
    }
}

impl DepthFirstTree {
    fn meet(&mut self, vertex: usize, parent: usize, edge: Option<usize>) {
        let place = self.met.len();
        self.places[vertex] = Some(place);
        self.met.push(MetVertex {
            vertex,
            parent,
            edge,
            root: place,
            nimber: 0,
            back: 0,
            covers: 0,
        });
    }

    /// Adds up the nimbers, and puts each vertex into its part.
    fn valued(mut self) -> Self {
        for place in (0..self.met.len()).rev() {
            let above = &mut self.met[place];
            above.nimber ^= above.back % 2;
            let MetVertex {
                parent,
                nimber,
                covers,
                ..
            } = *above;
            if place > 0 {
                let through_bridge = covers == 0;
                let below = &mut self.met[parent];
                below.covers += covers;
                below.nimber ^= if through_bridge {
                    1 + nimber
                } else {
                    1 ^ nimber
                };
            }
        }
        for place in 1..self.met.len() {
            if !self.met[place].is_on_bridge() {
                self.met[place].root = self.met[self.met[place].parent].root;
            }
        }
        self
    }
}
