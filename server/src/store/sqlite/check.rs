//! Looks through a whole store and names what is damaged. Changes nothing, and holds no more
//! than one match in memory.
//!
//! Each match is looked at in a transaction of its own, so that a running server is not kept
//! from tidying its file up; only SQLite's own check holds one for long.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{CorruptLog, Match, MatchId, Record, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use thiserror::Error;
use uuid::Uuid;

use super::backup::open_to_read;
use super::read::{each_record, match_id};
use super::row::Row;
use crate::identity::ServerKey;
use crate::limits::{CHECK_FILE_FAULTS_MAX, CHECK_PAGE};
use crate::store::IndexRow;
use crate::store::StoreError;

/// One thing that is not as a server wrote it.
#[derive(Debug)]
pub enum Damage {
    /// In one match.
    Match(MatchId, Fault),
    /// In the file as such.
    File(Fault),
}

/// What is wrong.
#[derive(Debug, Error)]
pub enum Fault {
    /// A record is missing or cannot be read.
    #[error("{0}")]
    Log(#[from] StoreError),
    /// The records can be read, and no match can have written them.
    #[error("the log cannot be replayed: {0}")]
    Replay(#[from] CorruptLog),
    /// A match of the index has no log.
    #[error("it is in the index and has no log")]
    NoLog,
    /// A log has no row in the index.
    #[error("it has a log and is not in the index")]
    NoRow,
    /// A row says something else than the log.
    #[error("`{column}` in the index is not what the log says")]
    Row {
        /// The first such column.
        column: &'static str,
    },
    /// The index cannot be read.
    #[error("its row in the index cannot be read: {0}")]
    UnreadableRow(StoreError),
    /// The list of the matches breaks off.
    #[error("the {table} cannot be read to the end, matches may be missing here: {source}")]
    Broken {
        /// Of what.
        table: &'static str,
        /// Why.
        source: StoreError,
    },
    /// The key that signs tokens.
    #[error("the key that signs tokens cannot be read")]
    Key,
    /// SQLite's own check.
    #[error("SQLite finds: {0}")]
    Sqlite(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match(id, fault) => write!(f, "{id}: {fault}"),
            Self::File(fault) => write!(f, "the file: {fault}"),
        }
    }
}

/// How much was looked at, and what came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Matches.
    pub matches: u64,
    /// Their events, as far as they could be read.
    pub events: u64,
    /// Matches of which something is damaged.
    pub damaged_matches: u64,
    /// Faults of the file as such.
    pub file_faults: u64,
}

impl Checked {
    /// Whether everything is as it was written.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged_matches == 0 && self.file_faults == 0
    }
}

/// Looks through the store at `path` and tells every damage as it is found. A server may be
/// writing it meanwhile; `told` may end the search.
///
/// # Errors
/// If the file cannot be opened, or is no store.
pub fn check(
    path: &Path,
    told: impl FnMut(&Damage) -> ControlFlow<()>,
) -> Result<Checked, StoreError> {
    let mut search = Search {
        store: open_to_read(path)?,
        told,
        checked: Checked::default(),
    };
    // Broken off, it has told what it was let tell.
    let _ = search.everything();
    Ok(search.checked)
}

struct Search<T> {
    store: Connection,
    told: T,
    checked: Checked,
}

/// How far a walk over a table's ids came.
#[derive(Clone, Copy)]
enum Reached {
    End,
    Upto(MatchId),
}

/// The next ids of a walk; none at its end.
type Step = Result<Vec<MatchId>, StoreError>;

impl<T: FnMut(&Damage) -> ControlFlow<()>> Search<T> {
    fn everything(&mut self) -> ControlFlow<()> {
        self.file()?;
        self.key()?;
        let by_index = self.walk("index of the matches", ids_in_index, |search, id| {
            search.one_match(id)
        })?;
        self.walk("table of the logs", ids_of_logs, |search, id| {
            // Those in the index were looked at, as far as it could be read.
            let was_looked_at = match by_index {
                Reached::End => !matches!(search.row(id), Ok(None)),
                Reached::Upto(end) => id.0 <= end.0 && !matches!(search.row(id), Ok(None)),
            };
            if was_looked_at {
                ControlFlow::Continue(())
            } else {
                search.one_match(id)
            }
        })?;
        ControlFlow::Continue(())
    }

    fn tell(&mut self, damage: &Damage) -> ControlFlow<()> {
        if matches!(damage, Damage::File(_)) {
            self.checked.file_faults += 1;
        }
        (self.told)(damage)
    }

