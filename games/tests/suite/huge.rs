//! Counters near the largest amount: answered at once, without listing, and without overflow.

use fibfob_games::{
    AMOUNT_MAX, GameId, LIST_MAX, Nimber, Position, ROW_MAX, choose_move,
    games::take_fibonacci::TABLE_MAX, mex,
};

use crate::seeded;

#[test]
fn fib_fob_with_the_largest_counters_is_solved() {
    let text =
        format!("h8@8 time={AMOUNT_MAX} nuggets={AMOUNT_MAX} fib={AMOUNT_MAX} fob={AMOUNT_MAX}");
    let position = GameId::FibFob.read(&text).unwrap();
    assert_eq!(position.to_string(), text);
    let solution = position.solve();
    let nimber = AMOUNT_MAX ^ 7;
    assert_eq!(solution.nimber, Nimber::Known(nimber));
    // 21 squares, all times below, no time above, two moves for each tank.
    assert_eq!(solution.legal_moves, Some(21 + u128::from(AMOUNT_MAX) + 4));
    assert_eq!(
        solution.winning.iter().collect::<Vec<_>>(),
        [format!("time -{}", AMOUNT_MAX - 7)]
    );
    assert_eq!(position.longest_play(), 21 + 5 * u128::from(AMOUNT_MAX));
    assert!(position.legal_moves().families().len() < 30);
}

#[test]
fn no_move_lifts_the_time_past_the_largest_amount() {
    let position = GameId::PokerNim
        .read(&format!("time={} nuggets=5", AMOUNT_MAX - 2))
        .unwrap();
    let play = |text: &str| position.play(&position.read_move(text).unwrap());
    assert!(play("time +2").is_ok());
    let refused = play("time +3").unwrap_err().to_string();
    assert!(
        refused.contains(&AMOUNT_MAX.to_string()) && refused.contains("time +{1..2}"),
        "{refused}"
    );
    assert_eq!(position.legal_moves().count(), Some(u128::from(AMOUNT_MAX)));
    assert_eq!(
        position
            .moves_to(AMOUNT_MAX)
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        ["time +2"]
    );
    assert!(position.moves_to(AMOUNT_MAX + 1).unwrap().is_empty());
}

#[test]
fn nim_with_as_many_of_the_largest_heaps_as_fit_is_solved() {
    let heaps = vec![AMOUNT_MAX.to_string(); 240].join(",");
    let position = GameId::Nim.read(&heaps).unwrap();
    assert_eq!(position.nimber(), Nimber::Known(0));
    assert_eq!(position.longest_play(), 240 * u128::from(AMOUNT_MAX));
    let odd = GameId::Nim.read(&format!("{heaps},1")).unwrap();
    assert_eq!(odd.solve().winning.count(), Some(241));
}

#[test]
fn a_lost_position_with_huge_counters_is_still_played() {
    let mut rng = seeded(5);
    let position = GameId::Nim
        .read(&format!("{AMOUNT_MAX},{AMOUNT_MAX}"))
        .unwrap();
    let mv = choose_move(&position, fibfob_games::Level::Perfect, &mut rng).unwrap();
    let after: Position = position.play(&mv).unwrap();
    assert_eq!(after.solve().winning.count(), Some(1));
}

#[test]
fn heaps_of_the_largest_size_are_played_misere_and_on_stairs() {
    let position = GameId::MisereNim
        .read(&format!("{AMOUNT_MAX},1,1"))
        .unwrap();
    let solution = position.solve();
    assert_eq!(solution.legal_moves, Some(u128::from(AMOUNT_MAX) + 2));
    assert_eq!(
        solution.winning.iter().collect::<Vec<_>>(),
        [format!("take {} from 1", AMOUNT_MAX - 1)]
    );
    let half = AMOUNT_MAX / 2;
    let position = GameId::StaircaseNim
        .read(&format!("1,{half},{half}"))
        .unwrap();
    assert_eq!(position.nimber(), Nimber::Known(half));
    assert_eq!(position.longest_play(), 3 * u128::from(half));
    assert_eq!(position.solve().legal_moves, Some(2 * u128::from(half)));
    let all = position.read_move(&format!("move {half} from 2")).unwrap();
    assert_eq!(
        position.play(&all).unwrap().nimber(),
        Nimber::Known(2 * half)
    );
    assert_eq!(
        position
            .moves_to(half + 1)
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        ["move 1 from 2"]
    );
}

