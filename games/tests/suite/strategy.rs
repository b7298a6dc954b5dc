//! The bot: never loses a won position at full strength, and looks for wins as often as its level says.

use std::collections::BTreeSet;

use fibfob_games::{
    Budget, Convention, GameId, Level, Move, Outcome, Position, Ranges, SHOWN_MOVES, choose_move,
    chooses_first, concedes, random_move,
};

use crate::seeded;

/// Returns `true` if the player to move wins when both play like this.
fn first_wins(
    mut position: Position,
    rng: &mut impl rand::Rng,
    first: impl Fn(&Position, &mut dyn rand::Rng) -> Option<fibfob_games::Move>,
    second: impl Fn(&Position, &mut dyn rand::Rng) -> Option<fibfob_games::Move>,
) -> bool {
    let misere = position.game().convention() == Convention::Misere;
    let mut firsts_turn = true;
    loop {
        let mv = if firsts_turn {
            first(&position, rng)
        } else {
            second(&position, rng)
        };
        match mv {
            Some(mv) => position = position.play(&mv).unwrap(),
            None => return firsts_turn == misere,
        }
        firsts_turn = !firsts_turn;
    }
}

#[test]
fn a_perfect_bot_never_loses_a_won_position() {
    let mut rng = seeded(21);
    for &game in GameId::ALL {
        let mut won = 0;
        for _ in 0..150 {
            let start = game.random_start(&Ranges::default(), &mut rng).unwrap();
            let perfect = |position: &Position, rng: &mut dyn rand::Rng| {
                choose_move(position, Level::Perfect, rng)
            };
            match start.solve().outcome {
                Some(Outcome::N) => {
                    won += 1;
                    assert!(
                        first_wins(start.clone(), &mut rng, perfect, random_move),
                        "{game} {start}"
                    );
                }
                Some(Outcome::P) => {
                    assert!(
                        !first_wins(start.clone(), &mut rng, random_move, perfect),
                        "{game} {start}"
                    );
                }
                None => {}
            }
        }
        assert!(won > 50, "{game}: only {won} starts were won");
    }
}

#[test]
fn a_level_finds_the_win_with_its_chance() {
    const TRIES: u32 = 4000;
    let mut rng = seeded(22);
    // The last one has too many moves to look at each, and a third of them win.
    let threes = ["3"; 101].join(",");
    let positions = [
        (GameId::FibFob, "g6@3 time=15 nuggets=5 fib=12 fob=9"),
        (GameId::FibFob, "a1@1 time=1 fib=2"),
        (GameId::FibFob, "a1@1 time=900 nuggets=7"),
        (GameId::Nim, &threes),
    ];
    let levels = [
        (Level::Perfect, 1.0),
        (Level::Strong, 0.85),
        (Level::Casual, 0.5),
        (Level::Novice, 0.1),
    ];
    for (game, text) in positions {
        let position = game.read(text).unwrap();
        let winning = position.solve().winning;
        let legal = position.legal_count().unwrap() as f64;
        let by_luck = winning.count().unwrap() as f64 / legal;
        for (level, chance) in levels {
            assert_eq!(level.chance(), chance);
            let wins = |_: &u32| {
                winning.contains(&choose_move(&position, level, &mut rng).unwrap().to_string())
            };
            let found = (0..TRIES).filter(wins).count() as f64;
            let chance = chance + (1.0 - chance) * by_luck;
            let expected = chance * f64::from(TRIES);
            let deviation = (expected * (1.0 - chance)).sqrt();
            assert!(
                (found - expected).abs() <= 4.0 * deviation,
                "{level} in {text}: {found} of {TRIES}"
            );
        }
    }
}

#[test]
fn a_last_move_that_wins_is_made_at_every_level() {
    let mut rng = seeded(31);
    for (game, text, last) in [
        (GameId::FibFob, "a1@1 fib=3", "eject fib"),
        (GameId::TurningTurtles, "THT", "turn 2"),
    ] {
        let position = game.read(text).unwrap();
        for _ in 0..50 {
            let chosen = choose_move(&position, Level::Novice, &mut rng).unwrap();
            assert_eq!(chosen.to_string(), last);
        }
    }
}

#[test]
fn a_bot_that_may_choose_begins_where_the_beginner_wins() {
    let mut rng = seeded(29);
    for (text, begins) in [("3,6,7", true), ("1,2,3", false)] {
        let position = GameId::Nim.read(text).unwrap();
        let mut is_right =
            |level| chooses_first(&position, level, &mut Budget::of_move(), &mut rng) == begins;
        assert!((0..100).all(|_| is_right(Level::Perfect)), "{text}");
        let right = (0..2000).filter(|_| is_right(Level::Novice)).count();
        // One time in ten it knows, and otherwise it tosses a coin: 11 in 20.
        assert!((1000..1200).contains(&right), "{text}: {right}");
    }
}

