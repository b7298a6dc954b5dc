//! Programs that can be chosen as opponents: their registration, and offers.

use std::collections::BTreeMap;

use fibfob_games::GameId;
use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::event::Terms;
use crate::ids::MatchId;
use crate::name::PlayerName;
use crate::program::Program;
use crate::refusal::Refusal;
use crate::setup::Start;

/// A game that a program plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramGame {
    /// The game's id.
    pub game: String,
    /// The ranges within which its starts are drawn, by name: inclusive, the game's own for the rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, (u64, u64)>,
}

impl ProgramGame {
    /// This game, from any start.
    #[must_use]
    pub fn any_start(game: impl Into<String>) -> Self {
        Self {
            game: game.into(),
            ranges: BTreeMap::new(),
        }
    }

    /// Checks that a start can be drawn.
    ///
    /// # Errors
    /// `UnknownGame` or `Start`.
    pub fn check(&self, rng: &mut dyn Rng) -> Result<(), Refusal> {
        let game: GameId = self.game.parse()?;
        Start::Random(self.ranges.clone()).draw(game, rng)?;
        Ok(())
    }

    /// Returns the start that is asked for, within this program's ranges; none if it is outside. A position
    /// passes: the program itself declines those that it does not play.
    #[must_use]
    pub fn start(&self, asked: &Start) -> Option<Start> {
        let Start::Random(asked) = asked else {
            return Some(asked.clone());
        };
        let mut ranges = self.ranges.clone();
        for (name, &(from, to)) in asked {
            let own = ranges.insert(name.clone(), (from, to));
            if own.is_some_and(|(least, most)| from < least || to > most) {
                return None;
            }
        }
        Some(Start::Random(ranges))
    }
}

/// A program that can be chosen as an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramEntry {
    /// Its name.
    pub name: PlayerName,
    /// Its words about itself.
    #[serde(flatten)]
    pub program: Program,
    /// The games that it plays.
    pub games: Vec<ProgramGame>,
}

/// A match that is offered to a registered program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// The match that there will be.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// Its terms. Until their `expires_at` the offer can be taken.
    #[serde(flatten)]
    pub terms: Box<Terms>,
}
