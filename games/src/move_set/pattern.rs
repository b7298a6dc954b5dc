//! Move texts with holes: filling them with numbers, and reading the numbers back.
//!
//! A hole is `{a}`, or `{a+2}` for a number that follows from the one in `{a}`; slot 0 is called `a`, slot 1 `b`, ….

/// A stretch of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'p> {
    /// Text that stands for itself.
    Literal(&'p str),
    /// The number of a slot, plus a constant.
    Hole {
        /// The slot, from 0.
        slot: usize,
        /// The constant.
        plus: u64,
    },
}

/// The name of a slot.
pub fn name(slot: usize) -> char {
    u8::try_from(slot)
        .ok()
        .filter(|&slot| slot < 26)
        .map_or('?', |slot| char::from(b'a' + slot))
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

/// The text that arises when each slot has this number.
pub fn fill(pattern: &str, values: &[u64]) -> String {
    let mut text = String::with_capacity(pattern.len() + 16);
    for piece in pieces(pattern) {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Hole { slot, plus } => push_number(&mut text, values[slot] + plus),
        }
    }
    text
}

/// The numbers of `slots` slots with which the pattern becomes this text; `None` if there are none.
pub fn values(pattern: &str, slots: usize, text: &str) -> Option<Vec<u64>> {
    let mut values: Vec<Option<u64>> = vec![None; slots];
    let mut rest = text;
    for piece in pieces(pattern) {
        match piece {
            Piece::Literal(literal) => rest = rest.strip_prefix(literal)?,
            Piece::Hole { slot, plus } => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let (digits, after) = rest.split_at(end);
                let value = canonical(digits)?.checked_sub(plus)?;
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

/// Writes a number in decimal digits.
pub fn push_number(text: &mut String, number: u64) {
    text.push_str(itoa::Buffer::new().format(number));
}

/// A number as it is written: digits without leading zeros.
pub fn canonical(digits: &str) -> Option<u64> {
    let has_digits_only = digits.bytes().all(|digit| digit.is_ascii_digit());
    if !has_digits_only || digits.len() > 1 && digits.starts_with('0') {
        None
    } else {
        digits.parse().ok()
    }
}
