//! Explanations of large positions stay readable.

use fibfob_games::Position;

use super::*;

/// The maximum number of lines of any of these explanations.
const LINES_MAX: usize = 80;

fn lines(game: &str, position: &str) -> Vec<String> {
    let position = Position::read(game.parse().unwrap(), position).unwrap();
    write(&position.explain())
}

#[test]
fn many_heaps_are_cut_off() {
    let lines = lines("nim", &vec!["9007199254740991"; 2001].join(","));
    assert!(lines.len() < LINES_MAX, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("⊕…")), "{lines:#?}");
}

#[test]
fn a_long_path_and_a_wide_star_are_cut_off() {
    let edges = |name: fn(u64) -> String| (0..2_000).map(name).collect::<Vec<_>>().join(",");
    for graph in [
        edges(|vertex| format!("{vertex}-{}", vertex + 1)),
        edges(|vertex| format!("0-{}", vertex + 1)),
    ] {
        let lines = lines("green-hackenbush", &graph);
        assert!(lines.len() < LINES_MAX);
        assert!(
            lines.contains(&"… and 1952 more bridges".to_owned()),
            "{lines:#?}"
        );
    }
}

#[test]
fn a_bridge_is_followed_from_any_vertex_of_a_circuit() {
    // The circuit 5, 6, 7 is named after 5; bridges lead from 6 and 7 to vertices of smaller and larger numbers.
    assert_eq!(
        lines("green-hackenbush", "0-5,5-6,6-7,5-7,6-1,1-2,7-9,9-9"),
        [
            "ground: 2",
            "└─ 0-5: 1 + (1⊕2⊕2) = 2; 3 edges in circuits: 3 mod 2 = 1",
            "   ├─ 1-6: 1 + 1 = 2",
            "   │  └─ 1-2: 1",
            "   └─ 7-9: 1 + 1 = 2; 1 edge in a circuit",
        ]
    );
}

#[test]
fn a_winning_move_of_a_component_is_marked_as_its_own() {
    let lines = lines("sum", "nim 1 + wythoff-nim 1,1 + fibonacci-nim coins=4");
    for claim in ["makes it 0", "reaches", "wins"] {
        for line in lines
            .iter()
            .filter(|line| line.contains(claim) && line.starts_with(' '))
        {
            assert!(line.contains("alone, "), "{line}");
        }
    }
}

#[test]
fn misere_nim_does_not_claim_that_zero_loses() {
    let lines = lines("misere-nim", "2,2");
    assert_eq!(
        lines.last().unwrap(),
        "2⊕2 = 0; every move leaves the other player one that wins"
    );
}
