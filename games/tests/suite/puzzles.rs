//! Puzzles against a search that plays every move: what is said to win wins, nothing else does, and the grade is the
//! simplest idea that finds a win.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibfob_games::{Convention, GameId, Position, Puzzle, Reasoner};

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
            let puzzle = Puzzle::of_seed(game, None, seed).unwrap();
            let Some(winning) = search.winning(&puzzle.position) else {
                continue;
            };
            let at = format!("{game} {}", puzzle.position);
            let claimed: BTreeSet<String> = puzzle.winning.iter().collect();
            assert_eq!(claimed, winning, "{at}");
            let wins = |idea: Reasoner| {
                let mv = idea.find(&puzzle.position);
                mv.is_some_and(|mv| winning.contains(&mv.to_string()))
            };
            let simplest = Reasoner::ALL.into_iter().find(|idea| wins(*idea));
            assert_eq!(simplest, Some(puzzle.grade), "{at}");
            let again = Puzzle::of_seed(game, Some(puzzle.grade), seed).unwrap();
            assert_eq!(again.position, puzzle.position, "the same puzzle");
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

#[test]
fn a_puzzle_says_all_moves_that_win_and_the_simplest_idea() {
    println!("{:?}", checked(15));
}

mod extended {
    use super::*;

    /// More than ten thousand in all.
    #[test]
    fn ten_thousand_puzzles_say_all_moves_that_win_and_the_simplest_idea() {
        println!("{:?}", checked(10_000_usize.div_ceil(GameId::ALL.len())));
    }
}