    /// SQLite's own look at pages, keys and indices.
    fn file(&mut self) -> ControlFlow<()> {
        let lines = {
            let sql = format!("PRAGMA integrity_check({CHECK_FILE_FAULTS_MAX})");
            let found = self.store.prepare(&sql).and_then(|mut found| {
                let lines = found.query_map([], |row| row.get::<_, String>(0))?;
                lines.collect::<Result<Vec<_>, _>>()
            });
            found.unwrap_or_else(|error| vec![error.to_string()])
        };
        for line in lines.into_iter().filter(|line| line != "ok") {
            self.tell(&Damage::File(Fault::Sqlite(line)))?;
        }
        ControlFlow::Continue(())
    }

    fn key(&mut self) -> ControlFlow<()> {
        let key: rusqlite::Result<Vec<u8>> =
            self.store
                .query_row("SELECT key FROM server_key", [], |row| row.get(0));
        match key {
            Ok(key) if ServerKey::from_bytes(&key).is_some() => ControlFlow::Continue(()),
            _ => self.tell(&Damage::File(Fault::Key)),
        }
    }

    /// Every id that `next` finds, a page at a time.
    fn walk(
        &mut self,
        table: &'static str,
        next: impl Fn(&Connection, MatchId) -> Step,
        each: impl Fn(&mut Self, MatchId) -> ControlFlow<()>,
    ) -> ControlFlow<(), Reached> {
        let mut after = MatchId(Uuid::nil());
        loop {
            let page = match next(&self.store, after) {
                Ok(page) => page,
                Err(source) => {
                    self.tell(&Damage::File(Fault::Broken { table, source }))?;
                    return ControlFlow::Continue(Reached::Upto(after));
                }
            };
            let Some(last) = page.last() else {
                return ControlFlow::Continue(Reached::End);
            };
            after = *last;
            for id in page {
                each(self, id)?;
            }
        }
    }

    fn one_match(&mut self, id: MatchId) -> ControlFlow<()> {
        self.checked.matches += 1;
        // One transaction, so that row and log are of the same moment.
        let (log, row) = match self.store.unchecked_transaction() {
            Ok(moment) => {
                let found = (self.replay(id), self.row(id));
                // It has only read; however it ends, nothing is lost.
                drop(moment);
                found
            }
            Err(error) => (Err(StoreError::from(error).into()), Ok(None)),
        };
        let (events, listing) = match log {
            Ok((events, listing)) => (events, Ok(listing)),
            Err(fault) => (0, Err(fault)),
        };
        self.checked.events += events;
        let faults = match (listing, row) {
            (Ok(None), _) => vec![Fault::NoLog],
            (Ok(Some(_)), Ok(None)) => vec![Fault::NoRow],
            (Ok(Some(listing)), Ok(Some(row))) => row
                .difference(&Row::of(&listing))
                .map(|column| Fault::Row { column })
                .into_iter()
                .collect(),
            (Ok(Some(_)), Err(error)) => vec![Fault::UnreadableRow(error)],
            (Err(fault), Ok(_)) => vec![fault],
            (Err(fault), Err(error)) => vec![fault, Fault::UnreadableRow(error)],
        };
        self.checked.damaged_matches += u64::from(!faults.is_empty());
        for fault in faults {
            self.tell(&Damage::Match(id, fault))?;
        }
        ControlFlow::Continue(())
    }

    /// The number of events, and the row that follows from them; none without events.
    fn replay(&self, id: MatchId) -> Result<(u64, Option<IndexRow>), Fault> {
        let mut live: Option<(Match, Timestamp)> = None;
        each_record(&self.store, id, |record: Record| {
            match &mut live {
                Some((live, _)) => live.evolve(&record)?,
                None => live = Some((Match::begin(id, &record)?, record.at)),
            }
            Ok::<_, Fault>(())
        })?;
        Ok(match live {
            Some((live, at)) => (live.version().0, Some(IndexRow::of(&live, at))),
            None => (0, None),
        })
    }

    fn row(&self, id: MatchId) -> Result<Option<Row>, StoreError> {
        let mut found = self.store.prepare_cached(
            "SELECT code, phase, created_at, expires_at, lobby FROM match WHERE id = ?1",
        )?;
        let mut rows = found.query([id.0.as_bytes().as_slice()])?;
        rows.next()?.map(Row::read).transpose()
    }
}

/// The next ids of the index.
fn ids_in_index(store: &Connection, after: MatchId) -> Step {
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

/// The next id that has a log: a jump from log to log, not a walk through all events.
fn ids_of_logs(store: &Connection, after: MatchId) -> Step {
    let mut found = store.prepare_cached(
        "SELECT match_id FROM event WHERE match_id > ?1 ORDER BY match_id LIMIT 1",
    )?;
    let id: Option<Vec<u8>> = found
        .query_row([after.0.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    id.map(match_id).into_iter().collect()
}
