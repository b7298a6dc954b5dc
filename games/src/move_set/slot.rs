//! The hole of a pattern: the values that may stand in it, and how each is written.

use smallvec::SmallVec;

/// An arithmetic run of numbers: `from`, `from + step`, …, `to`. Not empty, and `step` is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progression {
    /// The first number.
    pub from: u64,
    /// The last number.
    pub to: u64,
    /// The distance of neighbours.
    pub step: u64,
}

impl Progression {
    /// The number of numbers.
    #[must_use]
    pub const fn count(&self) -> u128 {
        ((self.to - self.from) / self.step) as u128 + 1
    }

    /// Returns `true` if this is one of the numbers.
    #[must_use]
    pub const fn contains(&self, value: u64) -> bool {
        self.from <= value && value <= self.to && (value - self.from).is_multiple_of(self.step)
    }

    pub(super) fn after(&self, value: u64) -> Option<u64> {
        value.checked_add(self.step).filter(|&next| next <= self.to)
    }
}

/// The signs that a slot's values are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// Decimal digits.
    Numbers,
    /// One letter: 1 is `a`, 26 is `z`.
    Letters,
}

impl Symbols {
    /// The largest value that can be written.
    pub const fn most(self) -> u64 {
        match self {
            Self::Numbers => u64::MAX,
            Self::Letters => 26,
        }
    }

    /// Writes a value.
    pub fn push(self, text: &mut String, value: u64) {
        match self {
            Self::Numbers => text.push_str(itoa::Buffer::new().format(value)),
            Self::Letters => text.push(letter(value)),
        }
    }

    /// Reads the value that a text begins with; returns it with what follows.
    pub fn read(self, text: &str) -> Option<(u64, &str)> {
        match self {
            Self::Numbers => {
                let end = text.find(|c: char| !c.is_ascii_digit());
                let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
                Some((canonical(digits)?, rest))
            }
            Self::Letters => {
                let rest = text.strip_prefix(|c: char| c.is_ascii_lowercase())?;
                Some((u64::from(text.as_bytes()[0] - b'a' + 1), rest))
            }
        }
    }
}

/// The values that may stand in one hole of a pattern: numbers, or letters by their place in the alphabet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    name: char,
    symbols: Symbols,
    runs: Runs,
}

/// The runs of a slot: most often one.
pub type Runs = SmallVec<[Progression; 1]>;

impl Slot {
    /// The slot of a pattern's hole `index`, with disjoint ascending runs.
    pub(super) fn new(index: usize, symbols: Symbols, runs: Runs) -> Self {
        Self {
            name: letter(index as u64 + 1),
            symbols,
            runs,
        }
    }

    /// The letter in the pattern's holes.
    #[must_use]
    pub const fn name(&self) -> char {
        self.name
    }

    /// Disjoint runs, by ascending beginnings; at least one.
    #[must_use]
    pub fn runs(&self) -> &[Progression] {
        &self.runs
    }

    /// The text of a value in a hole.
    #[must_use]
    pub fn text(&self, value: u64) -> String {
        let mut text = String::new();
        self.symbols.push(&mut text, value);
        text
    }

    pub(super) const fn symbols(&self) -> Symbols {
        self.symbols
    }

    pub(super) fn count(&self) -> u128 {
        self.runs.iter().map(Progression::count).sum()
    }

    /// Returns `true` if every number from one to another may stand in the hole.
    pub(super) fn is_range_of_numbers(&self) -> bool {
        self.symbols == Symbols::Numbers && matches!(self.runs[..], [Progression { step: 1, .. }])
    }

    /// Returns `true` if only one value may stand in the hole.
    pub(super) fn is_single(&self) -> bool {
        self.count() == 1
    }
}

/// Writes runs as they stand in a hole.
pub fn push_runs(text: &mut String, symbols: Symbols, runs: &[Progression]) {
    for (index, &Progression { from, to, step }) in runs.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        symbols.push(text, from);
        // One letter between braces would be the name of a slot.
        if from < to || symbols == Symbols::Letters {
            text.push_str("..");
            symbols.push(text, to);
        }
        if from < to && step > 1 {
            text.push('/');
            Symbols::Numbers.push(text, step);
        }
    }
}

/// The letter at a place of the alphabet, counted from 1.
fn letter(place: u64) -> char {
    u8::try_from(place)
        .ok()
        .filter(|place| (1..=26).contains(place))
        .map_or('?', |place| char::from(b'a' - 1 + place))
}

/// A number as it is written: digits without leading zeros.
pub fn canonical(digits: &str) -> Option<u64> {
    // A leading zero would give one move two texts.
    let has_digits_only = digits.bytes().all(|digit| digit.is_ascii_digit());
    if !has_digits_only || digits.len() > 1 && digits.starts_with('0') {
        None
    } else {
        digits.parse().ok()
    }
}
