//! Move texts with holes: filling them with the values of slots, and reading the values back.
//!
//! A hole is `{a}`, or `{a+2}` for a value that follows from the one in `{a}`; slot 0 is called `a`, slot 1 `b`, ….

use super::slot::Slot;

/// A stretch of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'p> {
    /// Text that stands for itself.
    Literal(&'p str),
    /// The value of a slot, plus a constant.
    Hole {
        /// The slot, from 0.
        slot: usize,
        /// The constant.
        plus: u64,
    },
}

/// The pieces of a pattern; what is between braces but no hole is literal.
pub fn pieces(pattern: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = first_hole(rest).unwrap_or_else(|| {
            // A brace that begins no hole is part of the literal.
            let brace = rest.bytes().skip(1).position(|byte| byte == b'{');
            let (literal, after) = rest.split_at(brace.map_or(rest.len(), |index| index + 1));
            (Piece::Literal(literal), after)
        });
        rest = after;
        Some(piece)
    })
}

/// The texts before and after the hole of a pattern whose only brace begins `{a}`, as that of most
/// families does; none for every other pattern.
pub fn around_only_hole(pattern: &str) -> Option<(&str, &str)> {
    let (before, after) = pattern.split_once('{')?;
    let after = after.strip_prefix("a}")?;
    (!after.contains('{')).then_some((before, after))
}

/// The hole that a text begins with, and what follows it.
fn first_hole(text: &str) -> Option<(Piece<'static>, &str)> {
    let inside = text.strip_prefix('{')?;
    let end = inside.bytes().position(|byte| byte == b'}')?;
    let (slot, plus) = read_name(&inside[..end])?;
    Some((Piece::Hole { slot, plus }, &inside[end + 1..]))
}

/// The slot and the constant of `a` or `a+2`.
pub fn read_name(text: &str) -> Option<(usize, u64)> {
    let (letter, plus) = match text.as_bytes() {
        [letter] => (letter, 0),
        [letter, b'+', ..] => (letter, text[2..].parse().ok()?),
        _ => return None,
    };
    letter
        .is_ascii_lowercase()
        .then(|| (usize::from(letter - b'a'), plus))
}

/// The text that arises when each slot has this value.
pub fn fill(pattern: &str, slots: &[Slot], values: &[u64]) -> String {
    let mut text = String::with_capacity(pattern.len() + 16);
    for piece in pieces(pattern) {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Hole { slot, plus } => {
                slots[slot].symbols().push(&mut text, values[slot] + plus);
            }
        }
    }
    text
}

/// The values of the slots with which the pattern becomes this text; `None` if there are none.
pub fn values(pattern: &str, slots: &[Slot], text: &str) -> Option<Vec<u64>> {
    let mut values: Vec<Option<u64>> = vec![None; slots.len()];
    let mut rest = text;
    for piece in pieces(pattern) {
        match piece {
            Piece::Literal(literal) => rest = rest.strip_prefix(literal)?,
            Piece::Hole { slot, plus } => {
                let (value, after) = slots[slot].symbols().read(rest)?;
                let value = value.checked_sub(plus)?;
                if *values[slot].get_or_insert(value) != value {
                    return None;
                }
                rest = after;
            }
        }
    }
    if rest.is_empty() {
        values.into_iter().collect()
    } else {
        None
    }
}
