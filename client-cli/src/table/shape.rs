//! What a table is made of: how many positions, in a line or in a plane, and how the text of each is written.

use thiserror::Error;

/// The tables that a game has.
pub enum Tables {
    /// At least one of them is there.
    Of {
        /// One amount grows.
        line: Option<Line>,
        /// Two amounts grow.
        plane: Option<Plane>,
    },
    /// None, for this reason.
    None(&'static str),
}

/// A sequence of positions.
#[derive(Clone, Copy)]
pub struct Line {
    /// What grows.
    pub axis: Axis,
    /// The position, in the notation of the game.
    pub cell: fn(u64) -> String,
}

/// A table of positions.
#[derive(Clone, Copy)]
pub struct Plane {
    /// What grows downwards.
    pub rows: Axis,
    /// What grows to the right.
    pub columns: Axis,
    /// What else may be chosen.
    pub knobs: &'static [Knob],
    /// The position of a row and a column, in the notation of the game.
    pub cell: fn(u64, u64, &Knobs) -> String,
}

/// An amount that grows by one from cell to cell.
#[derive(Clone, Copy)]
pub struct Axis {
    /// What it is.
    pub name: &'static str,
    /// The first amount.
    pub least: u64,
    /// The largest amount allowed.
    pub most: u64,
    /// How an amount is written.
    pub label: fn(u64) -> String,
}

impl Axis {
    /// An amount that is written as a number.
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

    /// The amounts up to `end`, or fewer where no more are allowed.
    pub fn up_to(self, end: u64) -> std::ops::RangeInclusive<u64> {
        self.least..=end.min(self.most)
    }
}

/// What is the same in all positions of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// Ryūō: takes from several heaps are of less coins.
    P,
    /// Ryūō: takes from one heap are of less coins.
    Q,
    /// The coins of a third heap.
    Third,
}

impl Knob {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::P, Self::Q, Self::Third];

    /// The name of the option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P => "p",
            Self::Q => "q",
            Self::Third => "third",
        }
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Knobs {
    /// See [`Knob::P`].
    pub p: Option<u64>,
    /// See [`Knob::Q`].
    pub q: Option<u64>,
    /// See [`Knob::Third`].
    pub third: Option<u64>,
}

/// The p of the game that Ryūō Nim is named after.
pub const P_USUAL: u64 = 3;

impl Knobs {
    /// What was chosen for one of them.
    pub const fn get(&self, knob: Knob) -> Option<u64> {
        match knob {
            Knob::P => self.p,
            Knob::Q => self.q,
            Knob::Third => self.third,
        }
    }

    /// p, or the usual one.
    pub fn p(&self) -> u64 {
        self.p.unwrap_or(P_USUAL)
    }

    /// Those that were chosen, as `p=3 q=6`.
    pub fn written(&self) -> String {
        let chosen = |knob: Knob| Some(format!("{}={}", knob.name(), self.get(knob)?));
        let chosen: Vec<String> = Knob::ALL.into_iter().filter_map(chosen).collect();
        chosen.join(" ")
    }

    /// Checks that only such were chosen as the table has.
    ///
    /// # Errors
    /// The one that it has not.
    pub fn check(&self, known: &[Knob]) -> Result<(), NoKnob> {
        let set = |knob: &Knob| self.get(*knob).is_some();
        match Knob::ALL
            .into_iter()
            .find(|knob| set(knob) && !known.contains(knob))
        {
            Some(knob) => Err(NoKnob(knob.name())),
            None => Ok(()),
        }
    }
}

/// An option that a table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this table has no --{0}")]
pub struct NoKnob(&'static str);
