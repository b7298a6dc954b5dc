//! The error of a text that is no notation: what was found, and what was expected.

use std::fmt;

use super::{AMOUNT_MAX, TEXT_MAX, excerpt};

/// The kinds of notation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotationErrorKind {
    /// The text is longer than [`TEXT_MAX`].
    TooLong,
    /// Something that must be there is not.
    Missing,
    /// Something is there that has no meaning.
    Unexpected,
    /// A number was expected.
    NotAnAmount,
    /// A number passes [`AMOUNT_MAX`].
    AmountTooLarge,
    /// A number is smaller than the rules allow.
    AmountTooSmall,
    /// There are more heaps, places, edges, components, … than a position may have.
    TooMany,
    /// A `key=value` field has a key the game does not know.
    UnknownField,
    /// A `key=value` field occurs twice.
    RepeatedField,
    /// A move begins with a word that is no move of the game.
    UnknownVerb,
    /// An edge is not joined to the ground.
    NotGrounded,
}

impl fmt::Display for NotationErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the text is longer than {TEXT_MAX} bytes"),
            Self::Missing => f.write_str("something is missing"),
            Self::Unexpected => f.write_str("this has no meaning here"),
            Self::NotAnAmount => f.write_str("this is no whole number"),
            Self::AmountTooLarge => {
                write!(f, "the amount is larger than 2^53 - 1 = {AMOUNT_MAX}")
            }
            Self::AmountTooSmall => f.write_str("the amount is too small"),
            Self::TooMany => f.write_str("there are too many"),
            Self::UnknownField => f.write_str("there is no such field"),
            Self::RepeatedField => f.write_str("the field occurs twice"),
            Self::UnknownVerb => f.write_str("there is no such move"),
            Self::NotGrounded => f.write_str("this is not joined to the ground"),
        }
    }
}

/// A text is not in the notation of its game.
///
/// Displayed as one line: the kind, a bounded excerpt of what was found, what was expected, and an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    kind: NotationErrorKind,
    found: String,
    expected: String,
    example: &'static str,
}

impl NotationError {
    /// `found` may be foreign text of any length; `expected` is a noun phrase; `example` is right notation.
    pub fn new(
        kind: NotationErrorKind,
        found: &str,
        expected: impl Into<String>,
        example: &'static str,
    ) -> Self {
        Self {
            kind,
            found: excerpt(found),
            expected: expected.into(),
            example,
        }
    }

    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> NotationErrorKind {
        self.kind
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            found,
            expected,
            example,
        } = self;
        write!(
            f,
            "{kind}: found \"{found}\", expected {expected}, for example \"{example}\""
        )
    }
}

impl std::error::Error for NotationError {}
