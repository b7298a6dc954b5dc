//! The options of a new match.

use clap::Args;
use fibfob_games::{GameId, Level, Ranges};
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, Start, TimeControl, Visibility};
use fibfob_theory::{read_game, read_position};
use rand::SeedableRng;
use rand::rngs::StdRng;
use thiserror::Error;

use super::{MATCH, UsageError, parse_name};
use crate::time_control::{self, read_grace};

/// The options of a new match.
#[derive(Args, Clone, Debug)]
#[group(id = "new", multiple = true)]
pub struct MatchSetupArgs {
    /// The game
    #[arg(long, default_value = "fib-fob", value_parser = read_game, help_heading = MATCH)]
    game: GameId,
    /// Start from this position (one quoted argument), or `wild`: anything, lopsided or not
    #[arg(long, value_name = "POSITION", conflicts_with = "random", help_heading = MATCH)]
    start: Option<String>,
    /// Start from a random position; where ranges are given here, anything within them and the game's own
    #[arg(long, value_name = "NAME=FROM-TO", num_args = 0.., value_parser = read_range, help_heading = MATCH, hide_short_help = true)]
    random: Option<Vec<AmountRange>>,
    /// Draw the random start here, from this number: the same number draws the same start
    #[arg(long, value_name = "NUMBER", conflicts_with = "start", help_heading = MATCH, hide_short_help = true)]
    seed: Option<u64>,
    /// Play against the bot: perfect, strong, casual (the default: somebody who looks one move ahead
    /// wins nearly half of their matches) or novice
    #[arg(long, value_name = "LEVEL", value_parser = parse_name::<Level>(&["perfect", "strong", "casual", "novice"]), num_args = 0..=1, default_missing_value = "casual", conflicts_with = "friend", help_heading = MATCH)]
    bot: Option<Level>,
    /// Only those who have the code may join
    #[arg(long, help_heading = MATCH)]
    friend: bool,
    /// The player who moves first: me, other, random, or choose (the player who joins sees the start
    /// and chooses; against a bot you choose) [default: me with a position, else random]
    #[arg(long, value_name = "WHO", value_parser = parse_name::<FirstMoveRule>(&["me", "other", "random", "choose"]), help_heading = MATCH)]
    first: Option<FirstMoveRule>,
    /// Hide the match from the lobby
    #[arg(long, help_heading = MATCH, hide_short_help = true)]
    private: bool,
    /// Open the analysis to both players and all spectators during play; joining means consent
    #[arg(long, help_heading = MATCH, hide_short_help = true)]
    learning: bool,
    /// Let a program take the free seat, too
    #[arg(long, conflicts_with_all = ["bot", "friend"], help_heading = MATCH, hide_short_help = true)]
    programs: bool,
    /// The clocks: 10m or 5m+3s (for all moves, plus more after each), 30s/move (for each move), none
    #[arg(long, value_name = "CLOCK", default_value = "none", value_parser = time_control::read, help_heading = MATCH)]
    time: TimeControl,
    /// The time a player may be away before the other player may claim the match [default: the
    /// server's]
    #[arg(long, value_name = "TIME", value_parser = read_grace, help_heading = MATCH, hide_short_help = true)]
    grace: Option<u64>,
}

impl MatchSetupArgs {
    /// Returns the setup that the options describe.
    pub fn setup(&self) -> Result<MatchSetup, UsageError> {
        let start = match (self.start.as_deref(), self.seed) {
            (Some("wild"), _) => {
                let wild = Ranges::wild(self.game.start_ranges());
                let named = wild
                    .iter()
                    .map(|(name, from, to)| (name.into(), (from, to)));
                Start::Random(named.collect())
            }
            (Some(position), _) => {
                let position = read_position(self.game, position)?;
                position.check_start()?;
                Start::Position(position.to_string())
            }
            (None, Some(seed)) => Start::Position(self.draw_start(seed)?),
            (None, None) => Start::Random(self.random.clone().into_iter().flatten().collect()),
        };
        let given = matches!(start, Start::Position(_));
        if self.first == Some(FirstMoveRule::Choose) && given {
            return Err(UsageError::ChoiceOfKnownStart);
        }
        Ok(MatchSetup {
            start,
            opponent: match self.bot {
                Some(level) => Opponent::Bot(level),
                None if self.friend => Opponent::Friend,
                None => Opponent::Open,
            },
            // A player who chooses the position sees a move in it and makes it.
            first: self.first.unwrap_or(match given {
                true => FirstMoveRule::Me,
                false => FirstMoveRule::Random,
            }),
            visibility: match self.private {
                true => Visibility::Private,
                false => Visibility::Public,
            },
            learning: self.learning,
            programs: self.programs,
            time: self.time,
            grace_ms: self.grace,
            ..MatchSetup::new(self.game.to_string())
        })
    }

    fn draw_start(&self, seed: u64) -> Result<String, UsageError> {
        let mut ranges = Ranges::default();
        for (name, (from, to)) in self.random.iter().flatten() {
            ranges = ranges.with(name, *from, *to)?;
        }
        let rng = &mut StdRng::seed_from_u64(seed);
        Ok(self.game.random_start(&ranges, rng)?.to_string())
    }
}

/// The name of an amount of a random start and its range, both ends included.
type AmountRange = (String, (u64, u64));

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a range such as time=0-63 or nuggets=5")]
struct ParseRangeError;

fn read_range(text: &str) -> Result<AmountRange, ParseRangeError> {
    let (name, range) = text.split_once('=').ok_or(ParseRangeError)?;
    let (from, to) = range.split_once('-').unwrap_or((range, range));
    let amount = |text: &str| text.parse().map_err(|_| ParseRangeError);
    Ok((name.to_owned(), (amount(from)?, amount(to)?)))
}
