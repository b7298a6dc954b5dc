//! A check of a whole store that names what is damaged. Changes nothing, and holds no more than
//! one match and the rows of the journal in memory.
//!
//! Some matches at a time are read in a transaction of their own, so that a running server can
//! truncate its write-ahead log meanwhile; only SQLite's own check holds a transaction for long.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{CorruptLog, Match, MatchId, Record, Timestamp, Version};
use rusqlite::Connection;
use thiserror::Error;

use super::SqliteError;
use super::checksum;
use super::journal::{JournalContent, Tail, unknown_tail};
use super::read::{each_record, indexed, read_key};
use super::read_only::open_to_read;
use super::row::MatchColumns;
use super::schema;
use super::stamps;
use super::value::match_id;
use crate::limits::{CHECK_FILE_DAMAGES_MAX, CHECK_PAGE};
use crate::store::{DataError, IndexRow};

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
    /// Rows of the journal are missing.
    #[error("{rows} of the journal's rows are missing, and with them events of some match")]
    Journal {
        /// The number of missing rows.
        rows: u64,
    },
    /// The span of the journal is not what was written.
    #[error("the span of the journal is not what was written: events may be missing at its end")]
    Span,
    /// The key that signs tokens is another one than the store was made with.
    #[error("the key that signs tokens is not the one that the store was made with")]
    OtherKey,
    /// The key that signs tokens is not what was written.
    #[error("the key that signs tokens is not what was written: {0}")]
    Key(SqliteError),
    /// Stamps of guests' tokens are not what was written.
    #[error("the stamps of {rows} guests' tokens are not what was written")]
    Stamps {
        /// The number of guests.
        rows: u64,
    },
    /// A table differs from what a server makes.
    #[error("`{0}` is not defined as a server defines it")]
    Definition(String),
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

/// A place in a walk over the index: the number of the last match.
type Place = i64;

impl<R: FnMut(&Damage) -> ControlFlow<()>> Checker<R> {
    fn check_all(&mut self) -> ControlFlow<()> {
        self.check_file()?;
        self.check_definitions()?;
        self.check_key()?;
        self.check_stamps()?;
        let journal = self.check_journal()?;
        self.check_index()?;
        self.check_orphans(journal)
    }

    fn report(&mut self, damage: &Damage) -> ControlFlow<()> {
        if matches!(damage, Damage::File(_)) {
            self.counts.file_damages += 1;
        }
        (self.report)(damage)
    }