#[test]
fn a_stair_with_more_coins_than_a_step_may_hold_is_no_position() {
    let error = GameId::StaircaseNim
        .read(&format!("{AMOUNT_MAX},1"))
        .unwrap_err();
    assert!(error.to_string().contains("together"), "{error}");
    assert!(
        GameId::StaircaseNim
            .read(&format!("{AMOUNT_MAX},0"))
            .is_ok()
    );
}

#[test]
fn take_fibonacci_past_the_table_is_unknown_but_played() {
    let position = GameId::TakeFibonacci
        .read(&format!("3,{AMOUNT_MAX}"))
        .unwrap();
    let solution = position.solve();
    assert!(matches!(solution.nimber, Nimber::Unknown(_)));
    assert_eq!((solution.outcome, solution.complete), (None, false));
    // 2^53 − 1 lies between the 77th and the 78th of 1, 2, 3, 5, ….
    assert_eq!(solution.legal_moves, Some(3 + 77));
    assert_eq!(position.longest_play(), 3 + u128::from(AMOUNT_MAX));
    assert!(choose_move(&position, fibfob_games::Level::Perfect, &mut seeded(6)).is_some());
    let known = GameId::TakeFibonacci.read(&format!("{TABLE_MAX}")).unwrap();
    assert!(known.nimber().known().is_some());
    let unknown = GameId::TakeFibonacci
        .read(&format!("{}", TABLE_MAX + 1))
        .unwrap();
    assert!(unknown.moves_to(0).is_err());
}

#[test]
fn lists_and_rows_of_the_largest_length_are_solved() {
    let heads = GameId::TurningTurtles.read(&"H".repeat(ROW_MAX)).unwrap();
    let sum = (ROW_MAX as u128 * (ROW_MAX as u128 + 1)) / 2;
    assert_eq!(heads.longest_play(), sum);
    assert_eq!(heads.solve().legal_moves, Some(sum));
    assert_eq!(heads.nimber(), Nimber::Known(ROW_MAX as u64));
    let pins = GameId::Kayles.read(&"x".repeat(ROW_MAX)).unwrap();
    assert_eq!(pins.solve().legal_moves, Some(2 * ROW_MAX as u128 - 1));
    assert_eq!(pins.longest_play(), ROW_MAX as u128);
    // One move in the middle leaves two equal groups.
    assert!(
        pins.solve()
            .winning
            .contains(&format!("knock {},{}", ROW_MAX / 2, ROW_MAX / 2 + 1))
    );
    let heaps = vec!["1"; LIST_MAX].join(",");
    for game in [
        GameId::Nim,
        GameId::MisereNim,
        GameId::TakeFibonacci,
        GameId::StaircaseNim,
    ] {
        let position = game.read(&heaps).unwrap();
        assert!(position.solve().complete);
        assert!(!position.explain().steps.is_empty());
    }
}

#[test]
fn nimbers_near_the_end_of_a_table_are_the_mex_of_their_options() {
    for (game, text) in [
        (GameId::FibonacciNim, "coins=65535"),
        (GameId::FibonacciNim, "coins=65535 last=700"),
        (GameId::FibonacciNim, "coins=50000 last=1"),
        (GameId::FibonacciNim, "coins=1025 last=2"),
        (GameId::WythoffNim, "2047,2047"),
        (GameId::WythoffNim, "257,1900"),
        (GameId::TakeFibonacci, "2097151"),
        (GameId::TakeFibonacci, "4096,1999999"),
    ] {
        let position = game.read(text).unwrap();
        let option = |text: String| {
            let after = position.play(&position.read_move(&text).unwrap());
            after.unwrap().nimber().known().unwrap()
        };
        let nimber = mex(position.legal_moves().iter().map(option));
        assert_eq!(position.nimber(), Nimber::Known(nimber), "{game} {text}");
        assert!(position.moves_to(nimber).unwrap().is_empty());
    }
}
