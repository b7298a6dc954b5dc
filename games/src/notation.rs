//! Shared readers of the notation: bounds, amounts, fields, and the error that names what was expected.
//!
//! A position is a literal and/or `key=value` fields separated by spaces; a move is a verb and its arguments. Reading
//! is tolerant (extra spaces, fields in any order, missing fields that are 0) and takes time linear in the text;
//! writing, by the games' `Display`, is canonical. This file knows neither games nor rules.

mod error;
mod fields;
mod typed;

use std::{
    fmt::{self, Write},
    ops::RangeInclusive,
};

pub use error::{NotationError, NotationErrorKind};
pub use fields::Fields;
pub use typed::normalise_typed;

/// The largest amount of anything: 2^53 − 1, which every reader of JSON holds exactly.
pub const AMOUNT_MAX: u64 = (1 << 53) - 1;

/// The greatest length of a position or move in bytes; longer text is refused unread.
///
/// Enough for a sum of the longest positions of all games.
pub const TEXT_MAX: usize = 1 << 22;

/// The most amounts in a list, such as heaps.
pub const LIST_MAX: usize = 2048;

/// The most places in a row, such as those of pins.
pub const ROW_MAX: usize = 4096;

/// The most fields a position may have.
const FIELDS_MAX: usize = 16;

/// The most characters of foreign text that an error repeats.
const EXCERPT_MAX: usize = 40;

/// The beginning of a foreign text, safe to show on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut escaped = text.chars().flat_map(char::escape_debug);
    let mut shown: String = escaped.by_ref().take(EXCERPT_MAX).collect();
    if escaped.next().is_some() {
        shown.push('…');
    }
    shown
}

/// A text without surrounding spaces.
///
/// # Errors
/// [`NotationErrorKind::TooLong`] past [`TEXT_MAX`] bytes: it is not looked at.
pub(crate) fn bounded(text: &str) -> Result<&str, NotationError> {
    if text.len() <= TEXT_MAX {
        return Ok(text.trim_ascii());
    }
    Err(NotationErrorKind::TooLong.error(text, format!("at most {TEXT_MAX} bytes")))
}

/// Reads a whole number from 0 to [`AMOUNT_MAX`], written in decimal digits.
///
/// # Errors
/// [`NotationErrorKind::NotAnAmount`] or [`NotationErrorKind::AmountTooLarge`].
pub(crate) fn amount(text: &str) -> Result<u64, NotationError> {
    let error = |kind: NotationErrorKind| {
        kind.error(text, format!("a whole number from 0 to {AMOUNT_MAX}"))
    };
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(error(NotationErrorKind::NotAnAmount));
    }
    // All are digits, so only overflow can fail.
    text.parse()
        .ok()
        .filter(|&amount| amount <= AMOUNT_MAX)
        .ok_or_else(|| error(NotationErrorKind::AmountTooLarge))
}

/// Reads amounts separated by commas, at least one.
///
/// # Errors
/// As for [`amount`].
pub(crate) fn list(text: &str) -> Result<Vec<u64>, NotationError> {
    text.split(',')
        .map(|item| amount(item.trim_ascii()))
        .collect()
}

/// Splits a move into its verb and the rest, both without surrounding spaces.
pub(crate) fn verb(text: &str) -> (&str, &str) {
    let (verb, rest) = text
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((text, ""));
    (verb, rest.trim_ascii_start())
}

/// Reads a move of words and amounts in turn, such as `take 2 from 1`.
///
/// # Errors
/// When a word is not the one wanted, or what follows it is no amount.
pub(crate) fn amounts<const N: usize>(
    text: &str,
    words: [&str; N],
) -> Result<[u64; N], NotationError> {
    let mut found = text.split_ascii_whitespace();
    let mut amounts = [0; N];
    for (index, (wanted, slot)) in words.into_iter().zip(&mut amounts).enumerate() {
        let expected = || format!("\"{wanted}\" and a number");
        let missing = || NotationErrorKind::Missing.error(text, expected());
        let word = found.next().ok_or_else(missing)?;
        if word != wanted {
            let kind = match index {
                0 => NotationErrorKind::UnknownVerb,
                _ => NotationErrorKind::Unexpected,
            };
            return Err(kind.error(word, expected()));
        }
        *slot = amount(found.next().ok_or_else(missing)?)?;
    }
    match found.next() {
        None => Ok(amounts),
        Some(word) => Err(NotationErrorKind::Unexpected.error(word, "the end of the move")),
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
) -> Result<Vec<u64>, NotationError> {
    let error = |kind: NotationErrorKind, found: &str| {
        let (least, most) = (counts.start(), counts.end());
        let expected = format!("\"{wanted}\" and {least} to {most} numbers with commas between");
        kind.error(found, expected)
    };
    let (verb, rest) = verb(text);
    if verb != wanted {
        return Err(error(NotationErrorKind::UnknownVerb, verb));
    }
    let amounts = list(rest)?;
    if amounts.len() < *counts.start() {
        Err(error(NotationErrorKind::Missing, rest))
    } else if amounts.len() > *counts.end() {
        Err(error(NotationErrorKind::Unexpected, rest))
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

/// Writes texts with this between them.
pub(crate) fn write_joined(
    f: &mut fmt::Formatter<'_>,
    between: &str,
    texts: impl IntoIterator<Item = impl fmt::Display>,
) -> fmt::Result {
    for (index, text) in texts.into_iter().enumerate() {
        f.write_str(if index == 0 { "" } else { between })?;
        text.fmt(f)?;
    }
    Ok(())
}

/// Writes amounts separated by commas.
pub(crate) fn write_list(f: &mut fmt::Formatter<'_>, amounts: &[u64]) -> fmt::Result {
    for (index, amount) in amounts.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        f.write_str(itoa::Buffer::new().format(*amount))?;
    }
    Ok(())
}
