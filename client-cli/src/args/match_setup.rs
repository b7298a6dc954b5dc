//! The options of a new match.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use fibfob_games::{GameId, Level};
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, Start, Visibility};
use thiserror::Error;

use crate::time_control::{GraceArg, TimeControlArg};
use crate::typed::{read_game, read_position};

/// The options of a new match.
#[derive(Args, Clone, Debug)]
#[group(id = "new", multiple = true)]
pub struct MatchSetupArgs {
    /// The game
    #[arg(long, default_value = "fib-fob", value_parser = read_game)]
    game: GameId,
    /// Start from this position (one quoted argument)
    #[arg(long, value_name = "POSITION", conflicts_with = "random")]
    start: Option<String>,
    /// Start from a random position; ranges given here replace the game's own
    #[arg(long, value_name = "NAME=FROM-TO", num_args = 0..)]
    random: Option<Vec<RangeArg>>,
    /// Play against the bot: perfect (the default), strong, casual or novice
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "perfect", conflicts_with = "friend")]
    bot: Option<Level>,
    /// Only those who have the code may join
    #[arg(long)]
    friend: bool,
    /// The player who moves first: me, other, random, or choose (the player who joins sees the start
    /// and chooses; against a bot you choose) [default: me with --start, else random]
    #[arg(long, value_name = "WHO")]
    first: Option<FirstMoveArg>,
    /// Hide the match from the lobby
    #[arg(long)]
    private: bool,
    /// Open the analysis to both players and all spectators during play; joining means consent
    #[arg(long)]
    learning: bool,
    /// The clocks: 10m or 5m+3s (for all moves, plus more after each), 30s/move (for each move), none
    #[arg(long, value_name = "CLOCK", default_value = "none")]
    time: TimeControlArg,
    /// The time a player may be away before the other player may claim the match [default: the
    /// server's]
    #[arg(long, value_name = "TIME")]
    grace: Option<GraceArg>,
}

/// Options that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OptionConflict {
    /// A choice is fair only from a start that neither player knew before.
    #[error(
        "--first choose needs a start that the server draws: expected no --start (--random with ranges is possible)"
    )]
    ChoiceOfKnownStart,
}

impl MatchSetupArgs {
    /// Returns the setup that the options describe.
    ///
    /// # Errors
    /// [`OptionConflict`].
    pub fn setup(&self) -> Result<MatchSetup, OptionConflict> {
        if self.first == Some(FirstMoveArg::Choose) && self.start.is_some() {
            return Err(OptionConflict::ChoiceOfKnownStart);
        }
        let ranges = self.random.iter().flatten();
        Ok(MatchSetup {
            start: match &self.start {
                // The server says what is wrong with one that cannot be read.
                Some(position) => Start::Position(
                    read_position(self.game, position)
                        .map_or_else(|_| position.clone(), |read| read.to_string()),
                ),
                None => Start::Random(
                    ranges
                        .map(|range| (range.name.clone(), (range.from, range.to)))
                        .collect::<BTreeMap<_, _>>(),
                ),
            },
            opponent: match self.bot {
                Some(level) => Opponent::Bot(level),
                None if self.friend => Opponent::Friend,
                None => Opponent::Open,
            },
            // A player who chooses the position sees a move in it and makes it.
            first: match (self.first, &self.start) {
                (Some(FirstMoveArg::Me), _) | (None, Some(_)) => FirstMoveRule::Me,
                (Some(FirstMoveArg::Other), _) => FirstMoveRule::Other,
                (Some(FirstMoveArg::Choose), _) => FirstMoveRule::Choose,
                (Some(FirstMoveArg::Random), _) | (None, None) => FirstMoveRule::Random,
            },
            visibility: if self.private {
                Visibility::Private
            } else {
                Visibility::Public
            },
            learning: self.learning,
            time: self.time.0,
            grace_ms: self.grace.map(|grace| grace.0),
            ..MatchSetup::of(self.game.to_string())
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FirstMoveArg {
    Me,
    Other,
    Random,
    Choose,
}

/// The range of an amount of a random start, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RangeArg {
    name: String,
    from: u64,
    to: u64,
}

/// A text that is not a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a range such as time=0-63 or nuggets=5")]
struct ParseRangeError;

impl FromStr for RangeArg {
    type Err = ParseRangeError;

    fn from_str(text: &str) -> Result<Self, ParseRangeError> {
        let (name, range) = text.split_once('=').ok_or(ParseRangeError)?;
        let (from, to) = range
            .split_once("..")
            .or_else(|| range.split_once('-'))
            .unwrap_or((range, range));
        let amount = |text: &str| text.parse().map_err(|_| ParseRangeError);
        Ok(Self {
            name: name.to_owned(),
            from: amount(from)?,
            to: amount(to)?,
        })
    }
}
