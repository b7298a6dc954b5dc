//! Moving everything that lasts from one store to another: log by log, and then the notes beside the logs,
//! through the contract that every engine keeps. What is there already is compared and not written again, so
//! that a migration that was interrupted goes on.

use std::collections::BTreeMap;

use fibfob_protocol::{CorruptLog, MatchId};
use fibfob_store::{
    AppendError, BEGINNING, IndexRow, Listing, Note, NoteKey, NoteKind, Store, StoreError,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use thiserror::Error;
use uuid::Uuid;

use crate::limits::{MIGRATED_AT_ONCE, MIGRATION_PAGE};

/// The counts of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Migrated {
    /// Matches of the source that the target has.
    pub matches: u64,
    /// Their events.
    pub events: u64,
    /// The events of them that this migration has written.
    pub written: u64,
    /// Notes beside the logs that the target has.
    pub notes: u64,
}

/// The step of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MigrationStep {
    /// Logs are copied.
    Copying,
    /// All logs are read in both stores, and compared.
    Comparing,
}

/// A reason why a migration ended. What it has written is right, and it can be started again.
#[derive(Debug, Error)]
pub enum MigrationError {
    #[error("the store to move from: {0}")]
    From(#[source] StoreError),
    #[error("the store to move to: {0}")]
    To(#[source] StoreError),
    #[error("match {0} cannot be written to the store to move to: {1}; start the migration again")]
    Append(MatchId, #[source] AppendError),
    #[error("match {0} of the store to move from is damaged: {1}; see `fibfob-server check`")]
    Damaged(MatchId, #[source] CorruptLog),
    #[error(
        "the store to move to is another one, with a key of its own: no player's token would be good \
         there; name a new file or an empty database"
    )]
    AnotherStore,
    #[error(
        "match {0} is another one in the store to move to: a server has used one of the two stores \
         since; name a new file or an empty database"
    )]
    Differs(MatchId),
    #[error("the store to move to has match {0}, which the store to move from has not")]
    Foreign(MatchId),
    #[error(
        "a note of kind {0:?} about {1} is another one in the store to move to: a server has used one of \
         the two stores since; name a new file or an empty database"
    )]
    Note(NoteKind, Uuid),
}

