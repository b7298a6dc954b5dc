//! Starting positions of matches: the named ranges from which they are drawn, and the bounds on them.
//!
//! The bounds keep the longest play of a match modest. A solver has no need of them, except where no formula is known and
//! a table is large enough for matches.

use std::{collections::BTreeMap, fmt, ops::RangeInclusive, str::FromStr};

use rand::RngExt;
use thiserror::Error;

use crate::nimber::UnknownReason;
use crate::notation::{excerpt, write_joined};

/// The longest a match can be, in plies: no start within the bounds of its game allows more.
pub const PLIES_MAX: u128 = 400;

/// The most draws to find a start. In every game, if a range holds an unfinished position, at most two thirds of
/// its positions are finished, so giving up wrongly has a chance below 2^-128. Of the default ranges' unfinished
/// positions, less than half are unfair in every game, so the last draw hardly ever replaces a fair one.
pub(crate) const START_DRAWS_MAX: usize = 256;

/// The most ranges that can be set at once.
const RANGES_MAX: usize = 32;

/// One named amount of a starting position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartRange {
    /// The name, such as `time`.
    pub name: &'static str,
    /// The least amount a match may start with.
    pub least: u64,
    /// The greatest amount a match may start with.
    pub most: u64,
    /// The least amount drawn when no range is given.
    pub default_from: u64,
    /// The greatest amount drawn when no range is given.
    pub default_to: u64,
    /// The greatest amount drawn for a wild start; the least is that of the default.
    pub wild: u64,
}

impl StartRange {
    /// A range with its bounds, and what is drawn from when none is given.
    #[must_use]
    pub const fn new(
        name: &'static str,
        bounds: RangeInclusive<u64>,
        default: RangeInclusive<u64>,
    ) -> Self {
        Self {
            name,
            least: *bounds.start(),
            most: *bounds.end(),
            default_from: *default.start(),
            default_to: *default.end(),
            wild: *default.end(),
        }
    }

    /// Checks an amount of a starting position.
    ///
    /// # Errors
    /// [`StartError::OutOfBounds`].
    pub fn check(&self, value: u64) -> Result<(), StartError> {
        let (what, least, most) = (self.name, self.least, self.most);
        match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(StartError::OutOfBounds {
                what,
                value,
                least,
                most,
            }),
        }
    }
}

/// The reason a match cannot start from a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum StartError {
    #[error("no match can start from a finished position")]
    Finished,
    #[error("{what} is {value}, and a match starts with {least} to {most}")]
    OutOfBounds {
        what: &'static str,
        value: u64,
        least: u64,
        most: u64,
    },
    /// Not every position that can arise is solved, so no bot could be promised to play it perfectly.
    #[error("a match starts where every position that can arise is solved: {0}")]
    Unsolved(UnknownReason),
    #[error("there is no range \"{name}\"; there are: {known}")]
    UnknownRange {
        /// The name, cut to a bounded length and safe to show on one line.
        name: String,
        known: String,
    },
    #[error("the range {name}={from}..{to} must be ascending and within {least}..{most}")]
    BadRange {
        name: &'static str,
        from: u64,
        /// Its end, inclusive.
        to: u64,
        least: u64,
        most: u64,
    },
}

/// A text does not say which ranges to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected at most {RANGES_MAX} ranges such as \"time=0..31 nuggets=0..7\", both ends included"
)]
pub struct RangesError;

/// Ranges that override the defaults of a game, by name. Both ends are included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(BTreeMap<String, (u64, u64)>);

impl Ranges {
    /// The same ranges with one more set, or set anew. Whether a game has it, only the game says.
    ///
    /// # Errors
    /// When there are too many.
    pub fn with(
        mut self,
        name: impl Into<String>,
        from: u64,
        to: u64,
    ) -> Result<Self, RangesError> {
        self.0.insert(name.into(), (from, to));
        if self.0.len() <= RANGES_MAX {
            Ok(self)
        } else {
            Err(RangesError)
        }
    }

    /// Returns the ranges of wild starts. All are set, so that no draw is preferred.
    #[must_use]
    pub fn wild(known: &[StartRange]) -> Self {
        let wild = |range: &StartRange| (range.name.into(), (range.default_from, range.wild));
        Self(known.iter().map(wild).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges that are set: name, beginning, end.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.0
            .iter()
            .map(|(name, &(from, to))| (name.as_str(), from, to))
    }
}

/// Writes `time=0..31 nuggets=0..7`.
impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges = self.iter();
        let texts = ranges.map(|(name, from, to)| format!("{name}={from}..{to}"));
        write_joined(f, " ", texts)
    }
}

/// Reads `time=0..31 nuggets=0..7`; one number alone is a range of one.
impl FromStr for Ranges {
    type Err = RangesError;

    fn from_str(text: &str) -> Result<Self, RangesError> {
        text.split_ascii_whitespace()
            .try_fold(Self::default(), |ranges, word| {
                let (name, range) = word.split_once('=').ok_or(RangesError)?;
                let (from, to) = range.split_once("..").unwrap_or((range, range));
                let number = |text: &str| text.parse().map_err(|_| RangesError);
                ranges.with(name, number(from)?, number(to)?)
            })
    }
}

/// Draws the amounts of a starting position.
pub struct StartSampler<'a> {
    known: &'static [StartRange],
    ranges: &'a Ranges,
    rng: &'a mut dyn rand::Rng,
}

impl<'a> StartSampler<'a> {
    /// Checks the ranges against those that a game knows.
    ///
    /// # Errors
    /// [`StartError::UnknownRange`] or [`StartError::BadRange`].
    pub fn new(
        known: &'static [StartRange],
        ranges: &'a Ranges,
        rng: &'a mut dyn rand::Rng,
    ) -> Result<Self, StartError> {
        for (name, from, to) in ranges.iter() {
            let Some(range) = known.iter().find(|range| range.name == name) else {
                let known: Vec<&str> = known.iter().map(|range| range.name).collect();
                return Err(StartError::UnknownRange {
                    name: excerpt(name),
                    known: known.join(", "),
                });
            };
            let StartRange {
                name, least, most, ..
            } = *range;
            if from > to || from < least || to > most {
                return Err(StartError::BadRange {
                    name,
                    from,
                    to,
                    least,
                    most,
                });
            }
        }
        Ok(StartSampler { known, ranges, rng })
    }

    /// An amount from the game's range of this name, or from what overrides it.
    pub fn amount(&mut self, range: &StartRange) -> u64 {
        let known = self.known.iter().find(|known| known.name == range.name);
        let known = known.expect("a game draws from its own ranges");
        let default = (known.default_from, known.default_to);
        let &(from, to) = self.ranges.0.get(range.name).unwrap_or(&default);
        self.rng.random_range(from..=to)
    }

    /// Draws a number below `bound`, which is at least 1, for something that is no amount.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.rng.random_range(0..bound)
    }

    /// The random number generator, for what is not an amount.
    pub(crate) fn rng(&mut self) -> &mut dyn rand::Rng {
        self.rng
    }
}
