//! Tables of positions: which sequences and planes of positions a game has, with their axes and options.
//!
//! It computes nothing and draws nothing.

/// The maximum length of a sequence, where the notation allows it.
pub const SEQUENCE_MAX: u64 = 1_000_000;

/// The maximum amount in a plane: a million positions.
pub const PLANE_MAX: u64 = 999;

/// The tables of a game.
#[derive(Clone, Copy, Debug)]
pub enum Tables {
    /// A sequence, a plane, or both.
    Of {
        /// The table of one amount.
        sequence: Option<Sequence>,
        /// The table of two amounts.
        plane: Option<Plane>,
    },
    /// No table, for this reason.
    None(&'static str),
}

impl Tables {
    /// A table of one amount.
    #[must_use]
    pub const fn sequence(sequence: Sequence) -> Self {
        Self::Of {
            sequence: Some(sequence),
            plane: None,
        }
    }

    /// A table of two amounts.
    #[must_use]
    pub const fn plane(plane: Plane) -> Self {
        Self::Of {
            sequence: None,
            plane: Some(plane),
        }
    }

    /// A table of one amount, and one of two.
    #[must_use]
    pub const fn both(sequence: Sequence, plane: Plane) -> Self {
        Self::Of {
            sequence: Some(sequence),
            plane: Some(plane),
        }
    }
}

/// A sequence of positions.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    /// The amount of the sequence.
    pub axis: Axis,
    /// The position of an amount, in the notation of the game.
    pub cell: fn(u64) -> String,
}

/// A table of positions by two amounts.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// The amount of the rows.
    pub rows: Axis,
    /// The amount of the columns.
    pub columns: Axis,
    /// The names of the options that the table has.
    pub options: &'static [&'static str],
    /// The position of a row and a column, in the notation of the game.
    pub cell: fn(u64, u64, &TableOptions) -> String,
}

impl Plane {
    /// The positions of two amounts, written such as `3,5`.
    #[must_use]
    pub const fn heaps(rows: &'static str, columns: &'static str) -> Self {
        Self {
            rows: Axis::new(rows, 0, PLANE_MAX),
            columns: Axis::new(columns, 0, PLANE_MAX),
            options: &[],
            cell: |a, b, _| format!("{a},{b}"),
        }
    }
}

/// An amount that grows by one from cell to cell.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The name of the amount.
    pub name: &'static str,
    /// The first amount.
    pub least: u64,
    /// The largest amount allowed.
    pub most: u64,
    /// The label of an amount.
    pub label: fn(u64) -> String,
}

impl Axis {
    /// An axis with numbers as labels.
    #[must_use]
    pub const fn new(name: &'static str, least: u64, most: u64) -> Self {
        fn number(amount: u64) -> String {
            amount.to_string()
        }
        Self {
            name,
            least,
            most,
            label: number,
        }
    }

    /// Returns the amounts up to `end`, at most those allowed.
    #[must_use]
    pub fn up_to(self, end: u64) -> std::ops::RangeInclusive<u64> {
        self.least..=end.min(self.most)
    }
}

/// The options that all positions of a plane share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Ryūō: a move from several heaps takes fewer coins than this.
    pub p: Option<u64>,
    /// Ryūō: a move from one heap takes fewer coins than this.
    pub q: Option<u64>,
    /// The coins of a third heap.
    pub third: Option<u64>,
}

/// The p of Ryūō Nim as published.
const P_USUAL: u64 = 3;

impl TableOptions {
    /// Returns the options that have a value, each with its name.
    pub fn chosen(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [("p", self.p), ("q", self.q), ("third", self.third)];
        all.into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
    }

    /// Returns p, or its default.
    #[must_use]
    pub fn p(&self) -> u64 {
        self.p.unwrap_or(P_USUAL)
    }
}
