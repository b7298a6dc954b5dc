//! A check of a whole store that names what is damaged: what every engine's check shares. How an
//! engine walks over its tables is its own; how a log is replayed, what its index row must be, and
//! what is reported and counted is here.

use std::fmt;
use std::ops::ControlFlow;

use fibfob_protocol::{CorruptLog, Match, MatchId, Record, Timestamp};
use thiserror::Error;

use super::error::StoreError;
use super::index_row::IndexRow;
use super::match_columns::MatchColumns;

/// One difference from what a server wrote.
#[derive(Debug)]
pub enum Damage {
    /// Damage of one match.
    Match(MatchId, DamageKind),
    /// Damage of the store itself.
    Store(StorePlace, DamageKind),
}

/// The place of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorePlace {
    /// A file.
    #[default]
    File,
    /// A database.
    Database,
}

/// The kind of damage.
#[derive(Debug, Error)]
pub enum DamageKind {
    /// A record is missing or cannot be read.
    #[error("{0}")]
    Log(StoreError),
    /// The records can be read, and no match can have written them.
    #[error("the log cannot be replayed: {0}")]
    Replay(#[from] CorruptLog),
    /// A match of the index has no log.
    #[error("it is in the index and has no log")]
    NoLog,
    /// A log has no row in the index.
    #[error("it has a log and is not in the index")]
    NoRow,
    /// A row differs from what the log says.
    #[error("`{column}` in the index is not what the log says")]
    Row {
        /// The first such column.
        column: &'static str,
    },
    /// A row of the index cannot be read.
    #[error("its row in the index cannot be read: {0}")]
    UnreadableRow(StoreError),
    /// A table's list of matches ends with an error.
    #[error("the {table} cannot be read to the end, matches may be missing here: {source}")]
    Truncated {
        /// The table.
        table: &'static str,
        /// The error.
        source: StoreError,
    },
    /// Rows of the log are missing.
    #[error("{rows} of the log's rows are missing, and with them events of some match")]
    LostRows {
        /// The number of missing rows.
        rows: u64,
    },
    /// Rows of the log belong to no match.
    #[error("{rows} of the log's rows, single or packed, are of no match in the index")]
    Orphans {
        /// The number of rows.
        rows: u64,
    },
    /// The span of the log is not what was written.
    #[error("the span of the log is not what was written: events may be missing at its end")]
    Span,
    /// Records of a match are not where its row in the index says, or not only there.
    #[error(
        "it has records in the log and packed ones, or not those that its row in the index names"
    )]
    Misplaced,
    /// The key that signs tokens is another one than the store was made with.
    #[error("the key that signs tokens is not the one that the store was made with")]
    OtherKey,
    /// The key that signs tokens is not what was written.
    #[error("the key that signs tokens is not what was written: {0}")]
    Key(StoreError),
    /// Notes are not what was written.
    #[error("{rows} notes beside the logs are not what was written")]
    Notes {
        /// The number of notes.
        rows: u64,
    },
    /// The note of the servers' running is missing or cannot be read.
    #[error("the note of the servers' running is not what was written: {0}")]
    Service(StoreError),
    /// A table differs from what a server makes.
    #[error("`{0}` is not defined as a server defines it")]
    Definition(String),
    /// SQLite's own check failed.
    #[error("SQLite finds: {0}")]
    Sqlite(String),
}

impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "the file",
            Self::Database => "the database",
        })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match(id, kind) => write!(f, "{id}: {kind}"),
            Self::Store(place, kind) => write!(f, "{place}: {kind}"),
        }
    }
}

/// The counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The place of the store.
    pub place: StorePlace,
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

/// The findings of a check so far. After `Break` nothing more is wanted.
pub struct Findings<R> {
    report: R,
    counts: CheckReport,
}

impl<R: FnMut(&Damage) -> ControlFlow<()>> Findings<R> {
    /// No findings yet about a store in this place, which are passed to `report`.
    pub fn new(place: StorePlace, report: R) -> Self {
        let counts = CheckReport {
            place,
            ..CheckReport::default()
        };
        Self { report, counts }
    }

    /// Counts and reports damage of the store itself.
    pub fn note_store(&mut self, kind: DamageKind) -> ControlFlow<()> {
        self.counts.store_damages += 1;
        (self.report)(&Damage::Store(self.counts.place, kind))
    }

    /// Counts a match and reports its damages.
    pub fn note(&mut self, checked: CheckedMatch) -> ControlFlow<()> {
        self.counts.matches += 1;
        self.counts.events += checked.events;
        self.counts.damaged_matches += u64::from(!checked.damages.is_empty());
        for kind in checked.damages {
            (self.report)(&Damage::Match(checked.id, kind))?;
        }
        ControlFlow::Continue(())
    }

    /// The counts so far.
    pub fn counts(&self) -> CheckReport {
        self.counts
    }
}

/// A log that is replayed by the rules while it is read, one record at a time.
pub struct LogReplay {
    id: MatchId,
    replayed: Option<(Match, Timestamp)>,
}

impl LogReplay {
    /// A log without a record yet.
    pub fn new(id: MatchId) -> Self {
        Self { id, replayed: None }
    }

    /// Applies the next record.
    ///
    /// # Errors
    /// If no match can have written it there.
    pub fn push(&mut self, record: &Record) -> Result<(), CorruptLog> {
        match &mut self.replayed {
            Some((state, _)) => state.evolve(record)?,
            None => self.replayed = Some((Match::begin(self.id, record)?, record.at)),
        }
        Ok(())
    }

    /// Returns the number of events, and the index row that follows from them; none without events.
    pub fn finish(self) -> (u64, Option<IndexRow>) {
        match self.replayed {
            Some((state, at)) => (state.version().0, Some(IndexRow::of(&state, at))),
            None => (0, None),
        }
    }
}

/// The findings about one match.
pub struct CheckedMatch {
    id: MatchId,
    events: u64,
    damages: Vec<DamageKind>,
}

impl CheckedMatch {
    /// The comparison of a log, as it was replayed to its end, with the match's row in the index, if
    /// there is one.
    pub fn compare(
        id: MatchId,
        replayed: Result<LogReplay, DamageKind>,
        columns: Result<Option<MatchColumns>, StoreError>,
    ) -> Self {
        let replayed = replayed.map(LogReplay::finish);
        let events = match &replayed {
            Ok((events, _)) => *events,
            Err(_) => 0,
        };
        let damages = match (replayed, columns) {
            (Ok((_, None)), _) => vec![DamageKind::NoLog],
            (Ok(_), Ok(None)) => vec![DamageKind::NoRow],
            (Ok((_, Some(row))), Ok(Some(columns))) => columns
                .difference(&MatchColumns::of(id, &row))
                .map(|column| DamageKind::Row { column })
                .into_iter()
                .collect(),
            (Ok(_), Err(error)) => vec![DamageKind::UnreadableRow(error)],
            (Err(kind), Ok(_)) => vec![kind],
            (Err(kind), Err(error)) => vec![kind, DamageKind::UnreadableRow(error)],
        };
        Self {
            id,
            events,
            damages,
        }
    }

    /// The finding about a log that has no row in the index.
    pub fn without_row(id: MatchId) -> Self {
        Self {
            id,
            events: 0,
            damages: vec![DamageKind::NoRow],
        }
    }
}
