//! The error of a text that is no notation: what was found, and what was expected.

use thiserror::Error;

use super::{AMOUNT_MAX, TEXT_MAX, excerpt};

/// The kinds of notation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum NotationErrorKind {
    #[error("the text is longer than {TEXT_MAX} bytes")]
    TooLong,
    #[error("something is missing")]
    Missing,
    #[error("this has no meaning here")]
    Unexpected,
    #[error("this is no whole number")]
    NotAnAmount,
    #[error("the amount is larger than 2^53 - 1 = {AMOUNT_MAX}")]
    AmountTooLarge,
    /// A number is smaller than the rules allow.
    #[error("the amount is too small")]
    AmountTooSmall,
    /// There are more heaps, places, edges, components, … than a position may have.
    #[error("there are too many")]
    TooMany,
    #[error("there is no such field")]
    UnknownField,
    #[error("the field occurs twice")]
    RepeatedField,
    #[error("there is no such move")]
    UnknownVerb,
    #[error("this is not joined to the ground")]
    NotGrounded,
}

/// A text is not in the notation of its game.
///
/// Displayed as one line: the kind, a bounded excerpt of what was found, what was expected, and an example.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}: found \"{found}\", expected {expected}, for example \"{example}\"")]
pub struct NotationError {
    kind: NotationErrorKind,
    found: String,
    expected: String,
    /// Empty until the game whose notation it is has added its own.
    example: &'static str,
}

impl NotationErrorKind {
    /// `found` may be foreign text of any length; `expected` is a noun phrase.
    pub(crate) fn error(self, found: &str, expected: impl Into<String>) -> NotationError {
        NotationError {
            kind: self,
            found: excerpt(found),
            expected: expected.into(),
            example: "",
        }
    }
}

impl NotationError {
    /// The kind of error.
    #[must_use]
    pub const fn kind(&self) -> NotationErrorKind {
        self.kind
    }

    /// The same with an example of right notation, unless a part of the game has added one.
    pub(crate) fn or_example(mut self, example: &'static str) -> Self {
        if self.example.is_empty() {
            self.example = example;
        }
        self
    }
}
