//! Wythoff's Nim beyond small boxes: cold pairs of any size, and nimbers by the recursion.

use fibfob_games::{
    GameId, Nimber, Outcome,
    games::wythoff_nim::{TABLE_MAX, cold_pair, cold_partner, floor_phi},
    mex,
};

fn read(text: &str) -> fibfob_games::Position {
    GameId::WythoffNim.read(text).unwrap()
}

#[test]
fn cold_pairs_are_those_of_the_smallest_numbers_left() {
    const PAIRS: u64 = 200_000;
    let mut used = vec![false; 3 * PAIRS as usize];
    let mut small = 0;
    for k in 0..PAIRS {
        while used[small] {
            small += 1;
        }
        let large = small + k as usize;
        (used[small], used[large]) = (true, true);
        let (small, large) = (small as u64, large as u64);
        assert_eq!(cold_pair(k), Some((small, large)));
        assert_eq!(cold_partner(small), Some(large));
        assert_eq!(cold_partner(large), Some(small));
    }
}

#[test]
fn a_cold_pair_of_eighteen_digits_is_exact() {
    let (small, large) = (1_000_000_000_000_000_001, 1_618_033_988_749_894_850);
    assert_eq!(cold_pair(large - small), Some((small, large)));
    assert_eq!(cold_partner(small), Some(large));
    assert_eq!(cold_partner(large), Some(small));
    // The neighbours belong to other pairs.
    assert_ne!(cold_partner(small - 1), Some(large));
    assert_ne!(cold_partner(large + 1), Some(small));
}

#[test]
fn cold_pairs_end_where_64_bits_do() {
    // The last k with ⌊kφ⌋ + k below 2^64, found by bisection.
    let (mut known, mut unknown) = (0, u64::MAX);
    while known + 1 < unknown {
        let middle = known + (unknown - known) / 2;
        if cold_pair(middle).is_some() {
            known = middle;
        } else {
            unknown = middle;
        }
    }
    assert_eq!(known, 7_046_029_254_386_353_130);
    let (small, large) = cold_pair(known).unwrap();
    assert!(large > u64::MAX - 3 && large - small == known);
    assert_eq!(cold_partner(u64::MAX), None);
    assert_eq!(floor_phi(u64::MAX), None);
}

#[test]
fn wythoff_nim_has_the_nimbers_of_the_recursion() {
    const MOST: usize = 200;
    let mut nimbers = vec![vec![0; MOST + 1]; MOST + 1];
    for a in 0..=MOST {
        for b in 0..=MOST {
            let column = (0..a).map(|x| nimbers[x][b]);
            let row = (0..b).map(|y| nimbers[a][y]);
            let diagonal = (1..=a.min(b)).map(|both| nimbers[a - both][b - both]);
            nimbers[a][b] = mex(column.chain(row).chain(diagonal));
            // Beside the one of the small table, some of the large one.
            let position = read(&format!("{a},{b}"));
            assert_eq!(position.nimber(), Nimber::Known(nimbers[a][b]), "{a},{b}");
        }
    }
}

#[test]
fn the_tables_of_two_sizes_agree() {
    let large = read("257,255");
    let mut reached = 0;
    for value in 0..600 {
        for text in large.moves_to(value).unwrap().iter() {
            let after = large.play(&large.read_move(&text).unwrap()).unwrap();
            assert_eq!(after.nimber(), Nimber::Known(value), "{text}");
            reached += 1;
        }
    }
    assert_eq!(Some(reached), large.solve().legal_moves);
}

#[test]
fn wythoff_nim_past_the_table_still_knows_who_wins() {
    let position = read("1000000000000001,1618033988749896");
    let solution = position.solve();
    assert!(solution.complete);
    assert_eq!(
        solution.legal_moves,
        Some(2 * 1_000_000_000_000_001 + 1_618_033_988_749_896)
    );
    match solution.outcome.unwrap() {
        Outcome::P => assert_eq!(solution.nimber, Nimber::Known(0)),
        Outcome::N => assert!(matches!(solution.nimber, Nimber::Unknown(_))),
    }
    for position in ["9007199254740991,1", "5566755282872655,9007199254740991"].map(read) {
        for text in position.solve().winning.iter() {
            let after = position.play(&position.read_move(&text).unwrap()).unwrap();
            assert_eq!(after.solve().outcome, Some(Outcome::P), "{text}");
        }
    }
    assert!(
        read(&format!("{TABLE_MAX},{}", TABLE_MAX + 2))
            .moves_to(1)
            .is_err()
    );
    assert!(
        read(&format!("{TABLE_MAX},{TABLE_MAX}"))
            .moves_to(1)
            .is_ok()
    );
}

#[test]
fn a_heap_alone_is_a_nim_heap_of_any_size() {
    let position = read("0,9007199254740991");
    assert_eq!(position.nimber(), Nimber::Known(9_007_199_254_740_991));
    let moves = position.moves_to(5).unwrap();
    assert_eq!(
        moves.iter().collect::<Vec<_>>(),
        ["take 0,9007199254740986"]
    );
    assert!(position.moves_to(9_007_199_254_740_991).unwrap().is_empty());
    let moves = read("7,0").moves_to(7);
    assert!(moves.unwrap().is_empty());
}
