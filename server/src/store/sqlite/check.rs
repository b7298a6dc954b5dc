//! A check of a whole store that names what is damaged. Changes nothing, and holds no more than
//! one match in memory.
//!
//! Each match is read in a transaction of its own, so that a running server can truncate its
//! write-ahead log meanwhile; only SQLite's own check holds a transaction for long.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{CorruptLog, Match, MatchId, Record, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use thiserror::Error;
use uuid::Uuid;

use super::SqliteError;
use super::backup::open_to_read;
use super::read::{each_record, match_id};
use super::row::MatchColumns;
use crate::identity::ServerKey;
use crate::limits::{CHECK_FILE_DAMAGES_MAX, CHECK_PAGE};
use crate::store::IndexRow;

/// One difference from what a server wrote.
#[derive(Debug)]
pub enum Damage {
    /// Damage of one match.
    Match(MatchId, DamageKind),
    /// Damage of the file itself.
    File(DamageKind),
}

/// The kind of damage.
#[derive(Debug, Error)]
pub enum DamageKind {
    /// A record is missing or cannot be read.
    #[error("{0}")]
    Log(#[from] SqliteError),
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
    UnreadableRow(SqliteError),
    /// A table's list of matches ends with an error.
    #[error("the {table} cannot be read to the end, matches may be missing here: {source}")]
    Truncated {
        /// The table.
        table: &'static str,
        /// The error.
        source: SqliteError,
    },
    /// The key that signs tokens cannot be read.
    #[error("the key that signs tokens cannot be read")]
    Key,
    /// SQLite's own check failed.
    #[error("SQLite finds: {0}")]
    Sqlite(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match(id, kind) => write!(f, "{id}: {kind}"),
            Self::File(kind) => write!(f, "the file: {kind}"),
        }
    }
}

/// The counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Matches that were read.
    pub matches: u64,
    /// Their events, as far as they could be read.
    pub events: u64,
    /// Matches with any damage.
    pub damaged_matches: u64,
    /// Damages of the file itself.
    pub file_damages: u64,
}

impl CheckReport {
    /// Returns whether nothing is damaged.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged_matches == 0 && self.file_damages == 0
    }
}

/// Checks the store at `path` and calls `report` for each damage as it is found. A server may be
/// writing the store meanwhile; `report` may end the check.
///
/// # Errors
/// If the file cannot be opened, or is not a store.
pub fn check(
    path: &Path,
    report: impl FnMut(&Damage) -> ControlFlow<()>,
) -> Result<CheckReport, SqliteError> {
    let mut checker = Checker {
        store: open_to_read(path)?,
        report,
        counts: CheckReport::default(),
    };
    // Ended early, it has reported what it was allowed to.
    let _ = checker.check_all();
    Ok(checker.counts)
}

struct Checker<R> {
    store: Connection,
    report: R,
    counts: CheckReport,
}

/// The end of a walk over a table's ids.
#[derive(Clone, Copy)]
enum WalkEnd {
    Complete,
    /// An error ended it after this id.
    FailedAfter(MatchId),
}

/// The next ids of a walk; none at its end.
type IdPage = Result<Vec<MatchId>, SqliteError>;

impl<R: FnMut(&Damage) -> ControlFlow<()>> Checker<R> {
    fn check_all(&mut self) -> ControlFlow<()> {
        self.check_file()?;
        self.check_key()?;
        let index_walk = self.walk("index of the matches", ids_in_index, |checker, id| {
            checker.check_match(id)
        })?;
        self.walk("table of the logs", ids_of_logs, |checker, id| {
            // Matches in the index were checked, as far as the index could be read.
            let checked = match index_walk {
                WalkEnd::Complete => !matches!(checker.row(id), Ok(None)),
                WalkEnd::FailedAfter(end) => id.0 <= end.0 && !matches!(checker.row(id), Ok(None)),
            };
            if checked {
                ControlFlow::Continue(())
            } else {
                checker.check_match(id)
            }
        })?;
        ControlFlow::Continue(())
    }

    fn report(&mut self, damage: &Damage) -> ControlFlow<()> {
        if matches!(damage, Damage::File(_)) {
            self.counts.file_damages += 1;
        }
        (self.report)(damage)
    }

    /// Runs SQLite's own check of pages, keys and indices.
    fn check_file(&mut self) -> ControlFlow<()> {
        let lines = {
            let sql = format!("PRAGMA integrity_check({CHECK_FILE_DAMAGES_MAX})");
            let found = self.store.prepare(&sql).and_then(|mut found| {
                let lines = found.query_map([], |row| row.get::<_, String>(0))?;
                lines.collect::<Result<Vec<_>, _>>()
            });
            found.unwrap_or_else(|error| vec![error.to_string()])
        };
        for line in lines.into_iter().filter(|line| line != "ok") {
            self.report(&Damage::File(DamageKind::Sqlite(line)))?;
        }
        ControlFlow::Continue(())
    }

