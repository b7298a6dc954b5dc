//! The bot's next step in a match: as the server's bot decides it.

use fibfob_games::{Level, choose_move, chooses_first};
use fibfob_protocol::{Action, Actor, Match, MoveOrder, Phase, Rematch, Version};

/// The action that the bot has found for a version; none if it found none.
#[derive(Debug, Default)]
pub struct FoundAction {
    /// The version.
    pub version: Version,
    /// The action.
    pub action: Option<Action>,
}

/// Computes the step that the match waits for; may take seconds.
pub fn next_step(current: &Match, level: Level) -> Option<Action> {
    let bot = current.seat_of(Actor::Bot)?;
    let rng = &mut rand::rng();
    match current.phase() {
        Phase::Choosing { chooser, .. } if *chooser == bot => Some(Action::Choose {
            order: MoveOrder::first_if(chooses_first(current.position(), level, rng)),
        }),
        // Outside learning matches, a move taken back could cost the bot a won position.
        Phase::Playing {
            takeback: Some(by), ..
        } if by.other() == bot => Some(Action::AnswerTakeback {
            agree: current.terms().learning,
        }),
        Phase::Playing { .. } if current.turn() == Some(bot) => {
            let found = choose_move(current.position(), level, rng)?;
            Some(Action::Play {
                expecting: current.version(),
                text: found.to_string(),
            })
        }
        Phase::Over {
            rematch: Rematch::Offered(_),
            ..
        } => Some(Action::AcceptRematch),
        _ => None,
    }
}
