//! The bot's next step in a match: as the server's bot decides it.

use fibfob_games::Level;
use fibfob_protocol::{Action, Actor, Match, Phase, Rematch};

use crate::args::Autoplay;
use crate::solver::{SolverQuery, answer};

/// Computes the step that the match waits for; may take seconds.
pub fn next_step(current: &Match, level: Level) -> Option<Action> {
    let bot = current.seat_of(Actor::Bot)?;
    let solved = |query| {
        let (version, position) = (current.version(), current.position());
        answer(version, position, query, Autoplay::Solver(level))
    };
    match current.phase() {
        Phase::Choosing { chooser, .. } if *chooser == bot => solved(SolverQuery::FirstMove),
        // Outside learning matches, a move taken back could cost the bot a won position.
        Phase::Playing {
            takeback: Some(by), ..
        } if by.other() == bot => Some(Action::AnswerTakeback {
            agree: current.terms().learning,
        }),
        Phase::Playing { .. } if current.turn() == Some(bot) => solved(SolverQuery::Move),
        Phase::Over {
            rematch: Rematch::Offered(_),
            ..
        } => Some(Action::AcceptRematch),
        _ => None,
    }
}
