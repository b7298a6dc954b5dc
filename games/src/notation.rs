//! What all readers of the notation share: bounds, amounts, fields, and the error that says what was expected.
//!
//! A position is a literal and/or `key=value` fields separated by spaces; a move is a verb and its arguments. Reading
//! is tolerant (extra spaces, fields in any order, missing fields that are 0) and takes time linear in the text;
//! writing, by the games' `Display`, is canonical. This file knows neither games nor rules.

use std::{
    fmt::{self, Write},
    ops::RangeInclusive,
};

use crate::About;

/// The largest amount of anything: 2^53 − 1, which every reader of JSON holds exactly.
pub const AMOUNT_MAX: u64 = (1 << 53) - 1;

/// The greatest length of a position or move in bytes; longer text is refused unread.
///
/// Enough for the largest graph of Green Hackenbush, 100 000 edges with numbers of up to 16 digits.
pub const TEXT_MAX: usize = 1 << 22;

/// The most amounts in a list, such as heaps.
pub const LIST_MAX: usize = 2048;

/// The most places in a row, such as those of pins.
pub const ROW_MAX: usize = 4096;

/// The most fields a position may have.
const FIELDS_MAX: usize = 16;

/// The most characters of foreign text that an error repeats.
const EXCERPT_MAX: usize = 40;

/// What is wrong with a text that is no notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooLong => write!(f, "the text is longer than {TEXT_MAX} bytes"),
            Fault::Missing => f.write_str("something is missing"),
            Fault::Unexpected => f.write_str("this has no meaning here"),
            Fault::NotAnAmount => f.write_str("this is no whole number"),
            Fault::AmountTooLarge => write!(f, "the amount is larger than 2^53 - 1 = {AMOUNT_MAX}"),
            Fault::AmountTooSmall => f.write_str("the amount is too small"),
            Fault::TooMany => f.write_str("there are too many"),
            Fault::UnknownField => f.write_str("there is no such field"),
            Fault::RepeatedField => f.write_str("the field occurs twice"),
            Fault::UnknownVerb => f.write_str("there is no such move"),
            Fault::NotGrounded => f.write_str("this is not joined to the ground"),
        }
    }
}

/// A text is not in the notation of its game.
///
/// Displayed as one line: the fault, a bounded excerpt of what was found, what was expected, and an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    fault: Fault,
    found: String,
    expected: String,
    example: &'static str,
}

impl NotationError {
    /// `found` may be foreign text of any length; `expected` is a noun phrase; `example` is right notation.
    pub fn new(
        fault: Fault,
        found: &str,
        expected: impl Into<String>,
        example: &'static str,
    ) -> Self {
        NotationError {
            fault,
            found: excerpt(found),
            expected: expected.into(),
            example,
        }
    }

    /// What is wrong.
    pub const fn fault(&self) -> Fault {
        self.fault
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotationError {
            fault,
            found,
            expected,
            example,
        } = self;
        write!(
            f,
            "{fault}: found \"{found}\", expected {expected}, for example \"{example}\""
        )
    }
}

impl std::error::Error for NotationError {}

/// The beginning of a foreign text, safe to show on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut escaped = text.chars().flat_map(char::escape_debug);
    let mut shown: String = escaped.by_ref().take(EXCERPT_MAX).collect();
    if escaped.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Refuses a text that is too long to be looked at.
///
/// # Errors
/// [`Fault::TooLong`] past [`TEXT_MAX`] bytes.
pub(crate) fn bounded<'t>(text: &'t str, example: &'static str) -> Result<&'t str, NotationError> {
    if text.len() <= TEXT_MAX {
        return Ok(text.trim_ascii());
    }
    Err(NotationError::new(
        Fault::TooLong,
        text,
        format!("at most {TEXT_MAX} bytes"),
        example,
    ))
}

/// Reads a whole number from 0 to [`AMOUNT_MAX`], written in decimal digits.
///
/// # Errors
/// [`Fault::NotAnAmount`] or [`Fault::AmountTooLarge`].
pub(crate) fn amount(text: &str, example: &'static str) -> Result<u64, NotationError> {
    let fault = |fault| {
        NotationError::new(
            fault,
            text,
            format!("a whole number from 0 to {AMOUNT_MAX}"),
            example,
        )
    };
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(fault(Fault::NotAnAmount));
    }
    // All are digits, so only overflow can fail.
    text.parse()
        .ok()
        .filter(|&amount| amount <= AMOUNT_MAX)
        .ok_or_else(|| fault(Fault::AmountTooLarge))
}

