//! The solver's answers for `--auto`, and the search for an action.

use std::time::Duration;

use fibfob_games::{Budget, Position, choose_move, chooses_first, random_move};
use fibfob_protocol::{Action, MoveOrder, Version};
use rand::RngExt;
use tokio::task::JoinHandle;

use crate::args::Autoplay;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverQuery {
    Move,
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

/// The search for an action, off the runtime: a big position may take seconds.
pub type Search = JoinHandle<Option<Action>>;

/// Searches after a pause.
pub fn search(pause: Duration, find: impl FnOnce() -> Option<Action> + Send + 'static) -> Search {
    tokio::spawn(async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        let found = tokio::task::spawn_blocking(find).await;
        found.ok().flatten()
    })
}

/// Waits for what a search finds; for ever if there is none. Cancel safe.
pub async fn found_by(search: &mut Option<Search>) -> Option<Action> {
    let found = match search {
        Some(search) => search.await.ok().flatten(),
        None => std::future::pending().await,
    };
    *search = None;
    found
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
                Autoplay::Solver(level) => {
                    chooses_first(position, level, &mut Budget::of_move(), rng)
                }
                Autoplay::Random => rng.random(),
            };
            let order = MoveOrder::first_if(moves_first);
            Some(Action::Choose { order })
        }
    }
}
