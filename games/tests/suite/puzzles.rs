//! Puzzles against a search that plays every move: what is said to win wins, nothing else does, and the grade is the
//! simplest idea that finds a win.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibfob_games::{Budget, Convention, GameId, Position, Puzzle, QUESTION_STEPS_MAX, Reasoner};

/// The positions that are searched for one puzzle at most; larger ones are not checked.
const SEARCHED_MAX: usize = 4_000;

/// Who wins, found by playing on; remembered by the position's text.
#[derive(Default)]
struct Search {
    won: HashMap<String, bool>,
}

impl Search {
    /// Returns true if the player to move wins; `None` if there is too much to search.
    fn wins(&mut self, position: &Position, most: usize) -> Option<bool> {
        let text = position.to_string();
        if let Some(known) = self.won.get(&text) {
            return Some(*known);
        }
        if self.won.len() >= most {
            return None;
        }
        let mut wins = position.game().convention() == Convention::Misere;
        let mut has_moved = false;
        for mv in position.legal_moves().iter() {
            let after = position.play(&position.read_move(&mv).unwrap()).unwrap();
            let opponent = self.wins(&after, most)?;
            wins = (has_moved && wins) || !opponent;
            has_moved = true;
        }
        self.won.insert(text, wins);
        Some(wins)
    }

    /// The winning moves.
    fn winning(&mut self, position: &Position) -> Option<BTreeSet<String>> {
        let most = self.won.len() + SEARCHED_MAX;
        let mut winning = BTreeSet::new();
        for mv in position.legal_moves().iter() {
            let after = position.play(&position.read_move(&mv).unwrap()).unwrap();
            if !self.wins(&after, most)? {
                winning.insert(mv);
            }
        }
        Some(winning)
    }
}

/// Checks so many puzzles of each game, as far as they can be searched; returns how many of each grade were.
fn checked(wanted: usize) -> BTreeMap<GameId, BTreeMap<Reasoner, usize>> {
    let mut found: BTreeMap<GameId, BTreeMap<Reasoner, usize>> = BTreeMap::new();
    for &game in GameId::ALL {
        let mut search = Search::default();
        let grades = found.entry(game).or_default();
        for seed in 0..4 * wanted as u64 {
            let puzzle = Puzzle::of_seed(game, None, seed, &mut Budget::of_question()).unwrap();
            let Some(winning) = search.winning(&puzzle.position) else {
                continue;
            };
            let at = format!("{game} {}", puzzle.position);
            let claimed: BTreeSet<String> = puzzle.winning.iter().collect();
            assert_eq!(claimed, winning, "{at}");
            let wins = |idea: Reasoner| {
                let budget = &mut Budget::of_question();
                let mv = idea
                    .find(&puzzle.position, &puzzle.winning, budget)
                    .unwrap();
                mv.is_some_and(|mv| winning.contains(&mv.to_string()))
            };
            let simplest = Reasoner::ALL.into_iter().find(|idea| wins(*idea));
            assert_eq!(simplest, Some(puzzle.grade), "{at}");
            let again = Puzzle::of_seed(game, Some(puzzle.grade), seed, &mut Budget::of_question());
            assert_eq!(again.unwrap().position, puzzle.position, "the same puzzle");
            *grades.entry(puzzle.grade).or_default() += 1;
            if grades.values().sum::<usize>() == wanted {
                break;
            }
        }
        let count: usize = grades.values().sum();
        assert_eq!(count, wanted, "{game}: {count} were small enough");
    }
    found
}

/// Draws so many seeds of every grade, and checks that a puzzle of each listed one is found within the budget.
fn check_grades(seeds: u64) {
    for &game in GameId::ALL {
        for grade in Reasoner::ALL {
            let budget = &mut Budget::of_question();
            if !game.grades().contains(&grade) {
                let refused = Puzzle::of_seed(game, Some(grade), 1, budget).unwrap_err();
                assert!(refused.to_string().contains("its grades are"), "{refused}");
                assert_eq!(budget.spent(), 0, "{game} {grade} is refused at once");
                continue;
            }
            let mut dearest = 0;
            for seed in 0..seeds {
                // Half of the budget, so that the seeds that are not drawn here have the other half.
                let budget = &mut Budget::new(QUESTION_STEPS_MAX / 2);
                let puzzle = Puzzle::of_seed(game, Some(grade), seed, budget);
                assert_eq!(puzzle.unwrap().grade, grade, "{game} {grade} {seed}");
                dearest = dearest.max(budget.spent());
            }
            println!("{game} {grade}: at most {dearest} steps");
        }
    }
}

#[test]
fn every_listed_grade_is_found_for_every_seed_and_no_other_is_looked_for() {
    check_grades(20);
}

#[test]
fn a_puzzle_says_all_moves_that_win_and_the_simplest_idea() {
    println!("{:?}", checked(15));
}

mod extended {
    use super::*;

    #[test]
    fn every_listed_grade_is_found_for_two_thousand_seeds() {
        check_grades(2_000);
    }

    /// More than ten thousand in all.
    #[test]
    fn ten_thousand_puzzles_say_all_moves_that_win_and_the_simplest_idea() {
        println!("{:?}", checked(10_000_usize.div_ceil(GameId::ALL.len())));
    }
}
