//! Green Hackenbush: its rules written a second time and searched exhaustively on small graphs, and large graphs whose
//! answers are held against each other.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use fibfob_games::{AMOUNT_MAX, GameId, Nimber, NotationErrorKind, Position, StartError};
use rand::RngExt;

use crate::{oracle::Rules, rules::check_all, seeded};

pub type Edge = (u64, u64);

/// The edges, the smaller end first, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph(Vec<Edge>);

fn write((a, b): Edge) -> String {
    format!("{a}-{b}")
}

impl Graph {
    pub fn new(edges: impl IntoIterator<Item = Edge>) -> Self {
        let mut edges: Vec<Edge> = edges
            .into_iter()
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        edges.sort_unstable();
        Self(edges)
    }

    /// What does not fall: vertices are joined to the ground one after the other, as long as there are any.
    fn standing(self) -> Self {
        let mut joined = BTreeSet::from([0]);
        loop {
            let touched = |(a, b): &&Edge| joined.contains(a) != joined.contains(b);
            match self.0.iter().find(touched) {
                Some(&(a, b)) => joined.extend([a, b]),
                None => {
                    return Self(
                        self.0
                            .into_iter()
                            .filter(|(a, _)| joined.contains(a))
                            .collect(),
                    );
                }
            }
        }
    }

    fn stands(&self) -> bool {
        self.clone().standing() == *self
    }

    /// First some edges that each add a vertex, mostly to the last one of a few, then edges between any vertices.
    fn random(tree: u64, more: u64, reach: u64, rng: &mut impl rand::Rng) -> Self {
        let grown: Vec<Edge> = (1..=tree)
            .map(|vertex| {
                (
                    rng.random_range(vertex.saturating_sub(reach)..vertex),
                    vertex,
                )
            })
            .collect();
        let added = (0..more).map(|_| (rng.random_range(0..=tree), rng.random_range(0..=tree)));
        Self::new(grown.into_iter().chain(added))
    }

    fn position(&self) -> Position {
        GameId::GreenHackenbush.read(&self.write()).unwrap()
    }
}

impl Rules for Graph {
    const GAME: GameId = GameId::GreenHackenbush;

    fn write(&self) -> String {
        if self.0.is_empty() {
            return "-".into();
        }
        let edges: Vec<String> = self.0.iter().copied().map(write).collect();
        edges.join(",")
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let cut = |index: usize| {
            let mut left = self.0.clone();
            let edge = left.remove(index);
            (format!("cut {}", write(edge)), Self(left).standing())
        };
        (0..self.0.len()).map(cut).collect()
    }

    fn candidates(&self) -> Vec<String> {
        (0..6)
            .flat_map(|a| (a..6).map(move |b| format!("cut {}", write((a, b)))))
            .collect()
    }
}

/// All graphs of so many edges between these vertices, the ground being 0, that stand.
fn multigraphs(vertices: u64, edges: usize) -> Vec<Graph> {
    let possible: Vec<Edge> = (0..vertices)
        .flat_map(|a| (a..vertices).map(move |b| (a, b)))
        .collect();
    let mut graphs = vec![vec![]];
    for _ in 0..edges {
        let longer = |graph: Vec<Edge>| {
            let last = graph.last().copied().unwrap_or_default();
            let next = possible
                .clone()
                .into_iter()
                .filter(move |edge| *edge >= last);
            next.map(move |edge| [graph.clone(), vec![edge]].concat())
        };
        graphs = graphs.into_iter().flat_map(longer).collect();
    }
    graphs
        .into_iter()
        .map(Graph)
        .filter(Graph::stands)
        .collect()
}

#[test]
fn all_small_multigraphs_are_solved() {
    for (vertices, edges) in [(1, 5), (2, 6), (3, 5), (4, 4), (4, 5), (5, 4)] {
        for edges in 0..=edges {
            check_all(multigraphs(vertices, edges));
        }
    }
}