/// Moves everything that lasts, and compares the two stores. No server may use either meanwhile.
/// `shown` is called after each page.
pub(super) async fn migrate(
    from: &Store,
    to: &Store,
    mut shown: impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MigrationError> {
    let key = from.server_key().await.map_err(MigrationError::From)?;
    if to.server_key().await.map_err(MigrationError::To)? != key {
        return Err(MigrationError::AnotherStore);
    }
    let mut written = 0;
    let mut all = Migrated::default();
    for step in [MigrationStep::Copying, MigrationStep::Comparing] {
        all = each_match(from, to, step, &mut shown).await?;
        written += all.written;
    }
    check_nothing_else(from, to).await?;
    let notes = copy_notes(from, to).await?;
    to.filled().await.map_err(MigrationError::To)?;
    Ok(Migrated {
        written,
        notes,
        ..all
    })
}

/// Takes a step for each match of the source, for some at once, and adds up the counts.
async fn each_match(
    from: &Store,
    to: &Store,
    step: MigrationStep,
    shown: &mut impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MigrationError> {
    let mut all = Migrated::default();
    let mut last = BEGINNING.match_id;
    loop {
        let page = from.list(Listing::After(last), MIGRATION_PAGE).await;
        let page = page.map_err(MigrationError::From)?;
        let Some(newest) = page.last() else {
            return Ok(all);
        };
        last = newest.match_id;
        let mut each = stream::iter(page)
            .map(|found| one_match(from, to, step, found.match_id))
            .buffer_unordered(MIGRATED_AT_ONCE);
        while let Some((events, written)) = each.try_next().await? {
            all.matches += 1;
            all.events += events;
            all.written += written;
        }
        shown(step, all);
    }
}

/// Takes a step for one match, and returns the number of its events, and of those that were written.
async fn one_match(
    from: &Store,
    to: &Store,
    step: MigrationStep,
    id: MatchId,
) -> Result<(u64, u64), MigrationError> {
    let (records, _) = from.open(id).await.map_err(MigrationError::From)?;
    let (there, mut log) = to.open(id).await.map_err(MigrationError::To)?;
    let events = records.len() as u64;
    if step == MigrationStep::Comparing {
        let is_same = there == records;
        return is_same
            .then_some((events, 0))
            .ok_or(MigrationError::Differs(id));
    }
    if !records.starts_with(&there) {
        return Err(MigrationError::Differs(id));
    }
    let rows =
        IndexRow::of_log(id, &records).map_err(|error| MigrationError::Damaged(id, error))?;
    for (record, row) in records.iter().zip(&rows).skip(there.len()) {
        let appended = log.append(record, row.as_ref()).await;
        appended.map_err(|error| MigrationError::Append(id, error))?;
    }
    Ok((events, events - there.len() as u64))
}

/// Checks that the target has no match that the source has not. Both are read in the order of ids.
async fn check_nothing_else(from: &Store, to: &Store) -> Result<(), MigrationError> {
    let mut last = BEGINNING.match_id;
    loop {
        let here = from.list(Listing::After(last), MIGRATION_PAGE).await;
        let there = to.list(Listing::After(last), MIGRATION_PAGE).await;
        let (here, there) = (
            here.map_err(MigrationError::From)?,
            there.map_err(MigrationError::To)?,
        );
        if let Some(foreign) = there.iter().find(|found| !here.contains(found)) {
            return Err(MigrationError::Foreign(foreign.match_id));
        }
        let Some(newest) = here.last() else {
            return Ok(());
        };
        last = newest.match_id;
    }
}

/// Copies the notes that last, and returns their number. Those that the target has already are compared
/// first, so that nothing is written beside what a server has noted there.
async fn copy_notes(from: &Store, to: &Store) -> Result<u64, MigrationError> {
    let mut copied = 0;
    for &kind in NoteKind::ALL.iter().filter(|kind| kind.lasts()) {
        check_notes(from, to, kind).await?;
        let mut last = Uuid::nil();
        loop {
            let notes = from.notes_after(kind, last).await;
            let notes = notes.map_err(MigrationError::From)?;
            let Some(newest) = notes.last() else {
                break;
            };
            last = newest.key.about;
            copied += notes.len() as u64;
            // In the order of their numbers, so that the target gives them the same ones.
            let stored = to.put_notes(notes.clone(), Vec::new()).await;
            let stored = stored.map_err(MigrationError::To)?;
            if let Some((note, _)) = notes
                .iter()
                .zip(&stored)
                .find(|(note, there)| note != there)
            {
                return Err(MigrationError::Note(kind, note.key.about));
            }
        }
    }
    Ok(copied)
}

/// Checks that each note of a kind in the target is the source's, or an older one in its place.
async fn check_notes(from: &Store, to: &Store, kind: NoteKind) -> Result<(), MigrationError> {
    let mut last = Uuid::nil();
    loop {
        let there = to.notes_after(kind, last).await;
        let there = there.map_err(MigrationError::To)?;
        let Some(newest) = there.last() else {
            return Ok(());
        };
        last = newest.key.about;
        let mut subjects: Vec<Uuid> = there.iter().map(|note| note.key.about).collect();
        subjects.dedup();
        let here = from.notes(kind, subjects, 0).await;
        let here = here.map_err(MigrationError::From)?;
        let here: BTreeMap<&NoteKey, &Note> = here.iter().map(|note| (&note.key, note)).collect();
        let is_right = |stored: &&Note| {
            let note = here.get(&stored.key);
            note.is_some_and(|note| note == stored || !note.gives_way_to(stored))
        };
        if let Some(differs) = there.iter().find(|stored| !is_right(stored)) {
            return Err(MigrationError::Note(kind, differs.key.about));
        }
    }
}

#[cfg(test)]
mod tests;
