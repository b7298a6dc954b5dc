//! The reference for the solvers: the rules, a list of moves, and a search with memoisation.

use std::collections::HashMap;

use fibfob_games::{Convention, Position, mex};

/// The nimber; in a misère game 1 for a won position, 0 for a lost one.
///
/// It uses the games' own lists of moves, and with them what it takes to write and read each move.
#[expect(
    clippy::mutable_key_type,
    reason = "a sum compares its components and not the nimbers that it has found"
)]
pub fn value(position: &Position, known: &mut HashMap<Position, u64>) -> u64 {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let after = |text: String| {
        let mv = position
            .read_move(&text)
            .expect("a listed move is notation");
        let after = position.play(&mv).expect("a listed move is legal");
        value(&after, known)
    };
    let values: Vec<u64> = position.legal_moves().iter().map(after).collect();
    let found = match position.game().convention() {
        Convention::Normal => mex(values),
        Convention::Misere => u64::from(values.is_empty() || values.contains(&0)),
    };
    known.insert(position.clone(), found);
    found
}
