//! Moves everything that lasts from one store to another: the notes beside the logs, then log by log, all through
//! the contract that every engine keeps. Compares what is there already instead of writing it again, so that an
//! interrupted migration goes on.

use std::collections::BTreeMap;

use fibfob_protocol::{CorruptLog, MatchId, MatchPlace, Timestamp};
use fibfob_store::{
    AppendError, BEGINNING, IndexRow, Listing, Note, NoteKey, NoteKind, Store, StoreError,
};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
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
    /// The part of these events that this migration has written.
    pub written: u64,
    /// Notes beside the logs that the target has.
    pub notes: u64,
}

/// The work done with each match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MigrationStep {
    /// The target's logs are compared with the beginnings of the source's.
    Checking,
    /// Logs are copied.
    Copying,
    /// All logs are read in both stores, and compared.
    Comparing,
}

/// A reason why a migration ended. Everything it has written is right, so it can be started again.
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
        "a note of the kind {0:?} is another one in the store to move to: a server has used one of the two \
         stores since; name a new file or an empty database"
    )]
    Note(NoteKind),
}

/// Moves everything that lasts, and compares the two stores. Decides before it writes: what it may refuse is
/// left as it was. Notes that have ended by `now` do not move. No server may use either store meanwhile. Calls
/// `shown` after each page.
pub(super) async fn migrate(
    from: &Store,
    to: &Store,
    now: Timestamp,
    mut shown: impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MigrationError> {
    let key = from.server_key().await.map_err(MigrationError::From)?;
    if to.server_key().await.map_err(MigrationError::To)? != key {
        return Err(MigrationError::AnotherStore);
    }
    let kinds = || NoteKind::ALL.iter().filter(|kind| kind.lasts());
    each_match(from, to, MigrationStep::Checking, &mut shown).await?;
    for &kind in kinds() {
        check_notes(from, to, kind, now, is_same_or_older).await?;
    }
    to.begin_filling().await.map_err(MigrationError::To)?;
    let mut notes = Vec::new();
    // First, because servers use an unfinished file: it must not lack who is banned, or which tokens are void.
    for &kind in kinds() {
        notes.push(copy_notes(from, to, kind, now).await?);
    }
    let copied = each_match(from, to, MigrationStep::Copying, &mut shown).await?;
    let compared = each_match(from, to, MigrationStep::Comparing, &mut shown).await?;
    check_nothing_else(from, to).await?;
    for (&kind, &copied) in kinds().zip(&notes) {
        if check_notes(from, to, kind, now, PartialEq::eq).await? != copied {
            return Err(MigrationError::Note(kind));
        }
    }
    to.filled().await.map_err(MigrationError::To)?;
    Ok(Migrated {
        written: copied.written,
        notes: notes.iter().sum(),
        ..compared
    })
}

/// Checks the target's matches, or copies or compares the source's, several at a time, and counts them.
async fn each_match(
    from: &Store,
    to: &Store,
    step: MigrationStep,
    shown: &mut impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MigrationError> {
    let mut all = Migrated::default();
    let mut pages = match step {
        MigrationStep::Checking => pages(to).map_err(MigrationError::To as fn(_) -> _),
        MigrationStep::Copying | MigrationStep::Comparing => {
            pages(from).map_err(MigrationError::From as fn(_) -> _)
        }
    };
    while let Some(page) = pages.try_next().await? {
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
    Ok(all)
}

/// Reads a store's matches in the order of ids, some at a time.
fn pages(store: &Store) -> BoxStream<'_, Result<Vec<MatchPlace>, StoreError>> {
    let pages = stream::try_unfold(BEGINNING.match_id, move |after| async move {
        let page = store.list(Listing::After(after), MIGRATION_PAGE).await?;
        let last = page.last().map(|newest| newest.match_id);
        Ok(last.map(|last| (page, last)))
    });
    pages.boxed()
}

/// Checks, copies or compares one match. Returns its number of events, and how many were written.
async fn one_match(
    from: &Store,
    to: &Store,
    step: MigrationStep,
    id: MatchId,
) -> Result<(u64, u64), MigrationError> {
    let (records, _) = from.open(id).await.map_err(MigrationError::From)?;
    let (there, mut log) = to.open(id).await.map_err(MigrationError::To)?;
    let is_right = match step {
        MigrationStep::Checking if records.is_empty() => return Err(MigrationError::Foreign(id)),
        MigrationStep::Checking | MigrationStep::Copying => records.starts_with(&there),
        MigrationStep::Comparing => there == records,
    };
    if !is_right {
        return Err(MigrationError::Differs(id));
    }
    if step != MigrationStep::Copying {
        return Ok((there.len() as u64, 0));
    }
    let events = records.len() as u64;
    let rows =
        IndexRow::of_log(id, &records).map_err(|error| MigrationError::Damaged(id, error))?;
    for (record, row) in records.iter().zip(&rows).skip(there.len()) {
        let appended = log.append(record, row.as_ref()).await;
        appended.map_err(|error| MigrationError::Append(id, error))?;
    }
    Ok((events, events - there.len() as u64))
}

/// Checks that the target has no match that the source lacks. Both are read in the order of ids.
async fn check_nothing_else(from: &Store, to: &Store) -> Result<(), MigrationError> {
    let mut here = pages(from).map_err(MigrationError::From);
    let mut there = pages(to).map_err(MigrationError::To);
    while let Some(found) = there.try_next().await? {
        let known = here.try_next().await?.unwrap_or_default();
        if let Some(foreign) = found.iter().find(|found| !known.contains(found)) {
            return Err(MigrationError::Foreign(foreign.match_id));
        }
    }
    Ok(())
}

/// Copies the notes of a kind, and returns their number.
async fn copy_notes(
    from: &Store,
    to: &Store,
    kind: NoteKind,
    now: Timestamp,
) -> Result<u64, MigrationError> {
    let mut copied = 0;
    let mut pages = from.all_notes(kind).map_err(MigrationError::From);
    while let Some(page) = pages.try_next().await? {
        let (ended, notes): (Vec<_>, _) = page.into_iter().partition(|note| note.has_ended(now));
        copied += notes.len() as u64;
        // The target may have an ended one still, or an older one in its place.
        let ended = ended.into_iter().map(|note| note.key).collect();
        // In the order of their numbers, so that the target numbers them alike.
        let stored = to.put_notes(notes.clone(), ended).await;
        if stored.map_err(MigrationError::To)? != notes {
            return Err(MigrationError::Note(kind));
        }
    }
    Ok(copied)
}

/// Checks each note of a kind that the target has against the source's, and returns their number. Those that have ended do
/// not count.
async fn check_notes(
    from: &Store,
    to: &Store,
    kind: NoteKind,
    now: Timestamp,
    is_right: impl Fn(&Note, &Note) -> bool,
) -> Result<u64, MigrationError> {
    let mut known = 0;
    let mut pages = to.all_notes(kind).map_err(MigrationError::To);
    while let Some(mut there) = pages.try_next().await? {
        there.retain(|note| !note.has_ended(now));
        let mut subjects: Vec<Uuid> = there.iter().map(|note| note.key.about).collect();
        subjects.dedup();
        let here = from.notes(kind, subjects, 0).await;
        let here = here.map_err(MigrationError::From)?;
        let here: BTreeMap<&NoteKey, &Note> = here.iter().map(|note| (&note.key, note)).collect();
        let is_known = |stored: &Note| {
            let note = here.get(&stored.key);
            note.is_some_and(|note| is_right(stored, note))
        };
        if !there.iter().all(is_known) {
            return Err(MigrationError::Note(kind));
        }
        known += there.len() as u64;
    }
    Ok(known)
}

/// Returns true if a stored note is this one, or an older one in its place.
fn is_same_or_older(stored: &Note, note: &Note) -> bool {
    note == stored || !note.gives_way_to(stored)
}

#[cfg(test)]
mod tests;
