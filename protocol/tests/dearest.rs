//! Looks for the dearest legal input of each game and kind of request, and holds the bounds on its steps.
//!
//! Hill climbing with a fixed seed: a legal input is changed a little, and the change stays if it does not cost less.
//! What is legal, only the bounds of the wire and of starts say.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_games::{
    Budget, GameId, Level, MOVE_STEPS_MAX, Outcome, Position, Puzzle, QUESTION_STEPS_MAX, Ranges,
    choose_move_within, random_move,
};
use fibfob_protocol::{LeftOut, PositionAnalysis, STUDY_BYTES_MAX, Seat, Terms, Version};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The kinds of requests that compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    BotMove,
    Study,
    /// `preview`, and `legal`, which both look at one position once.
    Legal,
    Puzzle,
    Analyse,
    Review,
    /// One match of `record`.
    Ideas,
}

impl Asked {
    const ALL: [Self; 7] = [
        Self::BotMove,
        Self::Study,
        Self::Legal,
        Self::Puzzle,
        Self::Analyse,
        Self::Review,
        Self::Ideas,
    ];

    const fn bound(self) -> u64 {
        match self {
            Self::BotMove => MOVE_STEPS_MAX,
            _ => QUESTION_STEPS_MAX,
        }
    }

    /// The steps of the answer about this position, or the match from it; `None` if nobody can ask about it.
    fn steps(self, position: &Position, rng: &mut StdRng) -> Option<u64> {
        let text = position.to_string();
        match self {
            Self::Study if text.len() > STUDY_BYTES_MAX => return None,
            Self::Study => {}
            _ => position.check_start().ok()?,
        }
        let mut budget = match self {
            Self::BotMove => Budget::of_move(),
            _ => Budget::of_question(),
        };
        match self {
            Self::BotMove => check_move(position, &mut budget, rng),
            Self::Study => drop(PositionAnalysis::of(position, &mut budget)),
            Self::Legal => budget.spend(2 * position.play_steps()).unwrap(),
            Self::Puzzle => {
                let grades = position.game().grades();
                let grade = grades[rng.random_range(0..grades.len())];
                let seed = rng.random::<u32>().into();
                let puzzle = Puzzle::of_seed(position.game(), Some(grade), seed, &mut budget);
                let _ = PositionAnalysis::of(&puzzle.unwrap().position, &mut budget);
            }
            Self::Analyse | Self::Review | Self::Ideas => {
                self.check_match(position, &mut budget, rng);
            }
        }
        Some(budget.spent())
    }

    /// Plays a match out and asks about it. What is always told fits into the budget.
    fn check_match(self, start: &Position, budget: &mut Budget, rng: &mut StdRng) {
        let (game, text) = (start.game(), start.to_string());
        let mut events = vec![
            created(Terms {
                learning: true,
                ..terms(game.id(), &text)
            }),
            joined(),
        ];
        let mut position = start.clone();
        for seat in [Seat::Creator, Seat::Joiner].into_iter().cycle() {
            let Some(mv) = slow_move(&position, rng) else {
                break;
            };
            events.push(moved(seat, &mv.to_string()));
            position = position.play(&mv).unwrap();
        }
        let (live, log) = (given(&events), log(&events));
        match self {
            Self::Analyse => {
                let found = live.analyse(&log, Version(1), budget).unwrap().of;
                assert!(
                    !found.too_much_work.contains(&LeftOut::Outcome),
                    "{game} {text}"
                );
            }
            Self::Ideas => drop(live.ideas(&log, Seat::Creator, budget).unwrap()),
            _ => {
                let review = live.review(&log, budget).unwrap();
                let told = |ply: &fibfob_protocol::ReviewedPly| !ply.too_much_work;
                assert!(review.plies.iter().all(told), "{game} {text}");
            }
        }
    }
}

/// The move of several drawn ones that leaves the longest play: a long match costs most.
fn slow_move(position: &Position, rng: &mut StdRng) -> Option<fibfob_games::Move> {
    let drawn = (0..3).filter_map(|_| random_move(position, rng));
    drawn.max_by_key(|mv| position.play(mv).unwrap().longest_play())
}

/// Lets a perfect bot move. However dear the position is, it knows a winning move.
fn check_move(position: &Position, budget: &mut Budget, rng: &mut StdRng) {
    let mv = choose_move_within(position, Level::Perfect, budget, rng).unwrap();
    if position.outcome() == Some(Outcome::N) {
        let after = position.play(&mv).unwrap();
        assert_eq!(after.outcome(), Some(Outcome::P), "{position}");
    }
}

/// Draws a position near another one: a number, a place or a part of its text is changed, added or left out.
fn near(position: &Position, rng: &mut StdRng) -> Option<Position> {
    let text = position.to_string();
    let parts = text.split_inclusive([',', '+', ' ', '.', '-', '=']);
    let mut parts: Vec<String> = parts.map(str::to_owned).collect();
    let at = rng.random_range(0..parts.len());
    match rng.random_range(0..4) {
        0 => {
            parts.remove(at);
        }
        // Whole components of a sum are doubled, else a heap, a place or an edge.
        1 if text.contains('+') => {
            let mut components: Vec<&str> = text.split(" + ").collect();
            let doubled = components[rng.random_range(0..components.len())];
            components.push(doubled);
            parts = vec![components.join(" + ")];
        }
        1 => {
            let count = rng.random_range(1..=8.min(parts.len() - at));
            let doubled = parts[at..at + count].join("");
            parts.insert(at, format!("{},", doubled.trim_end_matches(',')));
        }
        2 => {
            let number = 2u64.pow(rng.random_range(0..=53)).saturating_sub(1);
            let end = parts[at]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .to_owned();
            parts[at] = format!("{}{end}", rng.random_range(0..=number));
        }
        _ => {
            let doubled = parts[at].clone();
            parts.insert(at, doubled);
        }
    }
    position.game().read(&parts.concat()).ok()
}

/// A start from the widest ranges that a match may have.
fn wide_start(game: GameId, rng: &mut StdRng) -> Option<Position> {
    let mut ranges = Ranges::default();
    for range in game.start_ranges() {
        ranges = ranges
            .with(range.name, range.most.min(range.least + 1), range.most)
            .unwrap();
    }
    game.random_start(&ranges, rng).ok()
}

/// Climbs so many times for each game and kind, prints the dearest input, and holds the bound.
fn climb(changes: usize) {
    for &game in GameId::ALL {
        for asked in Asked::ALL {
            let mut rng = StdRng::seed_from_u64(41);
            let mut dearest: Option<(u64, Position)> = None;
            for _ in 0..changes {
                let drawn = match &dearest {
                    Some((_, position)) if rng.random_bool(0.8) => near(position, &mut rng),
                    _ => wide_start(game, &mut rng),
                };
                let Some(position) = drawn else { continue };
                let Some(steps) = asked.steps(&position, &mut rng) else {
                    continue;
                };
                assert!(
                    steps <= asked.bound(),
                    "{asked:?} {game} {position}: {steps} steps"
                );
                if dearest.as_ref().is_none_or(|(most, _)| steps >= *most) {
                    dearest = Some((steps, position));
                }
            }
            let (steps, position) = dearest.expect("some starts are legal");
            println!("{asked:?}\t{game}\t{steps}\t{position}");
        }
    }
}

#[test]
fn the_dearest_input_of_each_game_and_request_is_within_its_bound() {
    climb(40);
}

mod extended {
    use super::*;

    #[test]
    fn the_dearest_of_many_inputs_is_within_its_bound() {
        climb(500);
    }
}
