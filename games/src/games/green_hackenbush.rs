//! Green Hackenbush: a graph that stands on the ground; cut an edge, and what is no longer joined to the ground falls.
//!
//! Solved by the fusion principle: see `graph`. This file knows the rules and the notation.

mod graph;

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use crate::explain::{summands, verdict};
use crate::explanation::{Explanation, ExplanationStep, Part};
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, Tables};
use graph::Graph;

/// The maximum number of edges of a circuit in a table: the text of a position grows with it.
const CIRCUIT_MAX: u64 = 1000;

/// The most edges of a stalk in a table, and of the circuit on it.
const STALK_MAX: u64 = 199;

/// The most edges of a position: finding the winning moves takes time quadratic in the edges of circuits.
const EDGES_MAX: usize = 2048;

const EDGE: &str = "an edge such as 0-1";

const EDGES: StartRange = StartRange::new("edges", 1..=120, 4..=20);
/// The largest number of a vertex.
const VERTICES: StartRange = StartRange::new("vertices", 0..=99, 2..=12);

/// An edge between two vertices, which may be the same. Vertex 0 is the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Edge {
    /// The smaller end.
    low: u64,
    /// The larger end.
    high: u64,
}

/// A graph of at most [`EDGES_MAX`] edges, all joined to the ground.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GreenHackenbush {
    /// In ascending order; parallel edges are equal.
    edges: Vec<Edge>,
}

/// Cut an edge: any one of several parallel ones, which makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(Edge);

impl Edge {
    const fn new(a: u64, b: u64) -> Self {
        if a <= b {
            Self { low: a, high: b }
        } else {
            Self { low: b, high: a }
        }
    }

    /// Reads `0-1`, or `1-0`, which is the same.
    fn read(text: &str) -> Result<Self, NotationError> {
        let Some((a, b)) = text.split_once('-') else {
            return Err(NotationErrorKind::Unexpected.error(text, EDGE));
        };
        let vertex = |text: &str| notation::amount(text.trim_ascii());
        Ok(Self::new(vertex(a)?, vertex(b)?))
    }
}

impl GreenHackenbush {
    /// The edges, of parallel ones only the first, with their places.
    fn distinct(&self) -> impl Iterator<Item = (usize, Edge)> {
        let first = |&(index, edge): &(usize, Edge)| index == 0 || self.edges[index - 1] != edge;
        self.edges.iter().copied().enumerate().filter(first)
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.low, self.high)
    }
}

impl fmt::Display for GreenHackenbush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.edges.is_empty() {
            return f.write_str("-");
        }
        notation::write_joined(f, ",", &self.edges)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cut {}", self.0)
    }
}

