//! Pairs of positions that are equivalent, not equivalent, and not comparable.

use super::*;

fn check(a: &str, b: &str, expected: &str) {
    assert_eq!(Comparison::read(a, b).unwrap().to_string(), expected);
}

#[test]
fn equal_nimbers_are_equivalent() {
    check(
        "nim 3",
        "nim 1,2",
        "A = nim 3: nimber 3\nB = nim 1,2: nimber 3\n\
         equivalent: whatever is added to both, the same player wins\n",
    );
}

#[test]
fn a_heap_of_the_first_nimber_distinguishes_unequal_positions() {
    check(
        "kayles xxx",
        " green-hackenbush  0-1,1-2 ",
        "A = kayles xxx: nimber 3\nB = green-hackenbush 0-1,1-2: nimber 2\n\
         not equivalent: a Nim heap of 3 tells them apart\n\
         \x20 A + nim 3: the player who has just moved wins (P)\n\
         \x20 B + nim 3: the player to move wins (N)\n",
    );
    check(
        "nim 0",
        "nim 1",
        "A = nim 0: nimber 0\nB = nim 1: nimber 1\n\
         not equivalent: they have different winners by themselves\n\
         \x20 A: the player who has just moved wins (P)\n\
         \x20 B: the player to move wins (N)\n",
    );
}

#[test]
fn outcomes_equal_those_of_the_sums() {
    let texts = [
        "nim 5",
        "kayles xxxx.x",
        "fib-fob g6@3 time=15",
        "wythoff-nim 3,6",
    ];
    for a in texts {
        for b in texts {
            let comparison = Comparison::read(a, b).unwrap();
            let Some(heap) = comparison.heap else {
                assert_eq!((a, comparison.equivalent), (b, Some(true)));
                continue;
            };
            for (text, side) in [(a, comparison.a), (b, comparison.b)] {
                let sum = format!("{text} + nim {heap}");
                let sum = Position::read(GameId::Sum, &sum).unwrap();
                assert_eq!(sum.outcome(), side.with_heap, "{sum}");
            }
        }
    }
}

#[test]
fn an_unknown_nimber_leaves_the_comparison_open() {
    let far = "wythoff-nim 3000000,6000000";
    let comparison = Comparison::read(far, "nim 7").unwrap();
    assert!(comparison.unknown.unwrap().contains("bound"));
    assert_eq!(comparison.equivalent, None);
    // A won position differs from a lost one, whatever its nimber.
    let apart = Comparison::read(far, "nim 3,3").unwrap();
    let outcomes = [apart.a, apart.b].map(|side| side.with_heap);
    assert_eq!(apart.heap, Some(0));
    assert_eq!(outcomes, [Some(Outcome::N), Some(Outcome::P)]);
    let same = Comparison::read(far, far).unwrap();
    assert_eq!(same.equivalent, Some(true));
}

#[test]
fn misere_games_and_invalid_input_are_refused_with_the_reason() {
    let fault = |a: &str| Comparison::read(a, "nim 1").err().unwrap().to_string();
    assert!(fault("misere-nim 1,1").contains("have no nimber"));
    assert!(fault("nim").contains("expected a game and a position"));
    assert!(fault("chess e4").contains("there is no such game"));
    assert!(fault("nim x").contains("expected"));
}

#[test]
fn the_json_form_has_the_same_facts() {
    let json = |a: &str, b: &str| serde_json::to_string(&Comparison::read(a, b).unwrap()).unwrap();
    assert_eq!(
        json("nim 3", "nim 1,1"),
        r#"{"a":{"game":"nim","position":"3","nimber":3,"with_heap":"P"},"b":{"game":"nim","position":"1,1","nimber":0,"with_heap":"N"},"equivalent":false,"heap":3}"#
    );
    assert_eq!(
        json("nim 3", "nim 1,2"),
        r#"{"a":{"game":"nim","position":"3","nimber":3},"b":{"game":"nim","position":"1,2","nimber":3},"equivalent":true}"#
    );
}
