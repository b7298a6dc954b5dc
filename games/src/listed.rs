//! The games and the bots as programs are told about them: on the wire, in the page, and by `fibfob games --json`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::catalogue::GameId;
use crate::game_info::Convention;
use crate::how_to_play::HowToPlay;
use crate::reasoner::Reasoner;
use crate::start::StartRange;
use crate::strategy::Level;

/// All games in their order, and the levels of bots, the best first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Catalogue {
    /// The games.
    pub games: Vec<ListedGame>,
    /// The levels of bots.
    pub levels: Vec<ListedLevel>,
}

/// A game in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedGame {
    /// The id, such as `fib-fob`.
    pub id: String,
    /// The name in prose.
    pub title: String,
    /// The rules in one line.
    pub rules: String,
    /// A position in canonical notation.
    pub example: String,
    /// A move of that position in canonical notation.
    pub example_move: String,
    /// The winner when no move is left.
    pub convention: Convention,
    /// The notation of positions, in a sentence.
    pub position: String,
    /// The amounts of a random start.
    pub ranges: Vec<ListedRange>,
    /// The grades of its puzzles, the simplest first; servers of 0.2.0 tell none.
    #[serde(default)]
    pub grades: Vec<Reasoner>,
    /// The game as it is told to a beginner.
    pub how_to_play: HowToPlay,
}

/// One named amount of a starting position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedRange {
    /// The name, such as `time`.
    pub name: String,
    /// The least amount a match may start with.
    pub least: u64,
    /// The greatest amount a match may start with.
    pub most: u64,
    /// The least amount drawn when no range is given, and for a wild start.
    pub from: u64,
    /// The greatest amount drawn when no range is given.
    pub to: u64,
    /// The greatest amount drawn for a wild start.
    pub wild: u64,
}

/// A level of bots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedLevel {
    /// The name, such as `perfect`.
    pub level: String,
    /// The name in prose, such as `The Auditor`; servers of 0.1.0 tell none.
    #[serde(default)]
    pub title: String,
    /// The strength, in a sentence.
    pub sentence: String,
}

impl Catalogue {
    /// The catalogue of this version, built once.
    #[must_use]
    pub fn built() -> &'static Self {
        static BUILT: LazyLock<Catalogue> = LazyLock::new(|| Catalogue {
            games: GameId::ALL.iter().copied().map(ListedGame::from).collect(),
            levels: Level::ALL.map(ListedLevel::from).into(),
        });
        &BUILT
    }
}

impl From<GameId> for ListedGame {
    fn from(game: GameId) -> Self {
        let info = game.info();
        Self {
            id: info.id.into(),
            title: info.title.into(),
            rules: info.rules.into(),
            example: info.example.into(),
            example_move: info.example_move.into(),
            convention: info.convention,
            position: game.docs().position.into(),
            ranges: game.start_ranges().iter().map(ListedRange::from).collect(),
            grades: game.grades().into(),
            how_to_play: game.how_to_play(),
        }
    }
}

impl From<&StartRange> for ListedRange {
    fn from(range: &StartRange) -> Self {
        Self {
            name: range.name.into(),
            least: range.least,
            most: range.most,
            from: range.default_from,
            to: range.default_to,
            wild: range.wild,
        }
    }
}

impl From<Level> for ListedLevel {
    fn from(level: Level) -> Self {
        Self {
            level: level.to_string(),
            title: level.title().into(),
            sentence: level.sentence().into(),
        }
    }
}
