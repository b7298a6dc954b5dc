//! Move sets: what is counted, listed, contained and drawn is one and the same set.

use std::collections::BTreeSet;

use fibfob_games::{MoveFamily, MoveSet, Progression, SumConstraint, mex};
use rand::RngExt;

use crate::seeded;

fn run(from: u64, to: u64, step: u64) -> Progression {
    Progression { from, to, step }
}

/// The family of a text in the notation of families.
fn family(text: &str) -> MoveFamily {
    serde_json::from_value(text.into()).unwrap()
}

/// Holds the answers of a set against its moves, and what is drawn from it too.
fn check(set: &MoveSet, expected: &BTreeSet<String>, rng: &mut impl rand::Rng) {
    let listed: Vec<String> = set.iter().collect();
    assert_eq!(
        listed.iter().cloned().collect::<BTreeSet<_>>(),
        *expected,
        "{set}"
    );
    assert_eq!(listed.len(), expected.len(), "{set} lists a move twice");
    assert_eq!(set.count(), Some(expected.len() as u128), "{set}");
    assert_eq!(set.is_empty(), expected.is_empty(), "{set}");
    assert!(listed.iter().all(|text| set.contains(text)), "{set}");
    if !expected.is_empty() {
        let drawn: BTreeSet<String> = (0..expected.len() * 40)
            .map(|_| set.pick(rng).unwrap())
            .collect();
        assert!(drawn.is_subset(expected), "{set}");
        let families = set.families();
        if families.iter().all(|family| family.total().is_none()) {
            assert_eq!(drawn, *expected, "{set}");
        }
        assert!(
            families
                .iter()
                .flat_map(MoveFamily::ends)
                .all(|end| expected.contains(&end)),
            "{set}"
        );
    }
}

#[test]
fn single_moves_and_ranges_are_sets() {
    let mut rng = seeded(31);
    let mut set = MoveSet::one("eject fib");
    set.push("spend fib");
    set.push_range("time -{a}", 1, 3);
    set.push_range("time +{a}", 5, 5);
    set.push_range("ship {a}", 2, 1);
    let expected = [
        "eject fib",
        "spend fib",
        "time -1",
        "time -2",
        "time -3",
        "time +5",
    ]
    .map(String::from)
    .into();
    check(&set, &expected, &mut rng);
    assert_eq!(
        set.to_string(),
        "eject fib; spend fib; time -{1..3}; time +5"
    );
    assert_eq!(set.families().len(), 4);
    for foreign in [
        "time -0",
        "time -4",
        "time -01",
        "time -1 ",
        "time -",
        "time +4",
        "time -{a}",
        "",
        "eject",
    ] {
        assert!(!set.contains(foreign), "{foreign}");
    }
    check(&MoveSet::new(), &BTreeSet::new(), &mut rng);
    assert_eq!(MoveSet::new().pick(&mut rng), None);
}

#[test]
fn a_hole_may_stand_for_a_letter() {
    let mut rng = seeded(39);
    let mut set = MoveSet::new();
    set.push_letters("ship {a}6@3", 1, 6);
    set.push_letters("ship {a}7@3", 26, 26);
    set.push_letters("ship {a}8@3", 1, 0);
    let expected =
        ["a6", "b6", "c6", "d6", "e6", "f6", "z7"].map(|square| format!("ship {square}@3"));
    check(&set, &expected.into(), &mut rng);
    assert_eq!(set.to_string(), "ship {a..f}6@3; ship z7@3");
    for foreign in [
        "ship g6@3",
        "ship 66@3",
        "ship `6@3",
        "ship aa6@3",
        "ship A6@3",
        "ship 6@3",
        "ship {a}6@3",
    ] {
        assert!(!set.contains(foreign), "{foreign}");
    }
}

#[test]
fn a_prefix_goes_before_every_move() {
    let mut set = MoveSet::one("pass");
    set.push_range("take {a}", 1, 2);
    let set = set.prefixed("2: ");
    assert_eq!(
        set.iter().collect::<Vec<_>>(),
        ["2: pass", "2: take 1", "2: take 2"]
    );
    assert!(set.contains("2: take 2") && !set.contains("take 2"));
}

#[test]
fn holes_may_follow_from_each_other() {
    let mut rng = seeded(32);
    let set = [1, 2, 3, 7, 9, 11]
        .map(|pin| format!("knock {pin},{}", pin + 1))
        .into();
    let mut moves = MoveSet::new();
    moves.push_runs("knock {a},{a+1}", vec![run(7, 11, 2), run(1, 3, 1)]);
    check(&moves, &set, &mut rng);
    assert_eq!(moves.to_string(), "knock {a:1..3,7..11/2},{a+1}");
    assert!(!moves.contains("knock 1,3") && !moves.contains("knock 8,9"));
}

