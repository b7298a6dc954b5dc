//! Recognises a repeated command: whether the request under a known id is the one that made the event.

use crate::action::Action;
use crate::event::{Event, Terms};
use crate::seat::{FirstMove, Player};
use crate::setup::{FirstMoveRule, MatchSetup, Opponent, Start};

use super::Match;

impl Match {
    /// Returns true if `action` could have made `event`, as far as the event tells. For a command sent again
    /// it is always true; false means that its id was reused for something else.
    #[must_use]
    pub fn may_have_made(&self, action: &Action, event: &Event) -> bool {
        match (action, event) {
            (Action::Play { text, .. }, Event::Moved { text: made, .. }) => {
                // The event has the canonical text, the request the typed one.
                let canonical = self.position.read_move(text);
                canonical.map_or(text == made, |read| read.to_string() == *made)
            }
            (Action::Choose { order }, Event::Chosen { seat, first }) => {
                order.first_seat(*seat) == *first
            }
            (Action::AnswerTakeback { agree }, Event::TakenBack { .. }) => *agree,
            (Action::AnswerTakeback { agree }, Event::TakebackDeclined { .. }) => !*agree,
            (Action::Resign, Event::Resigned { .. })
            | (Action::Claim, Event::Claimed { .. })
            | (Action::OfferTakeback, Event::TakebackOffered { .. })
            | (Action::Withdraw, Event::Withdrawn)
            | (Action::OfferRematch, Event::RematchOffered { .. })
            | (Action::AcceptRematch, Event::RematchAccepted { .. })
            // The guest is the same one; their name may have changed.
            | (Action::Join { .. }, Event::Joined { .. }) => true,
            _ => false,
        }
    }
}

impl MatchSetup {
    /// Returns true if `terms` could have been drawn from this setup: everything the creator fixed is as they
    /// fixed it.
    #[must_use]
    pub fn may_have_drawn(&self, terms: &Terms) -> bool {
        let start = match &self.start {
            Start::Random(_) => true,
            Start::Position(text) => fibfob_games::Position::read(terms.game, text)
                .is_ok_and(|position| position.to_string() == terms.start),
        };
        let opponent = match (&self.opponent, &terms.joiner) {
            (Opponent::Bot(level), Some(Player::Bot { level: drawn })) => level == drawn,
            (Opponent::Open, None) => terms.seat_listed,
            (Opponent::Friend, None) => !terms.seat_listed,
            _ => false,
        };
        let first = match (self.first, terms.first) {
            (FirstMoveRule::Me, first) => first == FirstMove::Creator,
            (FirstMoveRule::Other, first) => first == FirstMove::Joiner,
            (FirstMoveRule::Random, first) => {
                matches!(first, FirstMove::Creator | FirstMove::Joiner)
            }
            (FirstMoveRule::Choose, first) => {
                matches!(first, FirstMove::CreatorChooses | FirstMove::JoinerChooses)
            }
        };
        let game = self.game.parse().is_ok_and(|game| terms.game == game);
        game && start
            && opponent
            && first
            && self.visibility == terms.visibility
            && self.learning == terms.learning
            && self.programs == terms.programs
            && self.time == terms.time
            && self.grace_ms.is_none_or(|grace| grace == terms.grace_ms)
    }
}