#[test]
fn thousands_of_random_graphs_are_solved() {
    let mut rng = seeded(51);
    for _ in 0..3000 {
        let (tree, more) = (rng.random_range(1..6), rng.random_range(0..5));
        let reach = rng.random_range(1..=tree);
        check_all([Graph::random(tree, more, reach, &mut rng)]);
    }
}

#[test]
fn graphs_with_long_circuits_are_solved() {
    let mut rng = seeded(52);
    for _ in 0..60 {
        let tree = rng.random_range(6..10);
        let more = rng.random_range(1..4);
        check_all([
            Graph::random(tree, more, 1, &mut rng),
            Graph::random(tree, more, 2, &mut rng),
        ]);
    }
}

/// Compares the cuts to every value with the nimbers after all cuts, one by one.
fn check_cuts(graph: &Graph) {
    let position = graph.position();
    let mut by_value: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for cut in position.legal_moves().iter() {
        let after = position.play(&position.read_move(&cut).unwrap()).unwrap();
        by_value
            .entry(after.nimber().known().unwrap())
            .or_default()
            .insert(cut);
    }
    assert!(!by_value.contains_key(&position.nimber().known().unwrap()));
    for value in (0..8)
        .chain(by_value.keys().copied())
        .collect::<BTreeSet<u64>>()
    {
        let cuts: BTreeSet<String> = position.moves_to(value).unwrap().iter().collect();
        assert_eq!(
            cuts,
            by_value.get(&value).cloned().unwrap_or_default(),
            "{position} to {value}"
        );
    }
}

#[test]
fn the_cuts_to_a_value_in_larger_graphs_lead_there() {
    let mut rng = seeded(53);
    for (tree, more, reach, times) in [
        (30, 3, 1, 60),
        (30, 6, 3, 60),
        (30, 12, 30, 60),
        (60, 4, 2, 40),
        (300, 5, 1, 4),
        (300, 40, 5, 4),
        (10, 300, 10, 4),
    ] {
        (0..times).for_each(|_| check_cuts(&Graph::random(tree, more, reach, &mut rng)));
    }
    // A circuit of circuits, with flowers on it.
    let ring = (0..40).map(|vertex| (vertex, (vertex + 1) % 40));
    let flowers = (0..40)
        .step_by(3)
        .flat_map(|vertex| [(vertex, 100 + vertex), (100 + vertex, 100 + vertex)]);
    let petals = (0..40)
        .step_by(5)
        .flat_map(|vertex| [(vertex, 200 + vertex), (vertex, 200 + vertex)]);
    check_cuts(&Graph::new(ring.chain(flowers).chain(petals)));
}

/// Solves a large graph and makes a move in it.
fn solve_large(edges: impl Iterator<Item = Edge>) -> (u64, Vec<String>) {
    let text = Graph::new(edges).write();
    let start = Instant::now();
    let position = GameId::GreenHackenbush.read(&text).unwrap();
    assert_eq!(position.to_string(), text);
    let solution = position.solve();
    let nimber = solution.nimber.known().unwrap();
    let winning: Vec<String> = solution.winning.iter().collect();
    for cut in winning.iter().take(3) {
        let after = position.play(&position.read_move(cut).unwrap()).unwrap();
        assert_eq!(after.nimber(), Nimber::Known(0));
    }
    assert!(!position.explain().steps.is_empty());
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    (nimber, winning)
}