    fn check_key(&mut self) -> ControlFlow<()> {
        let key: rusqlite::Result<Vec<u8>> =
            self.store
                .query_row("SELECT key FROM server_key", [], |row| row.get(0));
        match key {
            Ok(key) if ServerKey::from_bytes(&key).is_some() => ControlFlow::Continue(()),
            _ => self.report(&Damage::File(DamageKind::Key)),
        }
    }

    /// Calls `visit` for every id that `next` finds, a page at a time.
    fn walk(
        &mut self,
        table: &'static str,
        next: impl Fn(&Connection, MatchId) -> IdPage,
        visit: impl Fn(&mut Self, MatchId) -> ControlFlow<()>,
    ) -> ControlFlow<(), WalkEnd> {
        let mut after = MatchId(Uuid::nil());
        loop {
            let page = match next(&self.store, after) {
                Ok(page) => page,
                Err(source) => {
                    self.report(&Damage::File(DamageKind::Truncated { table, source }))?;
                    return ControlFlow::Continue(WalkEnd::FailedAfter(after));
                }
            };
            let Some(last) = page.last() else {
                return ControlFlow::Continue(WalkEnd::Complete);
            };
            after = *last;
            for id in page {
                visit(self, id)?;
            }
        }
    }

    fn check_match(&mut self, id: MatchId) -> ControlFlow<()> {
        self.counts.matches += 1;
        // One transaction, so that row and log are of the same moment.
        let (log, columns) = match self.store.unchecked_transaction() {
            Ok(transaction) => {
                let found = (self.replay(id), self.row(id));
                // It has only read; nothing is lost whether it commits or not.
                drop(transaction);
                found
            }
            Err(error) => (Err(SqliteError::from(error).into()), Ok(None)),
        };
        let (events, row) = match log {
            Ok((events, row)) => (events, Ok(row)),
            Err(kind) => (0, Err(kind)),
        };
        self.counts.events += events;
        let damages = match (row, columns) {
            (Ok(None), _) => vec![DamageKind::NoLog],
            (Ok(Some(_)), Ok(None)) => vec![DamageKind::NoRow],
            (Ok(Some(row)), Ok(Some(columns))) => columns
                .difference(&MatchColumns::of(&row))
                .map(|column| DamageKind::Row { column })
                .into_iter()
                .collect(),
            (Ok(Some(_)), Err(error)) => vec![DamageKind::UnreadableRow(error)],
            (Err(kind), Ok(_)) => vec![kind],
            (Err(kind), Err(error)) => vec![kind, DamageKind::UnreadableRow(error)],
        };
        self.counts.damaged_matches += u64::from(!damages.is_empty());
        for kind in damages {
            self.report(&Damage::Match(id, kind))?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the number of events, and the index row that follows from them; none without
    /// events.
    fn replay(&self, id: MatchId) -> Result<(u64, Option<IndexRow>), DamageKind> {
        let mut replayed: Option<(Match, Timestamp)> = None;
        each_record(&self.store, id, |record: Record| {
            match &mut replayed {
                Some((state, _)) => state.evolve(&record)?,
                None => replayed = Some((Match::begin(id, &record)?, record.at)),
            }
            Ok::<_, DamageKind>(())
        })?;
        Ok(match replayed {
            Some((state, at)) => (state.version().0, Some(IndexRow::of(&state, at))),
            None => (0, None),
        })
    }

    fn row(&self, id: MatchId) -> Result<Option<MatchColumns>, SqliteError> {
        let mut found = self.store.prepare_cached(
            "SELECT code, phase, created_at, expires_at, lobby FROM match WHERE id = ?1",
        )?;
        let mut rows = found.query([id.0.as_bytes().as_slice()])?;
        rows.next()?.map(MatchColumns::read).transpose()
    }
}

/// Reads the next ids of the index.
fn ids_in_index(store: &Connection, after: MatchId) -> IdPage {
    let mut found =
        store.prepare_cached("SELECT id FROM match WHERE id > ?1 ORDER BY id LIMIT ?2")?;
    let limit = i64::try_from(CHECK_PAGE).unwrap_or(i64::MAX);
    let mut rows = found.query((after.0.as_bytes().as_slice(), limit))?;
    let mut ids = Vec::with_capacity(CHECK_PAGE);
    while let Some(row) = rows.next()? {
        ids.push(match_id(row.get(0)?)?);
    }
    Ok(ids)
}

/// Reads the next id that has a log: a jump from log to log, not a walk through all events.
fn ids_of_logs(store: &Connection, after: MatchId) -> IdPage {
    let mut found = store.prepare_cached(
        "SELECT match_id FROM event WHERE match_id > ?1 ORDER BY match_id LIMIT 1",
    )?;
    let id: Option<Vec<u8>> = found
        .query_row([after.0.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    Ok(id.map(match_id).transpose()?.into_iter().collect())
}
