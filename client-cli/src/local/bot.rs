//! The bot's next step in a match: as the server's bot decides it.

use fibfob_games::{Level, Position, choose_move, chooses_first};
use fibfob_protocol::{Action, Actor, Match, MoveOrder, Phase, Rematch, Version};

/// A step that a match waits for.
#[derive(Clone, Debug)]
pub enum AwaitedStep {
    /// Make a move.
    Move(Box<Position>),
    /// Choose who moves first.
    Choose(Box<Position>),
    /// Answer a request for a takeback.
    AnswerTakeback {
        /// True to give the move back.
        agree: bool,
    },
    /// Accept a rematch.
    AcceptRematch,
}

/// The action that the bot has found for a version; none if it found none.
#[derive(Debug, Default)]
pub struct FoundAction {
    /// The version.
    pub version: Version,
    /// The action.
    pub action: Option<Action>,
}

/// Returns the step that the match waits for.
pub fn next_step(current: &Match) -> Option<AwaitedStep> {
    let bot = current.seat_of(Actor::Bot);
    let position = || Box::new(current.position().clone());
    match current.phase() {
        Phase::Choosing { chooser, .. } if Some(*chooser) == bot => {
            Some(AwaitedStep::Choose(position()))
        }
        // Outside learning matches, a move taken back could cost the bot a won position.
        Phase::Playing {
            takeback: Some(by), ..
        } if Some(by.other()) == bot => Some(AwaitedStep::AnswerTakeback {
            agree: current.terms().learning,
        }),
        Phase::Playing { .. } if bot.is_some() && current.turn() == bot => {
            Some(AwaitedStep::Move(position()))
        }
        Phase::Over {
            rematch: Rematch::Offered(_),
            ..
        } => Some(AwaitedStep::AcceptRematch),
        _ => None,
    }
}

impl AwaitedStep {
    /// Computes the action; may take seconds.
    pub fn action(self, version: Version, level: Level) -> Option<Action> {
        let rng = &mut rand::rng();
        match self {
            Self::Move(position) => choose_move(&position, level, rng).map(|found| Action::Play {
                expecting: version,
                text: found.to_string(),
            }),
            Self::Choose(position) => Some(Action::Choose {
                order: MoveOrder::first_if(chooses_first(&position, level, rng)),
            }),
            Self::AnswerTakeback { agree } => Some(Action::AnswerTakeback { agree }),
            Self::AcceptRematch => Some(Action::AcceptRematch),
        }
    }
}