impl Game for GreenHackenbush {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "green-hackenbush",
        title: "Green Hackenbush",
        rules: "Cut an edge of a graph; what is no longer joined to the ground (0) falls. Whoever cannot move loses.",
        example: "0-1,1-1,1-2",
        example_move: "cut 1-1",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "Edges between numbered vertices, the ground being 0; - if none is left. Loops and parallel edges \
                   are allowed.",
        how: how! {
            "0-1,0-5,1-2,1-3,3-4,3-4,5-5", "cut 1-2" => "Cut an edge.";
            "0-1,0-5,1-2,1-3,3-4,3-4,5-5", "cut 1-3" => "Whatever no longer hangs on to the ground falls with it.";
        },
        theory: &[
            "Fusion: the vertices of a circuit count as one, with its edges as loops. Loops count their number mod 2.",
            "Colon: a stalk counts 1 more than what stands on it. Branches at a vertex are added by xor.",
        ],
    };
    const TABLES: Tables = Ok(&[
        PositionTable::sequence(
            Axis::new("edges of a circuit", 0, CIRCUIT_MAX),
            |edges, _, _| stalk_and_circuit(0, edges),
        ),
        PositionTable {
            columns: Some(Axis::new("edges of a circuit on top", 0, STALK_MAX)),
            ..PositionTable::sequence(
                Axis::new("edges of a stalk", 0, STALK_MAX),
                |stalk, edges, _| stalk_and_circuit(stalk, edges),
            )
        },
    ]);
    const START_RANGES: &'static [StartRange] = &[EDGES, VERTICES];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let literal = fields.literal()?;
            if literal == "-" {
                return Ok(Self { edges: Vec::new() });
            }
            let mut edges = Vec::new();
            for text in literal.split(',') {
                if edges.len() == EDGES_MAX {
                    let expected = format!("at most {EDGES_MAX} edges");
                    return Err(NotationErrorKind::TooMany.error(text, expected));
                }
                edges.push(Edge::read(text.trim_ascii())?);
            }
            edges.sort_unstable();
            let falls = Graph::new(&edges).grounded().position(|grounded| !grounded);
            match falls {
                None => Ok(Self { edges }),
                Some(index) => Err(NotationErrorKind::NotGrounded
                    .error(&edges[index].to_string(), "edges joined to the ground 0")),
            }
        })
    }

    /// Draws a tree first: each vertex stands on an earlier one or on the ground, while edges and vertices last.
    /// Then adds edges between any two vertices, which make circuits, loops, parallel edges and more ground edges.
    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        let (count, vertices) = (sampler.amount(&EDGES), sampler.amount(&VERTICES));
        let highest = count.min(vertices);
        let mut edges: Vec<Edge> = (1..=highest)
            .map(|vertex| Edge::new(sampler.below(vertex), vertex))
            .collect();
        edges.extend(
            (highest..count)
                .map(|_| Edge::new(sampler.below(highest + 1), sampler.below(highest + 1))),
        );
        edges.sort_unstable();
        Self { edges }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        if !self.edges.is_empty() {
            EDGES.check(self.edges.len() as u64)?;
        }
        self.edges
            .iter()
            .try_for_each(|edge| VERTICES.check(edge.high))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        match notation::verb(text) {
            ("cut", edge) => Edge::read(edge).map(Move),
            (verb, _) => Err(NotationErrorKind::UnknownVerb.error(verb, format!("cut and {EDGE}"))),
        }
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let Ok(index) = self.edges.binary_search(&mv.0) else {
            let edge = mv.0.to_string();
            return Err(IllegalReason::NoEdge { edge });
        };
        let mut edges = self.edges.clone();
        edges.remove(index);
        let graph = Graph::new(&edges);
        let mut grounded = graph.grounded();
        edges.retain(|_| grounded.next() == Some(true));
        Ok(Self { edges })
    }

    fn legal_moves(&self) -> MoveSet {
        self.distinct()
            .map(|(_, edge)| Move(edge).to_string())
            .collect()
    }

    fn legal_count(&self) -> Option<u128> {
        Some(self.distinct().count() as u128)
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(Graph::new(&self.edges).search().met[0].nimber)
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let hits = Graph::new(&self.edges).cuts_to(value);
        let cuts = self.distinct().filter(|&(index, _)| hits[index]);
        Ok(cuts.map(|(_, edge)| Move(edge).to_string()).collect())
    }

    /// Each edge of a circuit is tried: the graph is searched without it. A tree has no circuit.
    fn solve_steps(&self) -> u64 {
        let edges = self.edges.len() as u64;
        let vertices: HashSet<u64> = self.edges.iter().map(|edge| edge.high).collect();
        let tried = if vertices.len() == self.edges.len() {
            0
        } else {
            edges
        };
        self.play_steps() + tried * edges / PASSED_PER_STEP
    }

    fn longest_play(&self) -> u128 {
        // From the top down, nothing falls.
        self.edges.len() as u128
    }

    fn shape(&self) -> Vec<ShapePart> {
        let edges = self.edges.iter().map(|edge| (edge.low, edge.high));
        vec![ShapePart::Edges(edges.collect())]
    }

    fn explain(&self) -> Explanation {
        let graph = Graph::new(&self.edges);
        let met = graph.search().met;
        let mut edges = vec![0; met.len()];
        let mut bridges: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); met.len()];
        for above in &met {
            edges[above.root] += above.back;
            match above.edge {
                Some(bridge) if above.is_on_bridge() => {
                    bridges[met[above.parent].root].insert(bridge, 1 + above.nimber);
                }
                edge => edges[above.root] += u64::from(edge.is_some()),
            }
        }
        let bridge = |(&edge, &worth): (&usize, &u64)| {
            let Edge { low, high } = self.edges[edge];
            (Part::Bridge { low, high }, worth)
        };
        // From the top down, so that a part comes after what stands on it. Without edges it is worth nothing.
        let roots = (0..met.len())
            .rev()
            .filter(|&place| place == 0 || edges[place] > 0 || !bridges[place].is_empty());
        let steps: Vec<ExplanationStep> = roots
            .map(|place| ExplanationStep::Contracted {
                vertex: graph.names[met[place].vertex],
                edges: edges[place],
                bridges: summands(bridges[place].iter().map(bridge)),
                nimber: met[place].nimber,
            })
            .collect();
        verdict(self, steps)
    }
}

/// Returns a path from the ground with a circuit at its end.
fn stalk_and_circuit(stalk: u64, circuit: u64) -> String {
    let path = (0..stalk).map(|vertex| format!("{vertex}-{}", vertex + 1));
    let ring = (0..circuit).map(|index| {
        // The circuit begins and ends where the stalk does.
        let [from, to] = [index, (index + 1) % circuit].map(|place| stalk + place);
        format!("{from}-{to}")
    });
    let edges: Vec<String> = path.chain(ring).collect();
    if edges.is_empty() {
        "-".to_owned()
    } else {
        edges.join(",")
    }
}
