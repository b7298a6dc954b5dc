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

/// A query in a match at a version.
#[derive(Debug, PartialEq, Eq)]
pub struct SolverTask {
    pub version: Version,
    pub position: Position,
    pub query: SolverQuery,
    pub auto: Autoplay,
}

/// Returns the action that answers the query; may take seconds.
pub fn answer(task: &SolverTask) -> Option<Action> {
    let (position, rng) = (&task.position, &mut rand::rng());
    match task.query {
        SolverQuery::Move => {
            let found = match task.auto {
                Autoplay::Solver(level) => choose_move(position, level, rng),
                Autoplay::Random => random_move(position, rng),
            };
            Some(Action::Play {
                expecting: task.version,
                text: found?.to_string(),
            })
        }
        SolverQuery::FirstMove => {
            let moves_first = match task.auto {
                Autoplay::Solver(level) => chooses_first(position, level, rng),
                Autoplay::Random => rng.random(),
            };
            let order = MoveOrder::first_if(moves_first);
            Some(Action::Choose { order })
        }
    }
}