#[test]
fn several_slots_make_all_combinations() {
    let mut rng = seeded(33);
    let mut moves = MoveSet::new();
    moves.push_family(family("take {0..4/2},{1,5..6},{9}"));
    let expected = [0, 2, 4]
        .into_iter()
        .flat_map(|a| [1, 5, 6].map(|b| format!("take {a},{b},9")))
        .collect();
    check(&moves, &expected, &mut rng);
}

#[test]
fn totals_bound_sum_and_places_above_zero() {
    let mut rng = seeded(34);
    let mut met = 0;
    for _ in 0..3000 {
        let bounds: Vec<(u64, u64)> = (0..rng.random_range(1..=4))
            .map(|_| {
                let from = rng.random_range(0..3);
                (from, from + rng.random_range(0..4))
            })
            .collect();
        let total = SumConstraint {
            least: rng.random_range(0..8),
            most: rng.random_range(0..14),
            nonzero: rng.random_range(0..=bounds.len() as u8 + 1),
        };
        let mut tuples = vec![vec![]];
        for &(from, to) in &bounds {
            let longer =
                |tuple: Vec<u64>| (from..=to).map(move |next| [tuple.clone(), vec![next]].concat());
            tuples = tuples.into_iter().flat_map(longer).collect();
        }
        tuples.retain(|tuple| {
            let sum = tuple.iter().sum();
            let above = tuple.iter().filter(|&&value| value > 0).count();
            total.least <= sum && sum <= total.most && above >= usize::from(total.nonzero)
        });
        let write = |tuple: &Vec<u64>| {
            let numbers: Vec<String> = tuple.iter().map(u64::to_string).collect();
            format!("take {}", numbers.join(","))
        };
        let mut moves = MoveSet::new();
        let family = MoveFamily::summing("take ", &bounds, total);
        assert_eq!(family.is_none(), tuples.is_empty(), "{bounds:?} {total:?}");
        family
            .into_iter()
            .for_each(|family| moves.push_family(family));
        check(&moves, &tuples.iter().map(write).collect(), &mut rng);
        met += tuples.len();
    }
    assert!(met > 10_000, "only {met} tuples");
}

#[test]
fn huge_families_are_counted_and_drawn_from_without_listing() {
    const HUGE: u64 = (1 << 53) - 1;
    let mut rng = seeded(35);
    let mut moves = MoveSet::new();
    moves.push_range("take {a}", 1, HUGE);
    assert_eq!(moves.count(), Some(HUGE.into()));
    assert_eq!(moves.iter().nth(9).unwrap(), "take 10");
    assert!(moves.contains(&moves.pick(&mut rng).unwrap()));

    // Pairs of positive numbers with a sum up to HUGE: one for each pair of 1..=HUGE in descending order.
    let total = SumConstraint {
        least: 1,
        most: HUGE,
        nonzero: 2,
    };
    let family = MoveFamily::summing("take ", &[(0, HUGE), (0, HUGE)], total).unwrap();
    assert_eq!(
        family.count(),
        Some(u128::from(HUGE) * u128::from(HUGE - 1) / 2)
    );
    assert!(family.contains(&family.pick(&mut rng)));

    // Eight heaps of one coin and a bound that does not matter: all but the single coins and nothing.
    let total = SumConstraint {
        least: 0,
        most: u64::MAX,
        nonzero: 2,
    };
    assert_eq!(
        MoveFamily::summing("take ", &[(0, 1); 8], total)
            .unwrap()
            .count(),
        Some(256 - 9)
    );
    assert_eq!(
        MoveFamily::summing("take ", &[(0, HUGE); 8], total)
            .unwrap()
            .count(),
        None
    );
}

