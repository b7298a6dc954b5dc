//! The common part of all engines' checks: how a log and its index row must look, and what is counted and
//! reported. Each engine walks over its own tables.

use std::fmt::Display;
use std::ops::ControlFlow;

use fibfob_protocol::{Match, MatchId, Record};

use super::error::StoreError;
use super::index_row::{IndexRow, MatchColumns};

/// The counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The place of the store, in words.
    pub place: &'static str,
    /// Matches that were read.
    pub matches: u64,
    /// Their events, as far as they could be read.
    pub events: u64,
    /// Matches with any damage.
    pub damaged_matches: u64,
    /// Damages of the store itself.
    pub store_damages: u64,
}

impl CheckReport {
    /// Returns whether nothing is damaged.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged_matches == 0 && self.store_damages == 0
    }
}

/// The findings of a check so far.
pub struct Findings<R> {
    report: R,
    counts: CheckReport,
    is_ended: bool,
}

impl<R: FnMut(&str) -> ControlFlow<()>> Findings<R> {
    /// Begins a check of a store in this place, such as "the file". `report` gets the text of each damage,
    /// and ends the check when it wants no more.
    pub fn new(place: &'static str, report: R) -> Self {
        let counts = CheckReport {
            place,
            ..CheckReport::default()
        };
        Self {
            report,
            counts,
            is_ended: false,
        }
    }

    /// Returns true if the check may end, because no further damage is wanted.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    fn tell(&mut self, damage: &str) {
        if !self.is_ended {
            self.is_ended = (self.report)(damage).is_break();
        }
    }

    /// Counts and reports damage of the store itself.
    pub fn note_store(&mut self, damage: impl Display) {
        self.counts.store_damages += 1;
        self.tell(&format!("{}: {damage}", self.counts.place));
    }

    /// Counts and reports damaged notes, if there are any.
    pub fn note_notes(&mut self, rows: u64) {
        if rows > 0 {
            self.note_store(format_args!(
                "{rows} notes beside the logs are not what was written"
            ));
        }
    }

    /// Counts and reports a damaged signing key.
    pub fn note_key(&mut self, error: impl Display) {
        self.note_store(format_args!(
            "the key that signs tokens is not what was written: {error}"
        ));
    }

    /// Counts and reports a table with another definition than a server creates.
    pub fn note_definition(&mut self, table: &str) {
        self.note_store(format_args!(
            "`{table}` is not defined as a server defines it"
        ));
    }

    /// Counts and reports a table that cannot be read to its end.
    pub fn note_truncated(&mut self, table: &str, error: impl Display) {
        self.note_store(format_args!(
            "the {table} cannot be read to the end, matches may be missing here: {error}"
        ));
    }

    /// Counts a match and reports its damages.
    pub fn note(&mut self, checked: CheckedMatch) {
        self.counts.matches += 1;
        self.counts.events += checked.events;
        self.counts.damaged_matches += u64::from(!checked.damages.is_empty());
        for damage in checked.damages {
            self.tell(&format!("{}: {damage}", checked.id));
        }
    }

    /// The counts so far.
    pub fn counts(&self) -> CheckReport {
        self.counts
    }
}

/// The findings about one match.
pub struct CheckedMatch {
    id: MatchId,
    events: u64,
    damages: Vec<String>,
}

impl CheckedMatch {
    /// Replays a match's log by the rules, and compares it with the match's index row, if there is one.
    pub fn compare(
        id: MatchId,
        records: Result<Vec<Record>, StoreError>,
        columns: Option<Result<MatchColumns, StoreError>>,
    ) -> Self {
        let replayed = match records {
            Ok(records) => replay(id, &records),
            Err(error) => Err(error.to_string()),
        };
        let unreadable = |error| format!("its row in the index cannot be read: {error}");
        let (events, damages) = match (replayed, columns) {
            (_, None) => (0, vec!["it has a log and is not in the index".to_owned()]),
            (Ok(None), Some(_)) => (0, vec!["it is in the index and has no log".to_owned()]),
            (Ok(Some((events, row))), Some(Ok(columns))) => {
                let differs = columns.difference(&MatchColumns::of(id, &row));
                let damage = |column| format!("`{column}` in the index is not what the log says");
                (events, differs.map(damage).into_iter().collect())
            }
            (Ok(Some((events, _))), Some(Err(error))) => (events, vec![unreadable(error)]),
            (Err(damage), Some(Ok(_))) => (0, vec![damage]),
            (Err(damage), Some(Err(error))) => (0, vec![damage, unreadable(error)]),
        };
        Self {
            id,
            events,
            damages,
        }
    }
}

/// Returns the number of events, and the index row that follows from them, if there are any. Fails if no
/// match could have written them.
fn replay(id: MatchId, records: &[Record]) -> Result<Option<(u64, IndexRow)>, String> {
    let Some(first) = records.first() else {
        return Ok(None);
    };
    match Match::replay(id, records) {
        Ok(state) => Ok(Some((state.version().0, IndexRow::of(&state, first.at)))),
        Err(error) => Err(format!("the log cannot be replayed: {error}")),
    }
}
