//! Moving all matches from one store to another: log by log, through the contract that every engine
//! keeps. What is there already is compared and not written again, so that a migration that was
//! interrupted goes on.

use fibfob_protocol::{CorruptLog, GuestId, MatchId};
use fibfob_store::{AppendError, BEGINNING, IndexRow, Listing, NoteKind, Store, StoreError};
use futures_util::{StreamExt, TryStreamExt, stream};
use thiserror::Error;
use uuid::Uuid;

use crate::limits::{MIGRATED_AT_ONCE, MIGRATION_PAGE};

/// The counts of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    /// Matches of the source that the target has.
    pub matches: u64,
    /// Their events.
    pub events: u64,
    /// The events of them that this migration has written.
    pub written: u64,
    /// Guests with renewed tokens.
    pub guests: u64,
}

/// The step of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationStep {
    /// Logs are copied.
    Copying,
    /// All logs are read in both stores, and compared.
    Comparing,
}

/// A reason why a migration ended. What it has written is right, and it can be started again.
#[derive(Debug, Error)]
pub enum MigrationError {
    /// The source cannot be read.
    #[error("the store to move from: {0}")]
    From(#[source] StoreError),
    /// The target cannot be read.
    #[error("the store to move to: {0}")]
    To(#[source] StoreError),
    /// An event cannot be written.
    #[error("match {0} cannot be written to the store to move to: {1}; start the migration again")]
    Append(MatchId, #[source] AppendError),
    /// A log of the source is damaged.
    #[error("match {0} of the store to move from is damaged: {1}; see `fibfob-server check`")]
    Damaged(MatchId, #[source] CorruptLog),
    /// The target has another key, so that no token would stay good.
    #[error(
        "the store to move to is another one, with a key of its own: no player's token would be good \
         there; name a new file or an empty database"
    )]
    AnotherStore,
    /// The target has something else.
    #[error(
        "match {0} is another one in the store to move to: a server has used one of the two stores \
         since; name a new file or an empty database"
    )]
    Differs(MatchId),
    /// The target has a match that the source has not.
    #[error("the store to move to has match {0}, which the store to move from has not")]
    Foreign(MatchId),
    /// A guest has another token or other marks in the target.
    #[error("guest {0} has renewed their token, or learned more, in the store to move to since")]
    Guest(GuestId),
}

/// Moves everything that lasts, and compares the two stores. No server may use either meanwhile.
/// `shown` is called after each page.
///
/// # Errors
/// [`MigrationError`].
pub async fn migrate(
    from: &Store,
    to: &Store,
    mut shown: impl FnMut(MigrationStep, Migrated),
) -> Result<Migrated, MigrationError> {
    let key = from.server_key().await.map_err(MigrationError::From)?;
    if to.server_key().await.map_err(MigrationError::To)? != key {
        return Err(MigrationError::AnotherStore);
    }
    let guests = copy_notes(from, to).await?;
    let copied = each_match(
        from,
        guests,
        |id| copy(from, to, id),
        |so_far| {
            shown(MigrationStep::Copying, so_far);
        },
    )
    .await?;
    let compared = each_match(
        from,
        guests,
        |id| compare(from, to, id),
        |so_far| {
            shown(MigrationStep::Comparing, so_far);
        },
    )
    .await?;
    check_nothing_else(from, to).await?;
    to.filled().await.map_err(MigrationError::To)?;
    Ok(Migrated {
        written: copied.written,
        ..compared
    })
}

/// Runs `work` for each match of the source, some at once, and adds up its counts.
async fn each_match<W>(
    from: &Store,
    guests: u64,
    work: impl Fn(MatchId) -> W,
    mut shown: impl FnMut(Migrated),
) -> Result<Migrated, MigrationError>
where
    W: Future<Output = Result<Migrated, MigrationError>>,
{
    let mut all = Migrated {
        guests,
        ..Migrated::default()
    };
    let mut last = BEGINNING.match_id;
    loop {
        let page = from.list(Listing::After(last), MIGRATION_PAGE).await;
        let page = page.map_err(MigrationError::From)?;
        let Some(newest) = page.last() else {
            return Ok(all);
        };
        last = newest.place.match_id;
        let each = stream::iter(page)
            .map(|found| work(found.place.match_id))
            .buffer_unordered(MIGRATED_AT_ONCE);
        let counts: Vec<Migrated> = each.try_collect().await?;
        for one in counts {
            all.matches += one.matches;
            all.events += one.events;
            all.written += one.written;
        }
        shown(all);
    }
}

async fn copy(from: &Store, to: &Store, id: MatchId) -> Result<Migrated, MigrationError> {
    let (records, _) = from.open(id).await.map_err(MigrationError::From)?;
    let (there, mut log) = to.open(id).await.map_err(MigrationError::To)?;
    if !records.starts_with(&there) {
        return Err(MigrationError::Differs(id));
    }
    let rows =
        IndexRow::of_log(id, &records).map_err(|error| MigrationError::Damaged(id, error))?;
    let missing = records.iter().zip(&rows).skip(there.len());
    for (record, row) in missing {
        let appended = log.append(record, row.as_ref()).await;
        appended.map_err(|error| MigrationError::Append(id, error))?;
    }
    Ok(Migrated {
        matches: 1,
        events: records.len() as u64,
        written: (records.len() - there.len()) as u64,
        guests: 0,
    })
}

async fn compare(from: &Store, to: &Store, id: MatchId) -> Result<Migrated, MigrationError> {
    let (records, _) = from.open(id).await.map_err(MigrationError::From)?;
    let (there, _) = to.open(id).await.map_err(MigrationError::To)?;
    if there != records {
        return Err(MigrationError::Differs(id));
    }
    Ok(Migrated {
        matches: 1,
        events: records.len() as u64,
        ..Migrated::default()
    })
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
            return Err(MigrationError::Foreign(foreign.place.match_id));
        }
        let Some(newest) = here.last() else {
            return Ok(());
        };
        last = newest.place.match_id;
    }
}

/// Copies the notes about guests that last, and counts those whose tokens were renewed.
async fn copy_notes(from: &Store, to: &Store) -> Result<u64, MigrationError> {
    let mut guests = 0;
    for kind in [NoteKind::Stamp, NoteKind::Marks, NoteKind::Streak] {
        let mut last = Uuid::nil();
        loop {
            let notes = from.notes_of(kind, last, MIGRATION_PAGE).await;
            let notes = notes.map_err(MigrationError::From)?;
            let Some(newest) = notes.last() else {
                break;
            };
            last = newest.key.about;
            guests += if kind == NoteKind::Stamp {
                notes.len() as u64
            } else {
                0
            };
            let stored = to.put_notes(notes.clone(), Vec::new()).await;
            let stored = stored.map_err(MigrationError::To)?;
            if let Some(differs) = stored.iter().find(|stored| !notes.contains(stored)) {
                return Err(MigrationError::Guest(GuestId(differs.key.about)));
            }
        }
    }
    Ok(guests)
}

#[cfg(test)]
mod tests;