#[test]
fn the_largest_graphs_are_solved() {
    const EDGES: u64 = 2048;
    let mut rng = seeded(54);
    let path = solve_large((0..EDGES).map(|vertex| (vertex, vertex + 1)));
    assert_eq!(path, (EDGES, vec!["cut 0-1".to_owned()]));

    // A circuit of an even number of edges is worth nothing; hung from a stalk, only the stalk wins.
    let ring = |from: u64, edges: u64| {
        (0..edges).map(move |vertex| (from + vertex, from + (vertex + 1) % edges))
    };
    assert_eq!(solve_large(ring(0, EDGES)), (0, vec![]));
    assert_eq!(
        solve_large(ring(1, EDGES - 2).chain([(0, 1)])),
        (1, vec!["cut 0-1".to_owned()])
    );
    // Cutting an odd circuit leaves two equal paths only at the edge in the middle.
    let middle = (EDGES - 1) / 2;
    let odd = (1, vec![format!("cut {}-{}", middle, middle + 1)]);
    assert_eq!(solve_large(ring(0, EDGES - 1)), odd);

    let star = solve_large((1..=EDGES).map(|vertex| (0, vertex)));
    assert_eq!(star, (0, vec![]));
    solve_large(
        Graph::random(EDGES / 2, EDGES / 2, 9, &mut rng)
            .0
            .into_iter(),
    );
    solve_large(Graph::random(EDGES - 100, 100, 2, &mut rng).0.into_iter());
    // Two long paths with rungs: every rung closes a circuit.
    let ladder = (0..EDGES / 3).flat_map(|rung| {
        [
            (2 * rung, 2 * rung + 1),
            (2 * rung, 2 * rung + 2),
            (2 * rung + 1, 2 * rung + 3),
        ]
    });
    solve_large(ladder);
    // Parallel edges share their name.
    let fan = GameId::GreenHackenbush
        .read(&vec!["0-1"; EDGES as usize].join(","))
        .unwrap();
    assert_eq!(fan.legal_moves().iter().collect::<Vec<_>>(), ["cut 0-1"]);
    assert_eq!(fan.longest_play(), EDGES.into());
}

#[test]
fn graphs_are_read_tolerantly_and_written_in_order() {
    let written = |text: &str| GameId::GreenHackenbush.read(text).unwrap().to_string();
    assert_eq!(written(" 2-1, 0 - 1,1-0 ,01-1"), "0-1,0-1,1-1,1-2");
    assert_eq!(written(" - "), "-");
    assert_eq!(
        written(&format!("{AMOUNT_MAX}-0")),
        format!("0-{AMOUNT_MAX}")
    );
    let flower = GameId::GreenHackenbush.read("0-1,1-2").unwrap();
    assert_eq!(
        flower.read_move("cut  2 - 1").unwrap().to_string(),
        "cut 1-2"
    );
    let refused = flower
        .play(&flower.read_move("cut 0-2").unwrap())
        .unwrap_err()
        .to_string();
    assert_eq!(
        refused,
        "\"cut 0-2\" is not legal here: there is no edge 0-2; legal: cut 0-1; cut 1-2"
    );
}

#[test]
fn an_invalid_graph_is_refused_with_the_reason() {
    let kind = |text: &str| GameId::GreenHackenbush.read(text).unwrap_err().kind();
    assert_eq!(kind("0-1,2-3"), NotationErrorKind::NotGrounded);
    assert_eq!(kind("1-1"), NotationErrorKind::NotGrounded);
    assert_eq!(kind("0"), NotationErrorKind::Unexpected);
    assert_eq!(kind("0-1,-"), NotationErrorKind::NotAnAmount);
    assert_eq!(kind("0-1-2"), NotationErrorKind::NotAnAmount);
    assert_eq!(kind("0-1,"), NotationErrorKind::Unexpected);
    assert_eq!(
        kind(&format!("0-{}", AMOUNT_MAX + 1)),
        NotationErrorKind::AmountTooLarge
    );
    assert_eq!(
        kind(&vec!["0-1"; 2_049].join(",")),
        NotationErrorKind::TooMany
    );
    let error = GameId::GreenHackenbush
        .read("0-1,2-3,5-6")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"2-3\"") && error.contains("joined to the ground"),
        "{error}"
    );
}

#[test]
fn large_graphs_are_no_starts() {
    let refused = |text: &str| GameId::GreenHackenbush.read(text).unwrap().check_start();
    assert_eq!(refused("-"), Err(StartError::Finished));
    assert_eq!(refused("0-99"), Ok(()));
    assert!(matches!(
        refused("0-100"),
        Err(StartError::OutOfBounds {
            what: "vertices",
            value: 100,
            ..
        })
    ));
    let fan = vec!["0-1"; 121].join(",");
    assert!(matches!(
        refused(&fan),
        Err(StartError::OutOfBounds {
            what: "edges",
            value: 121,
            ..
        })
    ));
}
