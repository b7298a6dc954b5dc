//! A check of a whole store that names what is damaged. Changes nothing, and holds no more than
//! one match and the rows of the journal in memory.
//!
//! Some matches at a time are read in a transaction of their own, so that a running server can
//! truncate its write-ahead log meanwhile; only SQLite's own check holds a transaction for long.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{MatchId, Record, Version};
use rusqlite::Connection;

use super::SqliteError;
use super::checksum;
use super::journal::{JournalContent, Tail, unknown_tail};
use super::notes;
use super::read::{each_record, indexed, read_key};
use super::read_only::open_to_read;
use super::row::read_columns;
use super::schema;
use super::value::match_id;
use crate::limits::{CHECK_FILE_DAMAGES_MAX, CHECK_PAGE};
use crate::store::check::{
    CheckReport, CheckedMatch, Damage, DamageKind, Findings, LogReplay, StorePlace,
};
use crate::store::match_columns::MatchColumns;
use crate::store::{DataError, StoreError};

impl From<SqliteError> for DamageKind {
    fn from(error: SqliteError) -> Self {
        Self::Log(error.into())
    }
}

/// Checks the store at `path` and calls `report` for each damage as it is found. A server may be
/// writing the store meanwhile; `report` may end the check.
///
/// # Errors
/// If the file cannot be opened, or is not a store.
pub fn check_file(
    path: &Path,
    report: impl FnMut(&Damage) -> ControlFlow<()>,
) -> Result<CheckReport, SqliteError> {
    let mut checker = FileCheck {
        store: open_to_read(path)?,
        findings: Findings::new(StorePlace::File, report),
    };
    // Ended early, it has reported what it was allowed to.
    let _ = checker.check_all();
    Ok(checker.findings.counts())
}

struct FileCheck<R> {
    store: Connection,
    findings: Findings<R>,
}

/// A place in a walk over the index: the number of the last match.
type Place = i64;

impl<R: FnMut(&Damage) -> ControlFlow<()>> FileCheck<R> {
    fn check_all(&mut self) -> ControlFlow<()> {
        self.check_file()?;
        self.check_definitions()?;
        self.check_key()?;
        self.check_notes()?;
        let journal = self.check_journal()?;
        self.check_index()?;
        self.check_orphans(journal)
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
            self.findings.note_store(DamageKind::Sqlite(line))?;
        }
        ControlFlow::Continue(())
    }

    /// Compares the tables' definitions, without which checksums could be absent.
    fn check_definitions(&mut self) -> ControlFlow<()> {
        for name in schema::changed_definitions(&self.store).unwrap_or_default() {
            self.findings.note_store(DamageKind::Definition(name))?;
        }
        ControlFlow::Continue(())
    }

    fn check_key(&mut self) -> ControlFlow<()> {
        match read_key(&self.store) {
            Ok(key) => match JournalContent::read(&self.store) {
                Ok(journal) if journal.notes.key_sum != checksum::of_key_again(&key) => {
                    self.findings.note_store(DamageKind::OtherKey)
                }
                // An unreadable journal is reported below.
                Ok(_) | Err(_) => ControlFlow::Continue(()),
            },
            Err(error) => self.findings.note_store(DamageKind::Key(error.into())),
        }
    }

    fn check_notes(&mut self) -> ControlFlow<()> {
        match notes::count_damaged(&self.store) {
            Ok(0) => ControlFlow::Continue(()),
            Ok(rows) => self.findings.note_store(DamageKind::Notes { rows }),
            Err(error) => self.findings.note_store(DamageKind::Log(error.into())),
        }
    }

    /// Checks that the journal can be read and has all its rows, and returns the matches that have
    /// records in it.
    fn check_journal(&mut self) -> ControlFlow<(), BTreeSet<MatchId>> {
        match JournalContent::read(&self.store) {
            Ok(journal) => {
                if !journal.is_sound {
                    self.findings.note_store(DamageKind::Span)?;
                }
                if journal.missing > 0 {
                    let rows = journal.missing;
                    self.findings.note_store(DamageKind::Journal { rows })?;
                }
                ControlFlow::Continue(journal.tails.into_keys().collect())
            }
            Err(source) => {
                let table = "journal";
                self.findings.note_store(DamageKind::Truncated {
                    table,
                    source: source.into(),
                })?;
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
                self.findings.note(checked)?;
            }
            if let Err(source) = read {
                let table = "index of the matches";
                return self.findings.note_store(DamageKind::Truncated {
                    table,
                    source: source.into(),
                });
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
                self.findings.note_store(DamageKind::Truncated {
                    table,
                    source: source.into(),
                })?;
            }
        }
        for id in orphans {
            self.findings.note(CheckedMatch::without_row(id))?;
        }
        ControlFlow::Continue(())
    }

    fn check_match(&self, id: MatchId, journal: Option<&JournalContent>) -> CheckedMatch {
        let columns = self.row(id).map_err(StoreError::from);
        CheckedMatch::compare(id, self.replay(id, journal), columns)
    }

    /// Replays the log of a match.
    fn replay(
        &self,
        id: MatchId,
        journal: Option<&JournalContent>,
    ) -> Result<LogReplay, DamageKind> {
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
        let mut replay = LogReplay::new(id);
        let read = each_record(
            &self.store,
            id,
            indexed.as_ref(),
            &tail,
            |record: Record| Ok::<_, DamageKind>(replay.push(&record)?),
        );
        match read {
            // Every record is gone, which has its own name.
            Err(DamageKind::Log(StoreError::Data(DataError::Truncated {
                found: Version(0),
                ..
            }))) => {}
            other => other?,
        }
        Ok(replay)
    }

    fn row(&self, id: MatchId) -> Result<Option<MatchColumns>, SqliteError> {
        let mut found = self.store.prepare_cached(
            "SELECT code, phase, created_at, expires_at, lobby,
                    creator, creator_name, joiner, joiner_name, persons_sum
             FROM match WHERE id = ?1",
        )?;
        let mut rows = found.query([id.0.as_bytes().as_slice()])?;
        rows.next()?.map(read_columns).transpose()
    }
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
