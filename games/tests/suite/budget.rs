//! The budget of a bot's move: what is always found within it, and what is left out.

use fibfob_games::{
    Budget, GameId, Level, MOVE_STEPS_MAX, Outcome, Ranges, choose_move_within, random_move,
};

use crate::seeded;

/// Lets a perfect bot move in so many won positions of each game, and of sums with as many edges as a match may have.
fn check_won_positions(of_each: usize) -> usize {
    let mut rng = seeded(41);
    let edges = [" + green-hackenbush "; 3].map(|start| {
        let circuits =
            (0..16).flat_map(|low| (low + 1..16).map(move |high| format!("{low}-{high}")));
        start.to_owned() + &circuits.collect::<Vec<_>>().join(",")
    });
    let mut checked = 0;
    for &game in GameId::ALL {
        let mut left = of_each;
        while left > 0 {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            if game == GameId::Sum && left.is_multiple_of(8) {
                position = game.read(&format!("nim {left}{}", edges.concat())).unwrap();
            }
            while let Some(mv) = random_move(&position, &mut rng).filter(|_| left > 0) {
                if position.outcome() == Some(Outcome::N) {
                    let mut budget = Budget::of_move();
                    let chosen =
                        choose_move_within(&position, Level::Perfect, &mut budget, &mut rng);
                    let after = position.play(&chosen.unwrap()).unwrap();
                    assert_eq!(after.outcome(), Some(Outcome::P), "{game} {position}");
                    assert!(budget.spent() <= MOVE_STEPS_MAX && !budget.is_short());
                    left -= 1;
                    checked += 1;
                }
                position = position.play(&mv).unwrap();
            }
        }
    }
    checked
}

#[test]
fn a_perfect_bot_keeps_every_won_position_within_its_budget() {
    check_won_positions(60);
}

#[test]
fn a_lost_position_is_defended_within_the_budget() {
    let stars = (1..=50).map(|vertex| format!("0-{vertex}"));
    let star = format!("green-hackenbush {}", stars.collect::<Vec<_>>().join(","));
    let position = GameId::Sum.read(&vec![star; 8].join(" + ")).unwrap();
    assert_eq!(position.outcome(), Some(Outcome::P));
    let mut budget = Budget::of_move();
    assert!(choose_move_within(&position, Level::Perfect, &mut budget, &mut seeded(42)).is_some());
    assert!(budget.is_short() && budget.spent() <= MOVE_STEPS_MAX);
}

#[test]
fn a_move_makes_no_position_dearer() {
    let mut rng = seeded(43);
    for &game in GameId::ALL {
        for _ in 0..40 {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            while let Some(mv) = random_move(&position, &mut rng) {
                let after = position.play(&mv).unwrap();
                assert!(
                    after.play_steps() <= position.play_steps(),
                    "{game} {position}: {mv}"
                );
                assert!(
                    after.solve_steps() <= position.solve_steps(),
                    "{game} {position}: {mv}"
                );
                assert!(
                    after.table_steps() <= position.table_steps(),
                    "{game} {position}: {mv}"
                );
                position = after;
            }
        }
    }
}

mod extended {
    use super::*;

    #[test]
    fn a_perfect_bot_keeps_twenty_thousand_won_positions_within_its_budget() {
        assert!(check_won_positions(20_000_usize.div_ceil(GameId::ALL.len())) >= 20_000);
    }
}
