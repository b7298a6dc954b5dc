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
    /// The slot of a pattern's hole `index`, with runs in ascending order that end on their last value.
    pub(super) fn new(index: usize, symbols: Symbols, mut runs: Runs) -> Self {
        assert!(!runs.is_empty(), "a slot has a value");
        for run in &mut runs {
            assert!(
                run.from <= run.to && run.step >= 1,
                "a run is ascending: {run:?}"
            );
            if run.step > 1 {
                run.to -= (run.to - run.from) % run.step;
            }
            if run.from == run.to {
                // One value has one form, whatever the step after it would have been.
                run.step = 1;
            }
        }
        runs.sort_by_key(|run| run.from);
        for pair in runs.windows(2) {
            debug_assert!(
                !pair[0].contains(pair[1].from) && !pair[1].contains(pair[0].to),
                "runs are disjoint: {pair:?}"
            );
        }
        debug_assert!(
            runs.iter().all(|run| run.to <= symbols.most()),
            "{symbols:?} can be written: {runs:?}"
        );
        Self {
            name: letter(index as u64 + 1),
            symbols,
            runs,
        }
    }

    /// The slot of all values `from..=to`.
    pub(super) fn of_range(index: usize, symbols: Symbols, from: u64, to: u64) -> Self {
        let run = Progression { from, to, step: 1 };
        Self::new(index, symbols, Runs::from_buf([run]))
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

    /// The value of a slot that has no other.
    pub(super) fn only(&self) -> Option<u64> {
        match self.runs[..] {
            [Progression { from, to, .. }] if from == to => Some(from),
            _ => None,
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
    let has_digits_only = digits.bytes().all(|digit| digit.is_ascii_digit());
    if !has_digits_only || digits.len() > 1 && digits.starts_with('0') {
        None
    } else {
        digits.parse().ok()
    }
}
