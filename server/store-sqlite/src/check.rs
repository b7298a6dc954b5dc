//! A check of a whole store that names what is damaged. Changes nothing, and holds no more than
//! one match in memory.
//!
//! Some matches at a time are read in a transaction of their own, so that a running server can
//! truncate its write-ahead log meanwhile; only SQLite's own check holds a transaction for long.

use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::limits::CHECK_PAGE;
use fibfob_store::{
    CheckReport, CheckedMatch, Damage, DamageKind, DataError, Findings, LogReplay, MatchColumns,
    StoreError, StorePlace, checksum,
};
use rusqlite::Connection;

use super::error::SqliteError;
use super::log::{LogPlace, each_record};
use super::notes;
use super::read::read_key;
use super::read_only::open_to_read;
use super::row::read_columns;
use super::schema;
use super::span::{SpanRow, newest_row};
use super::value::match_id;
use crate::limits::CHECK_FILE_DAMAGES_MAX;

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
        self.check_log()?;
        self.check_index()
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
            Ok(key) => match SpanRow::read(&self.store) {
                Ok(row) if row.span.key_sum != checksum::of_key_again(&key) => {
                    self.findings.note_store(DamageKind::OtherKey)
                }
                // An unreadable span is reported below.
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

    /// Checks that the log has all its rows, and that each is of a match.
    fn check_log(&mut self) -> ControlFlow<()> {
        match LogCounts::read(&self.store) {
            Ok(counts) => {
                if !counts.is_sound {
                    self.findings.note_store(DamageKind::Span)?;
                }
                if let rows @ 1.. = counts.lost {
                    self.findings.note_store(DamageKind::LostRows { rows })?;
                }
                if let rows @ 1.. = counts.orphans {
                    self.findings.note_store(DamageKind::Orphans { rows })?;
                }
                ControlFlow::Continue(())
            }
            Err(source) => self.findings.note_store(DamageKind::Truncated {
                table: "log",
                source: source.into(),
            }),
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

    /// Checks the matches that follow in the index, in one transaction, so that their rows and their
    /// logs are of the same moment.
    fn read_page(
        &self,
        after: Place,
        page: &mut Vec<(Place, CheckedMatch)>,
    ) -> Result<(), SqliteError> {
        // It only reads; nothing is lost whether it commits or not.
        let _transaction = self.store.unchecked_transaction()?;
        let mut found = self.store.prepare_cached(
            "SELECT number, id FROM match WHERE number > ?1 ORDER BY number LIMIT ?2",
        )?;
        let limit = i64::try_from(CHECK_PAGE).unwrap_or(i64::MAX);
        let mut rows = found.query((after, limit))?;
        while let Some(row) = rows.next()? {
            let id = match_id(row.get(1)?)?;
            page.push((row.get(0)?, self.check_match(id)));
        }
        Ok(())
    }

    fn check_match(&self, id: MatchId) -> CheckedMatch {
        let columns = self.row(id).map_err(StoreError::from);
        CheckedMatch::compare(id, self.replay(id), columns)
    }

    /// Replays the log of a match.
    fn replay(&self, id: MatchId) -> Result<LogReplay, DamageKind> {
        let mut replay = LogReplay::new(id);
        let Some(place) = LogPlace::read(&self.store, id)? else {
            return Ok(replay);
        };
        let elsewhere = LogPlace {
            is_packed: !place.is_packed,
            ..place
        };
        if elsewhere.end(&self.store)? > Version(0) {
            return Err(DamageKind::Misplaced);
        }
        let push = |record: Record| Ok::<_, DamageKind>(replay.push(&record)?);
        match each_record(&self.store, id, &place, Version(0), push) {
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

/// The rows of the log against what its span says.
struct LogCounts {
    /// Whether the span is what was written, and the newest row is the one that it names.
    is_sound: bool,
    lost: u64,
    orphans: u64,
}

impl LogCounts {
    fn read(store: &Connection) -> Result<Self, SqliteError> {
        // In one transaction: a server may be writing.
        let _transaction = store.unchecked_transaction()?;
        let SpanRow { span, is_sound } = SpanRow::read(store)?;
        let count = |table: &str| -> Result<i64, SqliteError> {
            let sql = format!("SELECT count(*) FROM {table}");
            Ok(store.query_row(&sql, [], |row| row.get(0))?)
        };
        let rows = count("log")?;
        let orphans = count("log WHERE number NOT IN (SELECT number FROM match)")?
            + count("packed WHERE number NOT IN (SELECT number FROM match)")?;
        let lost = span.rows.saturating_sub(rows);
        let agrees = lost > 0 || (lost == 0 && newest_row(store)? == span.newest);
        Ok(Self {
            is_sound: is_sound && agrees,
            lost: u64::try_from(lost).unwrap_or_default(),
            orphans: orphans.unsigned_abs(),
        })
    }
}
