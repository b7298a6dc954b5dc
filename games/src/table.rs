//! Tables of positions: which sequences and planes of positions a game has, with their axes and options.
//!
//! It computes nothing and draws nothing.

/// The maximum length of a sequence, where the notation allows it.
pub const SEQUENCE_MAX: u64 = 1_000_000;

/// The maximum amount in a plane: a million positions.
pub const PLANE_MAX: u64 = 999;

/// The tables of a game: a sequence, a plane, or both; or the reason there are none.
pub type Tables = Result<&'static [PositionTable], &'static str>;

/// Positions by one amount, a sequence, or by two, a plane.
#[derive(Clone, Copy, Debug)]
pub struct PositionTable {
    /// The amount of the sequence, or of the rows.
    pub rows: Axis,
    /// The amount of the columns; none in a sequence.
    pub columns: Option<Axis>,
    /// The names of the options that the table has.
    pub options: &'static [&'static str],
    /// The position of a row and a column (0 in a sequence), in the notation of the game.
    pub cell: fn(u64, u64, &TableOptions) -> String,
}

impl PositionTable {
    /// Positions by one amount.
    #[must_use]
    pub const fn sequence(axis: Axis, cell: fn(u64, u64, &TableOptions) -> String) -> Self {
        Self {
            rows: axis,
            columns: None,
            options: &[],
            cell,
        }
    }

    /// Positions by two amounts from 0 on.
    #[must_use]
    pub const fn plane(
        [rows, columns]: [&'static str; 2],
        cell: fn(u64, u64, &TableOptions) -> String,
    ) -> Self {
        Self {
            columns: Some(Axis::new(columns, 0, PLANE_MAX)),
            ..Self::sequence(Axis::new(rows, 0, PLANE_MAX), cell)
        }
    }

    /// The positions of two heaps, written such as `3,5`.
    #[must_use]
    pub const fn heaps() -> Self {
        Self::plane(["heap 1", "heap 2"], |a, b, _| format!("{a},{b}"))
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
