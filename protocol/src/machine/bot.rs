//! A bot's part in a match: it sits there as any player, and the solver chooses for it.

use fibfob_games::{
    Budget, Level, Move, Outcome, Position, SHOWN_MOVES, choose_move_within, chooses_first,
    concedes,
};
use rand::Rng;

use super::{Match, Phase};
use crate::action::{Action, Actor, MoveOrder};
use crate::seat::Seat;
use crate::view::RematchView;

/// The next step of a bot in its match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotStep {
    /// A move, or giving up.
    Move,
    /// The order of moves.
    Choose,
    /// An answer without a computation.
    Answer(Action),
}

impl Match {
    /// Returns the bot's next step; none while others are to act, or if nothing is left to do.
    #[must_use]
    pub fn bot_step(&self) -> Option<BotStep> {
        let bot = self.seat_of(Actor::Bot)?;
        match self.phase {
            Phase::Choosing { chooser, .. } if chooser == bot => Some(BotStep::Choose),
            // Outside learning matches, a move taken back could cost the bot a won position.
            Phase::Playing {
                takeback: Some(offer),
                ..
            } if offer.by != bot => Some(BotStep::Answer(Action::AnswerTakeback {
                agree: self.terms.learning,
            })),
            Phase::Playing { first, .. } if self.mover(first) == bot => Some(BotStep::Move),
            Phase::Over {
                rematch: Some(RematchView::Offered { .. }),
                ..
            } => Some(BotStep::Answer(Action::AcceptRematch)),
            Phase::Open
            | Phase::Choosing { .. }
            | Phase::Playing { .. }
            | Phase::Over { .. }
            | Phase::Closed { .. } => None,
        }
    }

    /// Chooses the action of the bot's next step, if there is one, within a budget. The bot always knows a winning
    /// move; what the budget does not hold is left out of the search for the hardest answer. If
    /// the budget [needs more](Budget::needs_more), the result means nothing.
    pub fn bot_action(
        &self,
        level: Level,
        budget: &mut Budget,
        rng: &mut dyn Rng,
    ) -> Option<Action> {
        Some(match self.bot_step()? {
            BotStep::Answer(action) => action,
            BotStep::Choose => Action::Choose {
                order: MoveOrder::first_if(chooses_first(&self.position, level, budget, rng)),
            },
            BotStep::Move if self.bot_concedes(budget) => Action::Resign,
            BotStep::Move => Action::Play {
                expecting: self.version,
                text: choose_move_within(&self.position, level, budget, rng)?.to_string(),
            },
        })
    }

    fn bot_concedes(&self, budget: &mut Budget) -> bool {
        let replayed = self.position.play_steps() * self.moves.len() as u64;
        let solved = self.position.table_steps() + self.position.solve_steps();
        self.moves.len() > 2 * (SHOWN_MOVES - 1)
            && budget.spend(solved + replayed).is_ok()
            && self.position.outcome() == Some(Outcome::P)
            && concedes(&self.position, self.moves_against_bot(), budget)
    }

    /// Lists the opponent's moves with the positions before them, the newest first.
    fn moves_against_bot(&self) -> impl Iterator<Item = (Position, Move)> {
        let bot = self.seat_of(Actor::Bot);
        let mut position = Position::read(self.terms.game, &self.terms.start).ok();
        let mut all: Vec<(Seat, Position, Move)> = Vec::with_capacity(self.moves.len());
        for played in &self.moves {
            let Some(before) = position.take() else { break };
            let Ok(mv) = before.read_move(&played.text) else {
                break;
            };
            position = before.play(&mv).ok();
            all.push((played.seat, before, mv));
        }
        let others = all.into_iter().rev();
        let others = others.filter(move |(seat, ..)| Some(*seat) != bot);
        others.map(|(_, before, mv)| (before, mv))
    }
}
