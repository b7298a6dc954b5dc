//! Laws that hold in every game of the catalogue, tried on random positions and plays.

use fibfob_games::{
    Convention, GameId, Move, Nimber, Outcome, Position, Ranges, choose, mex, random_move,
};
use rand::RngExt;

use crate::seeded;

/// A random position reached by some random moves, perhaps finished.
fn reached(game: GameId, ranges: &Ranges, rng: &mut impl rand::Rng) -> Position {
    let mut position = game.random_start(ranges, rng).unwrap();
    for _ in 0..rng.random_range(0..6) {
        match random_move(&position, rng) {
            Some(mv) => position = position.play(&mv).unwrap(),
            None => break,
        }
    }
    position
}

/// Ranges as wide as a match may start with.
fn widest(game: GameId) -> Ranges {
    game.start_ranges()
        .iter()
        .fold(Ranges::default(), |ranges, range| {
            ranges.with(range.name, range.least, range.most).unwrap()
        })
}

/// Tries a law on `times` positions of every game, half of them from wide ranges.
fn for_positions(seed: u64, times: usize, law: impl Fn(&Position)) {
    let mut rng = seeded(seed);
    for &game in GameId::ALL {
        for ranges in [Ranges::default(), widest(game)] {
            for _ in 0..times / 2 {
                law(&reached(game, &ranges, &mut rng));
            }
        }
    }
}

fn options(position: &Position) -> Vec<(Move, Position)> {
    let option = |text: String| {
        let mv = position.read_move(&text).unwrap();
        assert_eq!(mv.to_string(), text, "listed moves are canonical");
        let after = position
            .play(&mv)
            .unwrap_or_else(|error| panic!("{position}: {error}"));
        (mv, after)
    };
    position.legal_moves().iter().map(option).collect()
}

#[test]
fn reading_what_was_written_gives_the_same() {
    for_positions(11, 1000, |position| {
        assert_eq!(
            Position::read(position.game(), &position.to_string()).as_ref(),
            Ok(position)
        );
        if let Some(text) = position.legal_moves().iter().next() {
            let mv = position.read_move(&text).unwrap();
            assert_eq!(position.read_move(&mv.to_string()), Ok(mv));
        }
    });
}

#[test]
fn listed_moves_are_playable_once_and_counted() {
    for_positions(12, 300, |position| {
        let options = options(position);
        let mut texts: Vec<String> = options.iter().map(|(mv, _)| mv.to_string()).collect();
        assert!(
            texts
                .iter()
                .all(|text| position.legal_moves().contains(text)),
            "{position}"
        );
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), options.len(), "{position} lists a move twice");
        assert_eq!(
            position.solve().legal_moves,
            Some(options.len() as u128),
            "{position}"
        );
        assert_eq!(
            position.legal_moves().count(),
            Some(options.len() as u128),
            "{position}"
        );
        assert_eq!(position.is_terminal(), options.is_empty(), "{position}");
        assert!(
            options.iter().all(|(_, after)| after != position),
            "{position}"
        );
    });
}

#[test]
fn the_nimber_is_the_mex_of_the_options() {
    for_positions(13, 300, |position| match position.nimber() {
        Nimber::Known(nimber) => {
            let after: Option<Vec<u64>> = options(position)
                .iter()
                .map(|(_, after)| after.nimber().known())
                .collect();
            assert!(after.is_none_or(|after| mex(after) == nimber), "{position}");
        }
        Nimber::Unknown(_) => {}
        Nimber::None => assert_eq!(position.game().convention(), Convention::Misere),
    });
}

#[test]
fn winning_moves_lead_to_p_and_the_others_to_n() {
    for_positions(14, 300, |position| {
        let solution = position.solve();
        let wins = |after: &Position| after.solve().outcome == Some(Outcome::P);
        for (mv, after) in options(position) {
            if solution.winning.contains(&mv.to_string()) {
                assert!(wins(&after), "{position}, then {mv}");
            } else if solution.complete {
                assert!(!wins(&after), "{position}, then {mv}");
            }
        }
        match solution.outcome {
            Some(Outcome::P) => assert!(solution.winning.is_empty(), "{position}"),
            Some(Outcome::N) if !position.is_terminal() && solution.complete => {
                assert!(!solution.winning.is_empty(), "{position}");
            }
            Some(Outcome::N) | None => {}
        }
        assert_eq!(
            solution.winning.iter().count() as u128,
            solution.winning.count().unwrap(),
            "{position}"
        );
    });
}

#[test]
fn an_unknown_outcome_comes_with_an_unknown_nimber() {
    for_positions(15, 300, |position| {
        let solution = position.solve();
        let reason = matches!(solution.nimber, Nimber::Unknown(_));
        assert!(
            reason || (solution.outcome.is_some() && solution.complete),
            "{position}"
        );
    });
}

#[test]
fn moves_to_a_value_are_all_moves_to_it() {
    for_positions(16, 200, |position| {
        let options = options(position);
        for value in [0, 1, 2, 3, 7, 8, 40] {
            let Ok(moves) = position.moves_to(value) else {
                continue;
            };
            for (mv, after) in &options {
                if let Nimber::Known(nimber) = after.nimber() {
                    assert_eq!(
                        moves.contains(&mv.to_string()),
                        nimber == value,
                        "{position}, {mv}, {value}"
                    );
                }
            }
        }
    });
}

#[test]
fn the_longest_play_is_that_of_the_best_option_and_one_more() {
    for_positions(17, 300, |position| {
        let after = options(position)
            .iter()
            .map(|(_, after)| after.longest_play() + 1)
            .max();
        assert_eq!(position.longest_play(), after.unwrap_or(0), "{position}");
    });
}

#[test]
fn every_play_ends_within_the_longest() {
    let mut rng = seeded(18);
    for &game in GameId::ALL {
        for _ in 0..100 {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            let bound = position.longest_play();
            let mut plies = 0;
            while let Some(mv) = choose(&position, fibfob_games::Level::Casual, &mut rng) {
                position = position.play(&mv).unwrap();
                plies += 1;
                assert!(plies <= bound, "{position} after {plies} plies");
            }
            assert!(position.is_terminal());
        }
    }
}

#[test]
fn explaining_never_fails() {
    for_positions(19, 300, |position| {
        assert!(!position.explain().steps.is_empty(), "{position}")
    });
}