#[test]
fn a_total_may_leave_few_of_many_tuples() {
    const HUGE: u64 = (1 << 53) - 1;
    let count = |slots: &[(u64, u64)], least, most| {
        let total = SumConstraint {
            least,
            most,
            nonzero: 0,
        };
        MoveFamily::summing("", slots, total).map(|family| family.count())
    };
    assert_eq!(count(&[(0, HUGE); 8], 0, 1), Some(Some(9)));
    assert_eq!(count(&[(0, HUGE); 8], 3, 3), Some(Some(120)));
    assert_eq!(count(&[(0, u64::MAX); 8], u64::MAX, u64::MAX), Some(None));
    // The largest numbers alone: too large a box to be counted, though there is one tuple.
    assert_eq!(count(&[(0, HUGE); 2], 2 * HUGE, u64::MAX), Some(Some(1)));
    assert_eq!(count(&[(0, HUGE); 3], 3 * HUGE, u64::MAX), Some(None));
    // Three numbers with a fixed sum: one for each pair with at most that sum.
    let pairs = u128::from(HUGE + 1) * u128::from(HUGE + 2) / 2;
    assert_eq!(count(&[(0, HUGE); 3], HUGE, HUGE), Some(Some(pairs)));
    // The last power that fits, and the first that does not.
    let side = (1 << 32) - 1;
    assert_eq!(count(&[(0, side); 4], 0, u64::MAX), Some(None));
    assert_eq!(count(&[(0, side); 6], 0, u64::MAX), Some(None));
    assert_eq!(
        count(&[(0, u64::MAX)], 0, u64::MAX),
        Some(Some(1u128 << 64))
    );
    assert_eq!(
        count(&[(0, side), (0, side), (0, side), (1, side)], 0, u64::MAX),
        Some(Some(u128::MAX - (1 << 96) + 1))
    );
}

#[test]
fn no_family_is_out_of_reach_beside_an_uncountable_one() {
    let mut rng = seeded(36);
    let mut moves = MoveSet::new();
    for (verb, most) in [("x", u64::MAX), ("y", u64::MAX - 1)] {
        let hole = format!("{{0..{most}}}");
        moves.push_family(family(&format!("{verb} {hole},{hole},{hole}")));
    }
    assert_eq!(moves.count(), None);
    let drawn: Vec<String> = (0..100).map(|_| moves.pick(&mut rng).unwrap()).collect();
    assert!(
        drawn.iter().any(|text| text.starts_with('x'))
            && drawn.iter().any(|text| text.starts_with('y'))
    );
    moves.push("z");
    assert!(
        (0..100).all(|_| moves.pick(&mut rng).unwrap() != "z"),
        "one of more than 2^128 is drawn as often as half"
    );
}

#[test]
fn numbers_are_drawn_uniformly() {
    const TRIES: u32 = 30_000;
    let mut rng = seeded(37);
    let mut moves = MoveSet::one("pass");
    moves.push_family(family("take {1..3,10..14/2}"));
    moves.push_family(family("both {1..2},{1..4}"));
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..TRIES {
        *counts.entry(moves.pick(&mut rng).unwrap()).or_insert(0u32) += 1;
    }
    assert_eq!(counts.len(), 15);
    for (text, count) in counts {
        // 2000 expected; five standard deviations are 216.
        assert!(count.abs_diff(TRIES / 15) < 216, "{text}: {count}");
    }
}

#[test]
fn the_mex_is_the_least_number_missing() {
    assert_eq!(mex([]), 0);
    assert_eq!(mex([1, 2]), 0);
    assert_eq!(mex([2, 0, 1, 1, 5]), 3);
    assert_eq!(mex([u64::MAX, 0]), 1);
}

#[test]
fn numbers_are_covered_by_few_runs_and_exactly() {
    let mut rng = seeded(38);
    for _ in 0..2000 {
        let period = rng.random_range(1..13);
        let numbers: BTreeSet<u64> = (0..rng.random_range(0..40))
            .map(|_| rng.random_range(1..60))
            .collect();
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let mut moves = MoveSet::new();
        moves.push_runs("take {a}", Progression::cover(&numbers, period));
        let expected = numbers.iter().map(|number| format!("take {number}"));
        check(&moves, &expected.collect(), &mut rng);
    }
    assert_eq!(
        Progression::cover(&[1, 2, 3, 5, 8], 1),
        [run(1, 3, 1), run(5, 5, 1), run(8, 8, 1)]
    );
    assert_eq!(
        Progression::cover(&[1, 3, 5, 7, 10], 1),
        [run(1, 7, 2), run(10, 10, 1)]
    );
    let classes: Vec<u64> = (1..100).filter(|n| [2, 3, 7].contains(&(n % 12))).collect();
    assert_eq!(Progression::cover(&classes, 12).len(), 3);
}

#[test]
fn a_set_is_listed_up_to_a_bound_and_marked_beyond() {
    let mut set = MoveSet::one("eject fib");
    set.push_range("time -{a}", 1, 3);
    let listed = serde_json::to_string(&set.listed(4)).unwrap();
    assert_eq!(listed, r#"["eject fib","time -1","time -2","time -3"]"#);
    let marked = serde_json::to_string(&set.listed(3)).unwrap();
    assert_eq!(marked, r#"["eject fib",{"pattern":"time -{1..3}"}]"#);
    let read: MoveSet = serde_json::from_str(&marked).unwrap();
    assert_eq!(read, set.listed(3));
    assert!(read.iter().eq(set.iter()));
}
