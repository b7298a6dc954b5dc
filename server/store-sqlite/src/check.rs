//! A check of a whole store that names what is damaged. Changes nothing, and holds no more than
//! one match in memory.
//!
//! Some matches at a time are read in a transaction of their own, so that a running server can
//! truncate its write-ahead log meanwhile; only SQLite's own check holds a transaction for long.

use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::limits::CHECK_PAGE;
use fibfob_store::sql::StoredRow;
use fibfob_store::{
    CheckReport, CheckedMatch, DataError, Findings, MatchColumns, StoreError, checksum, whole,
};
use rusqlite::Connection;

use super::error::SqliteError;
use super::log::LogPlace;
use super::read_only::open_to_read;
use super::row::{read_key, read_row, read_rows};
use super::schema;
use super::span::{Span, newest_row};
use crate::limits::CHECK_FILE_DAMAGES_MAX;

/// Checks the store at `path` and calls `report` for each damage as it is found. A server may be
/// writing the store meanwhile; `report` may end the check.
pub fn check_file(
    path: &Path,
    report: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<CheckReport, SqliteError> {
    let mut checker = FileCheck {
        store: open_to_read(path)?,
        findings: Findings::new("the file", report),
    };
    checker.check_all();
    Ok(checker.findings.counts())
}

struct FileCheck<R> {
    store: Connection,
    findings: Findings<R>,
}

impl<R: FnMut(&str) -> ControlFlow<()>> FileCheck<R> {
    fn check_all(&mut self) {
        self.check_file();
        self.check_definitions();
        self.check_key();
        self.check_notes();
        self.check_log();
        self.check_index();
    }

    /// Runs SQLite's own check of pages, keys and indices.
    fn check_file(&mut self) {
        let lines = {
            let sql = format!("PRAGMA integrity_check({CHECK_FILE_DAMAGES_MAX})");
            let found = self.store.prepare(&sql).and_then(|mut found| {
                let lines = found.query_map([], |row| row.get::<_, String>(0))?;
                lines.collect::<Result<Vec<_>, _>>()
            });
            found.unwrap_or_else(|error| vec![error.to_string()])
        };
        for line in lines.into_iter().filter(|line| line != "ok") {
            self.findings
                .note_store(format_args!("SQLite finds: {line}"));
        }
    }

    /// Compares the tables' definitions. A changed table could lack its checksums.
    fn check_definitions(&mut self) {
        for name in schema::changed_definitions(&self.store).unwrap_or_default() {
            self.findings.note_definition(&name);
        }
    }

    fn check_key(&mut self) {
        match (read_key(&self.store), Span::read(&self.store)) {
            (Err(error), _) => self.findings.note_key(error),
            (Ok(key), Ok((span, _))) if span.key_sum != checksum::of_key(&key) => {
                self.findings.note_store(
                    "the key that signs tokens is not the one that the store was made with",
                );
            }
            // An unreadable span is reported below.
            (Ok(_), _) => {}
        }
    }

    fn check_notes(&mut self) {
        let sql = "SELECT kind, about, name, number, until, text, sum FROM note";
        let mut damaged = 0;
        let read = read_rows(&self.store, sql, [], |row| {
            damaged += u64::from(row.note().is_err());
            Ok(())
        });
        match read {
            Ok(_) => self.findings.note_notes(damaged),
            Err(error) => self.findings.note_store(error),
        }
    }

    fn check_log(&mut self) {
        match self.log_damages() {
            Ok(damages) => {
                let damages = damages.into_iter();
                damages.for_each(|damage| self.findings.note_store(damage));
            }
            Err(error) => self.findings.note_truncated("log", error),
        }
    }

    /// Compares the log with its span: that no row is missing, and that each belongs to a match.
    fn log_damages(&self) -> Result<Vec<String>, SqliteError> {
        // In one transaction: a server may be writing.
        let _transaction = self.store.unchecked_transaction()?;
        let (span, is_sound) = Span::read(&self.store)?;
        let count = |table: &str| -> Result<i64, SqliteError> {
            let sql = format!("SELECT count(*) FROM {table}");
            Ok(self.store.query_row(&sql, [], |row| row.get(0))?)
        };
        let lost = span.rows.saturating_sub(count("log")?);
        let orphans = count("log WHERE number NOT IN (SELECT number FROM match)")?
            + count("packed WHERE number NOT IN (SELECT number FROM match)")?;
        let agrees = lost > 0 || (lost == 0 && newest_row(&self.store)? == span.newest);
        let mut damages = Vec::new();
        if !is_sound || !agrees {
            let what =
                "the span of the log is not what was written: events may be missing at its end";
            damages.push(what.to_owned());
        }
        if lost > 0 {
            let what = "of the log's rows are missing, and with them events of some match";
            damages.push(format!("{lost} {what}"));
        }
        if orphans > 0 {
            let what = "of the log's rows, single or packed, are of no match in the index";
            damages.push(format!("{orphans} {what}"));
        }
        Ok(damages)
    }

    /// Checks the matches of the index, some at a time, by their numbers.
    fn check_index(&mut self) {
        let mut next = Some(0);
        while let Some(after) = next.filter(|_| !self.findings.is_ended()) {
            let mut page = Vec::with_capacity(CHECK_PAGE);
            let read = self.read_page(after, &mut page);
            next = page.last().map(|(number, _)| *number);
            for (_, checked) in page {
                self.findings.note(checked);
            }
            if let Err(error) = read {
                return self.findings.note_truncated("index of the matches", error);
            }
        }
    }

    /// Checks the next matches of the index in one transaction, so that their rows and logs are of the same
    /// moment.
    fn read_page(
        &self,
        after: i64,
        page: &mut Vec<(i64, CheckedMatch)>,
    ) -> Result<(), SqliteError> {
        // It only reads; nothing is lost whether it commits or not.
        let _transaction = self.store.unchecked_transaction()?;
        let sql = "SELECT number, id FROM match WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut found = self.store.prepare_cached(sql)?;
        let mut rows = found.query((after, whole(CHECK_PAGE as u64)))?;
        while let Some(row) = rows.next()? {
            let id = row.match_id(1)?;
            page.push((row.get(0)?, self.check_match(id)));
        }
        Ok(())
    }

    fn check_match(&self, id: MatchId) -> CheckedMatch {
        let columns = self.row(id).map_err(StoreError::from).transpose();
        let records = self.records(id).map_err(StoreError::from);
        CheckedMatch::compare(id, records, columns)
    }

    fn records(&self, id: MatchId) -> Result<Vec<Record>, SqliteError> {
        let Some(place) = LogPlace::read(&self.store, id)? else {
            return Ok(Vec::new());
        };
        let elsewhere = LogPlace {
            is_packed: !place.is_packed,
            ..place
        };
        if elsewhere.end(&self.store)? > Version(0) {
            return Err(DataError::Misplaced.into());
        }
        match place.records(&self.store, id, Version(0)) {
            // All records are gone; that is reported under its own name.
            Err(SqliteError::Data(DataError::Truncated {
                found: Version(0), ..
            })) => Ok(Vec::new()),
            records => records,
        }
    }

    fn row(&self, id: MatchId) -> Result<Option<MatchColumns>, SqliteError> {
        let sql = "SELECT code, phase, created_at, expires_at, lobby,
                          creator, creator_name, joiner, joiner_name, persons_sum
                   FROM match WHERE id = ?1";
        read_row(&self.store, sql, [id.0], |row| row.match_columns())
    }
}
