//! Counters near the largest amount: answered at once, without listing, and without overflow.

use fibfob_games::{AMOUNT_MAX, GameId, Nimber, Position, choose};

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
        refused.contains(&AMOUNT_MAX.to_string()) && refused.contains("time +{a} (a=1..2)"),
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
    let mv = choose(&position, fibfob_games::Level::Perfect, &mut rng).unwrap();
    let after: Position = position.play(&mv).unwrap();
    assert_eq!(after.solve().winning.count(), Some(1));
}