/// Reads amounts separated by commas, at least one.
///
/// # Errors
/// As for [`amount`].
pub(crate) fn list(text: &str, example: &'static str) -> Result<Vec<u64>, NotationError> {
    text.split(',')
        .map(|item| amount(item.trim_ascii(), example))
        .collect()
}

/// Splits a move into its verb and the rest, both without surrounding spaces.
///
/// # Errors
/// [`Fault::TooLong`] as for any text.
pub(crate) fn verb<'t>(
    text: &'t str,
    example: &'static str,
) -> Result<(&'t str, &'t str), NotationError> {
    let text = bounded(text, example)?;
    let (verb, rest) = text
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((text, ""));
    Ok((verb, rest.trim_ascii_start()))
}

/// The pieces of a position's text, taken one by one by the game that reads them.
#[derive(Debug)]
pub struct Fields<'t> {
    text: &'t str,
    /// What is no field, in order: the literal.
    words: Vec<&'t str>,
    fields: Vec<(&'t str, &'t str)>,
    about: &'static About,
}

impl<'t> Fields<'t> {
    /// Reads a position: cuts the text, lets the game take its pieces, and refuses what is left.
    ///
    /// # Errors
    /// When the text is empty, too long, or has a field twice; when `take` fails; when it leaves a piece.
    pub fn read<T>(
        text: &'t str,
        about: &'static About,
        take: impl FnOnce(&mut Self) -> Result<T, NotationError>,
    ) -> Result<T, NotationError> {
        let mut fields = Fields::cut(text, about)?;
        let position = take(&mut fields)?;
        fields.finish()?;
        Ok(position)
    }

    fn cut(text: &'t str, about: &'static About) -> Result<Self, NotationError> {
        let text = bounded(text, about.example)?;
        let mut cut = Fields {
            text,
            words: Vec::new(),
            fields: Vec::new(),
            about,
        };
        for word in text.split_ascii_whitespace() {
            match word.split_once('=') {
                Some((key, value)) => cut.push(key, value)?,
                None => cut.words.push(word),
            }
        }
        if text.is_empty() {
            return Err(cut.refused(Fault::Missing, text));
        }
        Ok(cut)
    }

    fn push(&mut self, key: &'t str, value: &'t str) -> Result<(), NotationError> {
        if self.fields.iter().any(|&(known, _)| known == key) {
            return Err(self.refused(Fault::RepeatedField, key));
        }
        if self.fields.len() == FIELDS_MAX {
            return Err(self.refused(Fault::UnknownField, key));
        }
        self.fields.push((key, value));
        Ok(())
    }

    /// An error about a piece of this text; `expected` is a noun phrase.
    pub fn error(&self, fault: Fault, found: &str, expected: impl Into<String>) -> NotationError {
        NotationError::new(fault, found, expected, self.about.example)
    }

    /// An error that can say no more than that this is no position.
    fn refused(&self, fault: Fault, found: &str) -> NotationError {
        self.error(fault, found, format!("a position of {}", self.about.id))
    }

    /// Takes the literal: all words that are no field, separated by single spaces.
    ///
    /// # Errors
    /// [`Fault::Missing`] if there is none (any more).
    pub fn literal(&mut self) -> Result<String, NotationError> {
        match std::mem::take(&mut self.words).join(" ") {
            none if none.is_empty() => Err(self.refused(Fault::Missing, self.text)),
            literal => Ok(literal),
        }
    }

    /// Takes the literal as amounts separated by commas, at least one.
    ///
    /// # Errors
    /// As for [`Fields::literal`], or when an item is no amount, or when there are more than [`LIST_MAX`].
    pub fn list(&mut self) -> Result<Vec<u64>, NotationError> {
        let literal = self.literal()?;
        if literal.split(',').nth(LIST_MAX).is_some() {
            let expected = format!("at most {LIST_MAX} numbers");
            return Err(self.error(Fault::TooMany, &literal, expected));
        }
        list(&literal, self.about.example)
    }