    fn report_file(&mut self, kind: DamageKind) -> ControlFlow<()> {
        self.report(&Damage::File(kind))
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
            self.report_file(DamageKind::Sqlite(line))?;
        }
        ControlFlow::Continue(())
    }

    /// Compares the tables' definitions, without which checksums could be absent.
    fn check_definitions(&mut self) -> ControlFlow<()> {
        for name in schema::changed_definitions(&self.store).unwrap_or_default() {
            self.report_file(DamageKind::Definition(name))?;
        }
        ControlFlow::Continue(())
    }

    fn check_key(&mut self) -> ControlFlow<()> {
        match read_key(&self.store) {
            Ok(key) => match JournalContent::read(&self.store) {
                Ok(journal) if journal.notes.key_sum != checksum::of_key_again(&key) => {
                    self.report_file(DamageKind::OtherKey)
                }
                // An unreadable journal is reported below.
                Ok(_) | Err(_) => ControlFlow::Continue(()),
            },
            Err(error) => self.report_file(DamageKind::Key(error)),
        }
    }

    fn check_stamps(&mut self) -> ControlFlow<()> {
        match stamps::count_damaged(&self.store) {
            Ok(0) => ControlFlow::Continue(()),
            Ok(rows) => self.report_file(DamageKind::Stamps { rows }),
            Err(error) => self.report_file(DamageKind::Log(error)),
        }
    }

    /// Checks that the journal can be read and has all its rows, and returns the matches that have
    /// records in it.
    fn check_journal(&mut self) -> ControlFlow<(), BTreeSet<MatchId>> {
        match JournalContent::read(&self.store) {
            Ok(journal) => {
                if !journal.is_sound {
                    self.report_file(DamageKind::Span)?;
                }
                if journal.missing > 0 {
                    let rows = journal.missing;
                    self.report_file(DamageKind::Journal { rows })?;
                }
                ControlFlow::Continue(journal.tails.into_keys().collect())
            }
            Err(source) => {
                let table = "journal";
                self.report_file(DamageKind::Truncated { table, source })?;
                ControlFlow::Continue(BTreeSet::new())
            }
        }
    }

    /// Checks the matches of the index, some at a time, by their numbers.
    fn check_index(&mut self) -> ControlFlow<()> {
        let mut after: Place = 0;
        loop {
            let mut page = Vec::with_capacity(CHECK_PAGE);
            let read = self.read_page(after, &mut page);
            let last = page.last().map(|(number, _)| *number);
            for (_, checked) in page {
                self.note(checked)?;
            }
            if let Err(source) = read {
                let table = "index of the matches";
                return self.report_file(DamageKind::Truncated { table, source });
            }
            match last {
                Some(last) => after = last,
                None => return ControlFlow::Continue(()),
            }
        }
    }

    /// Checks the matches that follow in the index, in one transaction, so that rows, chunks and
    /// journal are of the same moment.
    fn read_page(
        &self,
        after: Place,
        page: &mut Vec<(Place, CheckedMatch)>,
    ) -> Result<(), SqliteError> {
        // It only reads; nothing is lost whether it commits or not.
        let _transaction = self.store.unchecked_transaction()?;
        let journal = JournalContent::read(&self.store).ok();
        let mut found = self.store.prepare_cached(
            "SELECT number, id FROM match WHERE number > ?1 ORDER BY number LIMIT ?2",
        )?;
        let limit = i64::try_from(CHECK_PAGE).unwrap_or(i64::MAX);
        let mut rows = found.query((after, limit))?;
        while let Some(row) = rows.next()? {
            let id = match_id(row.get(1)?)?;
            page.push((row.get(0)?, self.check_match(id, journal.as_ref())));
        }
        Ok(())
    }

    /// Reports logs whose matches are not in the index.
    fn check_orphans(&mut self, journal: BTreeSet<MatchId>) -> ControlFlow<()> {
        let mut orphans = BTreeSet::new();
        for id in journal {
            if matches!(indexed(&self.store, id), Ok(None)) {
                orphans.insert(id);
            }
        }
        match chunks_without_match(&self.store) {
            Ok(ids) => orphans.extend(ids),
            Err(source) => {
                let table = "table of the chunks";
                self.report_file(DamageKind::Truncated { table, source })?;
            }
        }
        for id in orphans {
            self.note(CheckedMatch {
                id,
                events: 0,
                damages: vec![DamageKind::NoRow],
            })?;
        }
        ControlFlow::Continue(())
    }

    fn check_match(&self, id: MatchId, journal: Option<&JournalContent>) -> CheckedMatch {
        let (replayed, columns) = (self.replay(id, journal), self.row(id));
        let events = match &replayed {
            Ok((events, _)) => *events,
            Err(_) => 0,
        };
        let damages = match (replayed, columns) {
            (Ok((_, None)), _) => vec![DamageKind::NoLog],
            (Ok(_), Ok(None)) => vec![DamageKind::NoRow],
            (Ok((_, Some(row))), Ok(Some(columns))) => columns
                .difference(&MatchColumns::of(&row))
                .map(|column| DamageKind::Row { column })
                .into_iter()
                .collect(),
            (Ok(_), Err(error)) => vec![DamageKind::UnreadableRow(error)],
            (Err(kind), Ok(_)) => vec![kind],
            (Err(kind), Err(error)) => vec![kind, DamageKind::UnreadableRow(error)],
        };
        CheckedMatch {
            id,
            events,
            damages,
        }
    }

    /// Counts a match and reports its damages.
    fn note(&mut self, checked: CheckedMatch) -> ControlFlow<()> {
        self.counts.matches += 1;
        self.counts.events += checked.events;
        self.counts.damaged_matches += u64::from(!checked.damages.is_empty());
        for kind in checked.damages {
            self.report(&Damage::Match(checked.id, kind))?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the number of events, and the index row that follows from them; none without
    /// events.
    fn replay(
        &self,
        id: MatchId,
        journal: Option<&JournalContent>,
    ) -> Result<(u64, Option<IndexRow>), DamageKind> {
        let indexed = indexed(&self.store, id)?;
        let tail = match journal {
            Some(journal) => journal.tails.get(&id).cloned().unwrap_or_default(),
            None if indexed
                .as_ref()
                .is_some_and(|row| row.is_whole_in_chunks(&self.store)) =>
            {
                Tail::default()
            }
            None => return Err(unknown_tail().into()),
        };
        let mut replayed: Option<(Match, Timestamp)> = None;
        let read = each_record(
            &self.store,
            id,
            indexed.as_ref(),
            &tail,
            |record: Record| {
                match &mut replayed {
                    Some((state, _)) => state.evolve(&record)?,
                    None => replayed = Some((Match::begin(id, &record)?, record.at)),
                }
                Ok::<_, DamageKind>(())
            },
        );
        match read {
            // Every record is gone, which has its own name.
            Err(DamageKind::Log(SqliteError::Data(DataError::Truncated {
                found: Version(0),
                ..
            }))) => {}
            other => other?,
        }
        Ok(match replayed {
            Some((state, at)) => (state.version().0, Some(IndexRow::of(&state, at))),
            None => (0, None),
        })
    }

    fn row(&self, id: MatchId) -> Result<Option<MatchColumns>, SqliteError> {
        let mut found = self.store.prepare_cached(
            "SELECT code, phase, created_at, expires_at, creator, joiner, lobby FROM match
             WHERE id = ?1",
        )?;
        let mut rows = found.query([id.0.as_bytes().as_slice()])?;
        rows.next()?.map(MatchColumns::read).transpose()
    }
}

/// The findings about one match.
struct CheckedMatch {
    id: MatchId,
    events: u64,
    damages: Vec<DamageKind>,
}

/// Reads the ids of chunks whose matches are not in the index; some, if there are very many.
fn chunks_without_match(store: &Connection) -> Result<Vec<MatchId>, SqliteError> {
    let mut found = store.prepare_cached(
        "SELECT match_id FROM chunk WHERE number NOT IN (SELECT number FROM match) LIMIT ?1",
    )?;
    let limit = i64::try_from(CHECK_PAGE).unwrap_or(i64::MAX);
    let mut rows = found.query([limit])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(match_id(row.get(0)?)?);
    }
    Ok(ids)
}
