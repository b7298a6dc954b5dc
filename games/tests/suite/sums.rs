//! Sums, searched as one game from the bare rules of their components, with moves that raise a component and with
//! components of unknown nimber.

use std::collections::BTreeMap;

use fibfob_games::{GameId, Nimber, Outcome};
use rand::RngExt;

use crate::{
    hackenbush::Graph,
    heaps::WythoffNim,
    oracle::{Oracle, Rules},
    rows::Kayles,
    rules::{FibFob, Nim, NimMuskateers, PokerNim, boxed, check_all},
    ryuo::{Ryuo, Ryuo3d, RyuoPass},
    seeded,
};

/// Makes one type of the rules of many games.
macro_rules! components {
    ($($name:ident),+) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        enum Component { $($name($name)),+ }

        $(impl From<$name> for Component {
            fn from(rules: $name) -> Self {
                Component::$name(rules)
            }
        })+

        impl Component {
            fn write(&self) -> String {
                match self { $(Component::$name(rules) => format!("{} {}", $name::GAME, rules.write())),+ }
            }

            fn options(&self) -> Vec<(String, Component)> {
                match self {
                    $(Component::$name(rules) => {
                        rules.options().into_iter().map(|(text, after)| (text, after.into())).collect()
                    }),+
                }
            }

            fn candidates(&self) -> Vec<String> {
                match self { $(Component::$name(rules) => rules.candidates()),+ }
            }
        }
    };
}

components!(
    Nim,
    PokerNim,
    FibFob,
    NimMuskateers,
    Kayles,
    WythoffNim,
    Graph,
    Ryuo,
    Ryuo3d,
    RyuoPass
);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sum(Vec<Component>);

impl Rules for Sum {
    const GAME: GameId = GameId::Sum;