    /// Takes the literal as a row of places, each with the first or the second symbol: whether it is the second.
    ///
    /// # Errors
    /// As for [`Fields::literal`], or when there is another symbol, or when there are more than [`ROW_MAX`] places.
    pub fn row(&mut self, [off, on]: [char; 2]) -> Result<Vec<bool>, NotationError> {
        let literal = self.literal()?;
        let expected = |fault| {
            let expected = format!("a row of {off} and {on}, at most {ROW_MAX} places");
            self.error(fault, &literal, expected)
        };
        if literal.len() > ROW_MAX {
            return Err(expected(Fault::TooMany));
        }
        let place = |symbol: char| match symbol {
            symbol if symbol == on => Some(true),
            symbol if symbol == off => Some(false),
            _ => None,
        };
        let row: Option<Vec<bool>> = literal.chars().map(place).collect();
        row.ok_or_else(|| expected(Fault::Unexpected))
    }

    /// Takes the field of this key, if it is there.
    pub fn field(&mut self, key: &str) -> Option<&'t str> {
        let index = self.fields.iter().position(|&(known, _)| known == key)?;
        Some(self.fields.swap_remove(index).1)
    }

    /// Takes the field of this key as an amount; a missing field is 0.
    ///
    /// # Errors
    /// When the value is no amount.
    pub fn amount(&mut self, key: &str) -> Result<u64, NotationError> {
        self.field(key)
            .map_or(Ok(0), |value| amount(value, self.about.example))
    }

    /// Ends the reading: whatever nobody took has no meaning.
    fn finish(self) -> Result<(), NotationError> {
        match (self.words.first(), self.fields.first()) {
            (None, None) => Ok(()),
            (None, Some((key, _))) => Err(self.refused(Fault::UnknownField, key)),
            (Some(word), _) => Err(self.refused(Fault::Unexpected, word)),
        }
    }
}

/// Reads a move of words and amounts in turn, such as `take 2 from 1`.
///
/// # Errors
/// When a word is not the one wanted, or what follows it is no amount.
pub(crate) fn amounts<const N: usize>(
    text: &str,
    words: [&str; N],
    example: &'static str,
) -> Result<[u64; N], NotationError> {
    let text = bounded(text, example)?;
    let mut found = text.split_ascii_whitespace();
    let mut amounts = [0; N];
    for (index, (wanted, slot)) in words.into_iter().zip(&mut amounts).enumerate() {
        let expected = || format!("\"{wanted}\" and a number");
        let missing = || NotationError::new(Fault::Missing, text, expected(), example);
        let word = found.next().ok_or_else(missing)?;
        if word != wanted {
            let fault = if index == 0 {
                Fault::UnknownVerb
            } else {
                Fault::Unexpected
            };
            return Err(NotationError::new(fault, word, expected(), example));
        }
        *slot = amount(found.next().ok_or_else(missing)?, example)?;
    }
    match found.next() {
        None => Ok(amounts),
        Some(word) => Err(NotationError::new(
            Fault::Unexpected,
            word,
            "the end of the move",
            example,
        )),
    }
}

/// Reads a move of a verb and amounts separated by commas, such as `knock 2,3`; as many amounts as `counts` allows.
///
/// # Errors
/// When the verb is not the one wanted, or its arguments are not such amounts.
pub(crate) fn verb_list(
    text: &str,
    wanted: &str,
    counts: RangeInclusive<usize>,
    example: &'static str,
) -> Result<Vec<u64>, NotationError> {
    let error = |fault, found: &str| {
        let expected = format!(
            "\"{wanted}\" and {} to {} numbers with commas between",
            counts.start(),
            counts.end()
        );
        NotationError::new(fault, found, expected, example)
    };
    let (verb, rest) = verb(text, example)?;
    if verb != wanted {
        return Err(error(Fault::UnknownVerb, verb));
    }
    let amounts = list(rest, example)?;
    if amounts.len() < *counts.start() {
        Err(error(Fault::Missing, rest))
    } else if amounts.len() > *counts.end() {
        Err(error(Fault::Unexpected, rest))
    } else {
        Ok(amounts)
    }
}

/// Writes a row of places, each as the first or, where it is true, as the second symbol.
pub(crate) fn write_row(
    f: &mut fmt::Formatter<'_>,
    row: &[bool],
    [off, on]: [char; 2],
) -> fmt::Result {
    row.iter()
        .try_for_each(|&place| f.write_char(if place { on } else { off }))
}

/// Writes amounts separated by commas.
pub(crate) fn write_list(f: &mut fmt::Formatter<'_>, amounts: &[u64]) -> fmt::Result {
    for (index, amount) in amounts.iter().enumerate() {
        write!(f, "{}{amount}", if index == 0 { "" } else { "," })?;
    }
    Ok(())
}
