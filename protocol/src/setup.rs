//! The setup of a match, as requested, and how the terms come from it.
//!
//! Everything left to chance is drawn here, before the match exists. From then on it is a fact in the match's log.

use std::collections::BTreeMap;

use fibfob_games::{GameId, Level, Position, Ranges};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::event::Terms;
use crate::ids::{Code, Timestamp};
use crate::limits::GRACE_MS;
use crate::refusal::Refusal;
use crate::seat::{FirstMove, Player};
use crate::time::TimeControl;
use crate::visibility::Visibility;

/// The setup that a `create` request asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchSetup {
    /// A game id of the catalogue; read when the match is opened, so that an unknown one is
    /// refused as such and not as malformed.
    pub game: String,
    /// The start.
    #[serde(default)]
    pub start: Start,
    /// The opponent.
    #[serde(default)]
    pub opponent: Opponent,
    /// The seat that moves first.
    #[serde(default)]
    pub first: FirstMoveRule,
    /// The match's visibility in the lobby.
    #[serde(default)]
    pub visibility: Visibility,
    /// True if analysis is open to all during play. A joining player agrees to it.
    #[serde(default)]
    pub learning: bool,
    /// True if a program may take the open seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub programs: bool,
    /// The time control.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// The time that a player may be away before the other one may claim the match, in
    /// milliseconds; the server's own value if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = *GRACE_MS.start(), max = *GRACE_MS.end())))]
    pub grace_ms: Option<u64>,
}

/// The server's defaults for a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDefaults {
    /// The instant at which an untaken seat closes.
    pub expires_at: Timestamp,
    /// The grace period for setups without one, in milliseconds.
    pub grace_ms: u64,
}

/// The start of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// This position, in the game's notation.
    Position(String),
    /// A position drawn at random: inclusive ranges by name, the game's defaults for the rest.
    Random(BTreeMap<String, (u64, u64)>),
}

impl Default for Start {
    fn default() -> Self {
        Self::Random(BTreeMap::new())
    }
}

/// The opponent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Opponent {
    /// Anybody; listed in the lobby if the match is public.
    #[default]
    Open,
    /// Anybody with the code; the seat is never listed.
    Friend,
    /// The server's solver, at once.
    Bot(#[cfg_attr(feature = "schema", schemars(with = "crate::schema::LevelName"))] Level),
}

/// The rule for the first move, as the creator sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FirstMoveRule {
    /// The creator.
    Me,
    /// The opponent.
    Other,
    /// One of the two, each with chance one half.
    #[default]
    Random,
    /// The joiner chooses after seeing the start, which the server draws. Against a bot the creator chooses.
    Choose,
}

impl MatchSetup {
    /// Returns the setup of a match of this game, with every default.
    #[must_use]
    pub fn new(game: impl Into<String>) -> Self {
        Self {
            game: game.into(),
            ..Self::default()
        }
    }

    /// Replaces the start by this position, in the game's notation.
    #[must_use]
    pub fn start(self, position: impl Into<String>) -> Self {
        let start = Start::Position(position.into());
        Self { start, ..self }
    }

    /// Replaces the opponent.
    #[must_use]
    pub fn opponent(self, opponent: Opponent) -> Self {
        Self { opponent, ..self }
    }

    /// Draws the terms of the match that `creator` asks for.
    ///
    /// # Errors
    /// `UnknownGame`, `Notation`, `Start` (finished, or beyond the game's stated bounds),
    /// `ChoiceNeedsDrawnStart`, `Time` or `Grace`.
    pub fn draw(
        &self,
        creator: Player,
        code: Code,
        house: ServerDefaults,
        rng: &mut dyn Rng,
    ) -> Result<Terms, Refusal> {
        let time = self.time.check()?;
        let grace_ms = self.grace_ms.unwrap_or(house.grace_ms);
        if !GRACE_MS.contains(&grace_ms) {
            return Err(Refusal::Grace);
        }
        if self.first == FirstMoveRule::Choose && matches!(self.start, Start::Position(_)) {
            return Err(Refusal::ChoiceNeedsDrawnStart);
        }
        let game: GameId = self.game.parse()?;
        let start = self.start.draw(game, rng)?;
        start.check_start()?;
        let first = match self.first {
            FirstMoveRule::Me => FirstMove::Creator,
            FirstMoveRule::Other => FirstMove::Joiner,
            FirstMoveRule::Random if rng.random() => FirstMove::Creator,
            FirstMoveRule::Random => FirstMove::Joiner,
            // The bot would never let a won start go.
            FirstMoveRule::Choose if matches!(self.opponent, Opponent::Bot(_)) => {
                FirstMove::CreatorChooses
            }
            FirstMoveRule::Choose => FirstMove::JoinerChooses,
        };
        Ok(Terms {
            code,
            game,
            start: start.to_string(),
            creator,
            joiner: match self.opponent {
                Opponent::Bot(level) => Some(Player::Bot { level }),
                Opponent::Open | Opponent::Friend => None,
            },
            first,
            time,
            grace_ms,
            visibility: self.visibility,
            seat_listed: matches!(self.opponent, Opponent::Open),
            learning: self.learning,
            programs: self.programs,
            expires_at: house.expires_at,
            rematch_of: None,
        })
    }
}

impl Start {
    pub(crate) fn draw(&self, game: GameId, rng: &mut dyn Rng) -> Result<Position, Refusal> {
        match self {
            Self::Position(text) => Ok(Position::read(game, text)?),
            Self::Random(named) => {
                let mut ranges = Ranges::default();
                for (name, &(from, to)) in named {
                    ranges = ranges.with(name, from, to)?;
                }
                Ok(game.random_start(&ranges, rng)?)
            }
        }
    }
}