    fn write(&self) -> String {
        let components: Vec<String> = self.0.iter().map(Component::write).collect();
        components.join(" + ")
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let moves = |(index, component): (usize, &Component)| {
            let after = |(text, after): (String, Component)| {
                let mut sum = self.clone();
                sum.0[index] = after;
                (format!("{}: {text}", index + 1), sum)
            };
            component
                .options()
                .into_iter()
                .map(after)
                .collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(moves).collect()
    }

    fn candidates(&self) -> Vec<String> {
        let tried = |(number, component): (usize, &Component)| {
            let texts = component.candidates().into_iter();
            texts
                .map(move |text| format!("{number}: {text}"))
                .collect::<Vec<_>>()
        };
        let tried = (1..).zip(&self.0).flat_map(tried);
        let nowhere = [0, self.0.len() + 1].map(|number| format!("{number}: take 1 from 1"));
        tried.chain(nowhere).collect()
    }
}

fn clock(time: u64, nuggets: u64) -> Component {
    PokerNim([0, 0, 0, time, nuggets, 0, 0]).into()
}

fn nim(heaps: &[u64]) -> Component {
    Nim(heaps.to_vec()).into()
}

fn kayles(row: &str) -> Component {
    Kayles(row.to_owned()).into()
}

fn graph(edges: &[(u64, u64)]) -> Component {
    Graph::new(edges.iter().copied()).into()
}

fn ryuo(heaps: &[u64], p: u64, q: Option<u64>) -> Component {
    let heaps = heaps.to_vec();
    Ryuo { heaps, p, q }.into()
}

#[test]
fn sums_with_reversible_raises_are_solved_whole() {
    check_all(
        boxed([4, 3, 5])
            .map_all(|[time, nuggets, heap]| Sum(vec![clock(time, nuggets), nim(&[heap])])),
    );
    check_all(boxed([3, 2, 2, 3]).map_all(|[a, b, c, d]| Sum(vec![clock(a, b), clock(c, d)])));
    check_all(boxed([1, 1, 2, 2, 2, 2, 1, 2]).map_all(
        |[file, board, time, nuggets, fib, fob, a, b]| {
            let ship = FibFob([file, 0, board, time, nuggets, fib, fob]);
            Sum(vec![ship.into(), clock(a, b)])
        },
    ));
}

/// Makes something of every list of numbers.
trait MapAll<const N: usize> {
    fn map_all(self, make: impl Fn([u64; N]) -> Sum) -> Vec<Sum>;
}

impl<const N: usize> MapAll<N> for Vec<[u64; N]> {
    fn map_all(self, make: impl Fn([u64; N]) -> Sum) -> Vec<Sum> {
        self.into_iter().map(make).collect()
    }
}

/// A small position of a random game.
fn small(rng: &mut impl rand::Rng) -> Component {
    let mut upto = |most: u64| rng.random_range(0..=most);
    match upto(9) {
        0 => nim(&[upto(4), upto(3)]),
        1 | 2 => clock(upto(3), upto(3)),
        3 => FibFob([upto(1), 0, upto(1), upto(2), upto(1), upto(2), 0]).into(),
        4 => NimMuskateers([0, 0, 0, 0, 0, upto(4), upto(3)]).into(),
        5 => kayles(["xxxx", "x.xx", ".xxx.", "xx..x", "xxxxx"][upto(4) as usize]),
        6 => WythoffNim([upto(3), upto(3)]).into(),
        7 => graph(
            [
                &[(0, 1), (1, 1), (1, 2)][..],
                &[(0, 1), (1, 2), (0, 2), (2, 3)],
                &[(0, 1), (0, 1), (1, 2), (2, 3)],
                &[(0, 0), (0, 1)],
                &[],
            ][upto(4) as usize],
        ),
        8 => ryuo(
            &[upto(3), upto(4)],
            upto(4) + 1,
            [None, Some(2), Some(3)][upto(2) as usize],
        ),
        _ => RyuoPass {
            heaps: vec![upto(3), upto(3)],
            p: upto(3) + 1,
            pass: upto(1) == 1,
        }
        .into(),
    }
}

#[test]
fn random_sums_of_two_or_three_games_are_solved_whole() {
    let mut rng = seeded(61);
    for _ in 0..60 {
        check_all([Sum((0..2).map(|_| small(&mut rng)).collect())]);
    }
    for _ in 0..20 {
        check_all([Sum((0..3).map(|_| small(&mut rng)).collect())]);
    }
}

#[test]
fn moves_in_several_components_win_raising_ones_among_them() {
    let sum = GameId::Sum
        .read("poker-nim time=1 nuggets=3 + nim 2 + kayles xxx")
        .unwrap();
    assert_eq!(sum.nimber(), Nimber::Known(0));
    let sum = GameId::Sum
        .read("poker-nim time=1 nuggets=3 + nim 2 + kayles xx.x.xx")
        .unwrap();
    assert_eq!(sum.nimber(), Nimber::Known(1 ^ 2 ^ 1));
    let winning: Vec<String> = sum.solve().winning.iter().collect();
    // The clock to 3, by a raise; the heap to 0; the pins to 1 ⊕ 2 = 3.
    assert_eq!(
        winning,
        [
            "1: time +2",
            "2: take 2 from 1",
            "3: knock 1,2",
            "3: knock 6,7"
        ]
    );
}

#[test]
fn what_is_said_of_unknown_nimbers_is_true() {
    let unknown: [Component; 4] = [
        Ryuo3d(vec![64, 1, 1]).into(),
        Ryuo3d(vec![1, 65, 2]).into(),
        RyuoPass {
            heaps: vec![64, 2],
            p: 3,
            pass: true,
        }
        .into(),
        ryuo(&[64, 2], 4, Some(6)),
    ];
    let others: [&[Component]; 8] = [
        &[],
        &[nim(&[0])],
        &[nim(&[1, 1])],
        &[nim(&[2])],
        &[clock(0, 2)],
        &[clock(1, 1), nim(&[1])],
        &[clock(1, 1)],
        &[kayles("x.x")],
    ];
    for component in &unknown {
        let mut met = 0;
        let mut oracle = Oracle::new();
        for others in others {
            let mut components = others.to_vec();
            components.insert(others.len() / 2, component.clone());
            met += u32::from(oracle.check_honest(&Sum(components)));
        }
        assert!(met >= 4, "{component:?} is known in most sums");
    }
}

#[test]
fn an_unknown_nimber_decides_only_beside_nothing() {
    let solve = |text: &str| GameId::Sum.read(text).unwrap().solve();
    let large = "ryuo-nim-3d 100,200,300";
    let alone = GameId::RyuoNim3d.read("100,200,300").unwrap().solve();
    assert!(alone.complete && matches!(alone.nimber, Nimber::Unknown(_)));
    assert_eq!(alone.outcome, Some(Outcome::N));

    let beside_nothing = solve(&format!("{large} + nim 0,0"));
    assert_eq!(beside_nothing.outcome, Some(Outcome::N));
    assert!(beside_nothing.complete && matches!(beside_nothing.nimber, Nimber::Unknown(_)));
    assert_eq!(
        beside_nothing.winning,
        alone.winning.clone().prefixed("1: ")
    );

    // The other component has nimber 0 but can be moved to any other, perhaps to that of the unknown one.
    let beside_zero = solve(&format!("{large} + nim 3,3"));
    assert_eq!(beside_zero.outcome, Some(Outcome::N));
    assert!(!beside_zero.complete && beside_zero.winning == alone.winning.prefixed("1: "));

    let beside_more = solve(&format!("{large} + nim 3"));
    assert_eq!(beside_more.outcome, None);
    assert!(!beside_more.complete && beside_more.winning.is_empty());
    let twice = solve(&format!("{large} + {large}"));
    assert_eq!(twice.outcome, None);

    // A lost component has nimber 0, even if its moves to other nimbers are not known.
    let lost = solve("ryuo-nim-3d 102,204,306 + nim 3");
    assert_eq!(lost.nimber, Nimber::Known(3));
    assert!(!lost.complete);
    assert_eq!(
        lost.winning.iter().collect::<Vec<_>>(),
        ["2: take 3 from 1"]
    );
}
