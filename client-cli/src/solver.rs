//! The solver's answers, for `--auto` and for the bot of a match without a server.

use fibfob_games::{Position, choose_move, chooses_first, random_move};
use fibfob_protocol::{Action, MoveOrder, Version};
use rand::RngExt;

use crate::args::Autoplay;

/// A question to the solver about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverQuery {
    /// The move to play.
    Move,
    /// The choice whether to move first.
    FirstMove,
}

/// Returns the action that answers the query in a match at this version; may take seconds.
pub fn answer(
    version: Version,
    position: &Position,
    query: SolverQuery,
    auto: Autoplay,
) -> Option<Action> {
    let rng = &mut rand::rng();
    match query {
        SolverQuery::Move => {
            let found = match auto {
                Autoplay::Solver(level) => choose_move(position, level, rng),
                Autoplay::Random => random_move(position, rng),
            };
            Some(Action::Play {
                expecting: version,
                text: found?.to_string(),
            })
        }
        SolverQuery::FirstMove => {
            let moves_first = match auto {
                Autoplay::Solver(level) => chooses_first(position, level, rng),
                Autoplay::Random => rng.random(),
            };
            let order = MoveOrder::first_if(moves_first);
            Some(Action::Choose { order })
        }
    }
}