#[test]
fn winning_and_losing_moves_are_all_chosen_sometimes() {
    let mut rng = seeded(23);
    let position = GameId::Nim.read("3,6,7").unwrap();
    let mut chosen = |level: Level| -> BTreeSet<String> {
        (0..2000)
            .map(|_| choose_move(&position, level, &mut rng).unwrap().to_string())
            .collect()
    };
    assert_eq!(
        chosen(Level::Perfect),
        position.solve().winning.iter().collect()
    );
    assert_eq!(
        chosen(Level::Novice),
        position.legal_moves().iter().collect()
    );
}

#[test]
fn where_every_move_wins_every_level_wins() {
    let mut rng = seeded(24);
    let position = GameId::Nim.read("1").unwrap();
    for level in Level::ALL {
        assert_eq!(
            choose_move(&position, level, &mut rng).unwrap().to_string(),
            "take 1 from 1"
        );
    }
}

#[test]
fn a_lost_position_is_defended_by_what_is_hard_to_answer() {
    let mut rng = seeded(25);
    let mut chosen = |game: GameId, text: &str| -> Vec<String> {
        let position = game.read(text).unwrap();
        assert_eq!(position.solve().outcome, Some(Outcome::P), "{text}");
        let mut choose = |_| choose_move(&position, Level::Perfect, &mut rng).unwrap();
        let chosen: BTreeSet<_> = (0..100).map(|_| choose(()).to_string()).collect();
        chosen.into_iter().collect()
    };
    // Whoever burns a nugget is answered by letting as much time pass.
    let moves = chosen(GameId::FibFob, "b1@1 time=1 nuggets=9 fib=2 fob=2");
    assert!(
        moves.iter().all(|mv| !mv.starts_with("time +")),
        "{moves:?}"
    );
    // After `take 3 from 3` one answer alone does not give the last coin away; the others take copying.
    let moves = chosen(GameId::Nim, "1,2,3");
    assert_eq!(moves.len(), 5);
    assert!(!moves.contains(&"take 3 from 3".to_owned()), "{moves:?}");
}

#[test]
fn a_bot_gives_up_only_after_five_shown_wins_in_a_row() {
    let position = |text: &str| GameId::Nim.read(text).unwrap();
    let ply = |text: &str, mv: &str| {
        let position = position(text);
        let mv = position.read_move(mv).unwrap();
        (position, mv)
    };
    let gives_up = |position: &Position, answers: Vec<(Position, Move)>| {
        concedes(position, answers, &mut Budget::of_move())
    };
    let shown = || ply("3,4,5", "take 2 from 1");
    let lost = position("1,2,3");
    assert!(gives_up(&lost, vec![shown(); SHOWN_MOVES]));
    assert!(gives_up(&lost, vec![shown(); SHOWN_MOVES + 1]));
    assert!(!gives_up(&lost, vec![shown(); SHOWN_MOVES - 1]));
    assert!(!gives_up(&position("1,2,4"), vec![shown(); SHOWN_MOVES]));
    // A slip, and a move where any would have won, show nothing.
    for other in [ply("3,4,5", "take 1 from 1"), ply("1", "take 1 from 1")] {
        let mut answers = vec![shown(); SHOWN_MOVES];
        answers[2] = other;
        assert!(!gives_up(&lost, answers));
    }
}

#[test]
fn nobody_moves_in_a_finished_position() {
    let mut rng = seeded(26);
    let position = GameId::Nim.read("0,0").unwrap();
    for level in Level::ALL {
        assert_eq!(choose_move(&position, level, &mut rng), None);
    }
    assert_eq!(random_move(&position, &mut rng), None);
}

#[test]
fn levels_are_read_as_written() {
    for level in Level::ALL {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    assert!(
        "godlike"
            .parse::<Level>()
            .unwrap_err()
            .to_string()
            .contains("perfect")
    );
}

#[test]
fn a_favourite_move_is_chosen_whenever_the_win_is_found() {
    let mut rng = seeded(27);
    let position = GameId::Kayles.read("xxxxx.xxxxxx.xxx.xx").unwrap();
    assert_eq!(position.solve().winning.count(), Some(2));
    for _ in 0..100 {
        let mv = choose_move(&position, Level::Perfect, &mut rng).unwrap();
        assert_eq!(mv.to_string(), "knock 2");
        let mv = choose_move(&position, Level::Casual, &mut rng).unwrap();
        assert_ne!(mv.to_string(), "knock 4");
    }
}
