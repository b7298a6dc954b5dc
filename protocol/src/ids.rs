//! Identifiers: guests, matches, codes, commands, versions, instants.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use fibfob_games::normalise_typed;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use crate::duration::millis;
use crate::limits::{CODE_LENGTH, COMMAND_ID_MAX};

/// A guest, for as long as the client keeps the token. Public: an id proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuestId(pub Uuid);

impl GuestId {
    /// A new random guest.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::new_v4())
    }

    /// A new guest, drawn from this source of randomness.
    #[must_use]
    pub fn draw(rng: &mut dyn Rng) -> Self {
        Self(uuid::Builder::from_random_bytes(rng.random()).into_uuid())
    }
}

/// A match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchId(pub Uuid);

impl MatchId {
    /// Derives the id of the match that this guest's `create` command makes. Sent twice, the command names
    /// the same match, and the second one meets the first one's log.
    #[must_use]
    pub fn created_by(guest: GuestId, command: &CommandId) -> Self {
        Self(Uuid::new_v5(&guest.0, command.as_str().as_bytes()))
    }

    /// Derives the id of this guest's flight on a day, counted from 1970-01-01. No command makes the same id,
    /// because a command id has no blank.
    #[must_use]
    pub fn flown_by(guest: GuestId, day: u32) -> Self {
        Self(Uuid::new_v5(&guest.0, format!("flight {day}").as_bytes()))
    }

    /// Derives the id of the one match that can follow this one as its rematch.
    #[must_use]
    pub fn rematch(self) -> Self {
        Self(Uuid::new_v5(&self.0, b"rematch"))
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for GuestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of events of a match; the first event makes version 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version(pub u64);

impl Version {
    /// Returns the version the next event makes.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An instant on the server's clock, in milliseconds since 1970-01-01T00:00Z.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the instant `by` after this one.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }
}

/// A text that is no id of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidId {
    /// Not a match code.
    #[error(
        "a match code has {CODE_LENGTH} characters of {} (case does not matter)",
        Code::ALPHABET
    )]
    Code,
    /// Not a command id.
    #[error("a command id has 1 to {COMMAND_ID_MAX} printable ASCII characters")]
    Command,
}

/// The name the client gives its own command; unique per guest and match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String")]
#[cfg_attr(
    feature = "schema",
    schemars(with = "String", extend("pattern" = "^[!-~]{1,64}$"))
)]
// Shared: a ply's id is in its record, its match's answered commands and its answer.
pub struct CommandId(Arc<str>);

impl CommandId {
    /// A new random id. Every answer repeats it, so it is no longer than it has to be.
    #[must_use]
    pub fn fresh() -> Self {
        let (_, random) = Uuid::new_v4().as_u64_pair();
        Self(format!("{random:016x}").into())
    }

    /// The id's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CommandId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        let printable = text.bytes().all(|byte| byte.is_ascii_graphic());
        if printable && (1..=COMMAND_ID_MAX).contains(&text.len()) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidId::Command)
        }
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A match's short name for people: no `0`/`O`, no `1`/`I`/`L`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Code([u8; CODE_LENGTH]);

impl Code {
    /// The characters a code is made of.
    pub const ALPHABET: &str = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

    /// A code drawn at random; the store decides whether it is free.
    #[must_use]
    pub fn draw(rng: &mut dyn Rng) -> Self {
        let letters = Self::ALPHABET.as_bytes();
        Self(std::array::from_fn(|_| {
            letters[rng.random_range(0..letters.len())]
        }))
    }

    /// The code's text, in capitals.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

impl FromStr for Code {
    type Err = InvalidId;

    /// Reads a code in any case, with the spaces and hyphens that people put into what they dictate, and as
    /// [`normalise_typed`] leaves it.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let text = normalise_typed(text);
        let letters = text.bytes().filter(|byte| !b" -".contains(byte));
        let letters = letters.map(|letter| letter.to_ascii_uppercase());
        let letters: Vec<u8> = letters.take(CODE_LENGTH + 1).collect();
        let code = <[u8; CODE_LENGTH]>::try_from(letters).map_err(|_| InvalidId::Code)?;
        let is_known = |letter| Self::ALPHABET.as_bytes().contains(letter);
        match code.iter().all(is_known) {
            true => Ok(Self(code)),
            false => Err(InvalidId::Code),
        }
    }
}

impl TryFrom<String> for Code {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.as_str().to_owned()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
