//! The part that engines over SQL share: reading rows, with a check that they are as written, and the statements
//! about the index and the notes, each of which reads one end of an index; that of what may be due passes over
//! all unfinished matches. All these engines have the same tables and columns.

use fibfob_protocol::{GuestId, MatchId, MatchPlace, Timestamp, Version};
use uuid::Uuid;

use super::checksum;
use super::engine::{EngineFuture, IndexReads};
use super::error::{DataError, StoreError, parsed};
use super::index_row::{LobbyRow, MatchColumns, whole};
use super::listing::Listing;
use super::note::{Note, NoteKey, NoteKind};
use super::person::{LOBBY_ENTRY, PersonColumns, entry_of};
use super::shared::HeldSeats;

/// A row of a database's answer. A required value that is missing reads as an empty one, which no checksum
/// fits.
pub trait StoredRow<E: From<DataError>> {
    /// Reads an integer.
    fn integer(&self, column: usize) -> Result<Option<i64>, E>;

    /// Reads a text.
    fn text(&self, column: usize) -> Result<Option<&str>, E>;

    /// Reads an id.
    fn uuid(&self, column: usize) -> Result<Option<Uuid>, E>;

    /// Reads a number. A negative one was never written, and reads as zero.
    fn number(&self, column: usize) -> Result<u64, E> {
        let number = self.integer(column)?.unwrap_or_default();
        Ok(u64::try_from(number).unwrap_or_default())
    }

    /// Reads a time, or none.
    fn timestamp(&self, column: usize) -> Result<Option<Timestamp>, E> {
        let is_there = self.integer(column)?.is_some();
        Ok(is_there.then_some(Timestamp(self.number(column)?)))
    }

    /// Reads the id of a match.
    fn match_id(&self, column: usize) -> Result<MatchId, E> {
        Ok(MatchId(self.uuid(column)?.unwrap_or_default()))
    }

    /// Reads the columns `created_at, id`, with which a row begins.
    fn place(&self) -> Result<MatchPlace, E> {
        Ok(MatchPlace {
            created_at: Timestamp(self.number(0)?),
            match_id: self.match_id(1)?,
        })
    }

    /// Reads the columns of [`Self::place`], then `expires_at` of an open match, `lobby` and those of
    /// [`Self::persons`].
    fn lobby_row(&self) -> Result<(MatchPlace, LobbyRow), E> {
        let (place, open_until) = (self.place()?, self.timestamp(2)?);
        let persons = self.persons(4)?.persons(place.match_id)?;
        let entry = entry_of(self.text(3)?.unwrap_or_default(), &persons)?;
        Ok((place, LobbyRow { open_until, entry }))
    }

    /// Reads the columns `creator, creator_name, joiner, joiner_name, persons_sum` from this one on.
    fn persons(&self, first: usize) -> Result<PersonColumns, E> {
        let name = |column| Ok::<_, E>(self.text(column)?.map(str::to_owned));
        Ok(PersonColumns {
            creator: self.uuid(first)?,
            creator_name: name(first + 1)?,
            joiner: self.uuid(first + 2)?,
            joiner_name: name(first + 3)?,
            sum: self.integer(first + 4)?.unwrap_or_default(),
        })
    }

    /// Reads the columns `code, phase, created_at, expires_at, lobby`, and those of [`Self::persons`].
    fn match_columns(&self) -> Result<MatchColumns, E> {
        let lobby = self.text(4)?.map(|entry| parsed(LOBBY_ENTRY, entry));
        Ok(MatchColumns {
            code: self.text(0)?.unwrap_or_default().to_owned(),
            phase: self.text(1)?.unwrap_or_default().to_owned(),
            created_at: self.integer(2)?.unwrap_or_default(),
            expires_at: self.integer(3)?,
            persons: self.persons(5)?,
            lobby: lobby.transpose()?,
        })
    }

    /// Reads the columns `version, sum, record` of the record that follows version `end` in a log.
    fn log_text(&self, id: MatchId, end: Version) -> Result<(Version, &str), E> {
        let version = Version(self.number(0)?);
        let text = self.text(2).ok().flatten().unwrap_or_default();
        if self.integer(1)? != Some(checksum::of_record(id, version, text)) {
            return Err(DataError::Altered(version).into());
        }
        let (found, expected) = (version, end.next());
        match found == expected {
            true => Ok((version, text)),
            false => Err(DataError::Gap { found, expected }.into()),
        }
    }

    /// Reads the columns `kind, about, name, number, until, text, sum`.
    fn note(&self) -> Result<Note, E> {
        let note = Note {
            key: NoteKey {
                kind: NoteKind::of_number(self.integer(0)?.unwrap_or_default())?,
                about: self.uuid(1)?.unwrap_or_default(),
                name: self.text(2)?.unwrap_or_default().to_owned(),
            },
            number: self.number(3)?,
            until: self.timestamp(4)?,
            text: self.text(5)?.unwrap_or_default().to_owned(),
        };
        match self.integer(6)? == Some(checksum::of_note(&note)) {
            true => Ok(note),
            false => Err(DataError::unreadable("a note", "its checksum differs").into()),
        }
    }
}

/// The certainty that a read needs, since a former primary may have answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Not at all: what it lacks is found later.
    None,
    /// Only an empty answer must be certain: nothing was ever there.
    IfEmpty,
    /// It may lack what was written just now: for decisions about what is in no log.
    Lately,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum SqlValue {
    /// A number.
    Number(i64),
    /// An id.
    Id(Uuid),
    /// A text.
    Text(String),
}

/// Reads a row of an answer.
pub type ReadRow<T, E> = fn(&dyn StoredRow<E>) -> Result<T, E>;

/// An engine that runs statements.
pub trait SqlEngine: Sync {
    /// The engine's error.
    type Error: From<DataError> + Into<StoreError> + 'static;

    /// Runs a statement whose parameters are `$1`, `$2` and so on, and reads each row by itself.
    fn rows<T: Send + 'static>(
        &self,
        certainty: Certainty,
        sql: &'static str,
        values: Vec<SqlValue>,
        read: ReadRow<T, Self::Error>,
    ) -> EngineFuture<'_, Vec<T>>;
}

/// The note with a name, which an engine reads before it writes another one.
pub const NOTE: &str = "SELECT kind, about, name, number, until, text, sum FROM note
     WHERE about = $1 AND kind = $2 AND name = $3";
/// The persons of a match, which an engine reads before it writes others.
pub const PERSONS: &str = "SELECT creator, creator_name, joiner, joiner_name, persons_sum
     FROM match WHERE id = $1";
const OF_CODE: &str = "SELECT created_at, id FROM match WHERE code = $2 LIMIT $1";
/// A match has a note about it until when nothing is due in it, once the sweep has looked at it in play.
const UNFINISHED: &str = "SELECT created_at, id FROM match
     WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > ($2, $3)
       AND (expires_at IS NULL OR expires_at <= $4)
       AND NOT EXISTS (SELECT 1 FROM note
           WHERE about = id AND kind = $5 AND name = '' AND number > $4)
     ORDER BY created_at, id LIMIT $1";
const AFTER: &str = "SELECT created_at, id FROM match
     WHERE id > $2 ORDER BY id LIMIT $1";
/// A guest's newest matches before a place, on each seat and in each of two phases. One statement, so that a
/// match that changes its phase meanwhile is not listed twice.
const OF_GUEST: &str = "
     SELECT * FROM (SELECT created_at, id FROM match
         WHERE creator = $2 AND phase = $3 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS made
     UNION ALL SELECT * FROM (SELECT created_at, id FROM match
         WHERE creator = $2 AND phase = $4 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS made
     UNION ALL SELECT * FROM (SELECT created_at, id FROM match
         WHERE joiner = $2 AND phase = $3 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS joined
     UNION ALL SELECT * FROM (SELECT created_at, id FROM match
         WHERE joiner = $2 AND phase = $4 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS joined";
/// The newest matches that the lobby lists in each phase.
const LOBBY: &str = "
     SELECT * FROM (SELECT created_at, id, expires_at, lobby,
                           creator, creator_name, joiner, joiner_name, persons_sum
         FROM match WHERE lobby IS NOT NULL AND phase = 'open'
         ORDER BY created_at DESC LIMIT $1) AS open
     UNION ALL SELECT * FROM (SELECT created_at, id, expires_at, lobby,
                           creator, creator_name, joiner, joiner_name, persons_sum
         FROM match WHERE lobby IS NOT NULL AND phase = 'playing'
         ORDER BY created_at DESC LIMIT $1) AS playing";
const HELD_SEATS: &str = "SELECT
     (SELECT count(*) FROM match
      WHERE creator = $1 AND phase IN ('open', 'playing') AND created_at >= $2
        AND (expires_at IS NULL OR expires_at > $3)),
     (SELECT count(*) FROM match
      WHERE joiner = $1 AND phase IN ('open', 'playing') AND created_at >= $2
        AND (expires_at IS NULL OR expires_at > $3))";
/// In an engine that keeps the newest number in a row of its own, that row's name is `#`.
const NOTES_OF: &str = "SELECT kind, about, name, number, until, text, sum FROM note
     WHERE kind = $1 AND about > $2 AND name <> '#' ORDER BY about, number LIMIT $3";

impl<E: SqlEngine> IndexReads for E {
    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        let shown = self.rows(Certainty::None, LOBBY, vec![count(limit)], |row| {
            row.lobby_row()
        });
        Box::pin(async move {
            let mut rows = shown.await?;
            rows.sort_by_key(|(place, _)| *place);
            let rows = rows.into_iter().map(|(place, row)| (place.match_id, row));
            Ok(rows.collect())
        })
    }

    fn list(&self, listing: Listing, limit: usize) -> EngineFuture<'_, Vec<MatchPlace>> {
        let rows = count(limit);
        let (certainty, sql, values) = match listing {
            Listing::OfCode(code) => {
                let code = SqlValue::Text(code.as_str().to_owned());
                (Certainty::IfEmpty, OF_CODE, vec![rows, code])
            }
            Listing::Unfinished { after, due_by } => {
                let (created_at, id) = (number(after.created_at.0), SqlValue::Id(after.match_id.0));
                let (due_by, quiet) =
                    (number(due_by.0), SqlValue::Number(NoteKind::Quiet.number()));
                let values = vec![rows, created_at, id, due_by, quiet];
                (Certainty::None, UNFINISHED, values)
            }
            Listing::OfGuest {
                guest,
                which,
                before,
            } => {
                let (created_at, id) = before.map_or((u64::MAX, Uuid::nil()), |place| {
                    (place.created_at.0, place.match_id.0)
                });
                let [one, other] = which.phases().map(|name| SqlValue::Text(name.to_owned()));
                let (guest, before) = (SqlValue::Id(guest.0), number(created_at));
                let values = vec![rows, guest, one, other, before, SqlValue::Id(id)];
                let found = self.rows(Certainty::None, OF_GUEST, values, |row| row.place());
                return Box::pin(async move {
                    let mut found = found.await?;
                    found.sort_unstable_by(|one, other| other.cmp(one));
                    // A guest may have both seats of a match.
                    found.dedup();
                    found.truncate(limit);
                    Ok(found)
                });
            }
            Listing::After(id) => (Certainty::None, AFTER, vec![rows, SqlValue::Id(id.0)]),
        };
        self.rows(certainty, sql, values, |row| row.place())
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        let values = vec![SqlValue::Id(guest.0), number(since.0), number(now.0)];
        let counts = self.rows(Certainty::None, HELD_SEATS, values, |row| {
            let (made, joined) = (row.number(0)?, row.number(1)?);
            let seats = |seats| u32::try_from(seats).unwrap_or(u32::MAX);
            Ok(HeldSeats {
                made: seats(made),
                held: seats(made + joined),
            })
        });
        Box::pin(async move { Ok(counts.await?.pop().unwrap_or_default()) })
    }

    fn notes_of(&self, kind: NoteKind, after: Uuid, limit: usize) -> EngineFuture<'_, Vec<Note>> {
        let kind = SqlValue::Number(kind.number());
        let values = vec![kind, SqlValue::Id(after), count(limit)];
        self.rows(Certainty::Lately, NOTES_OF, values, |row| row.note())
    }
}

fn number(number: u64) -> SqlValue {
    SqlValue::Number(whole(number))
}

fn count(limit: usize) -> SqlValue {
    number(limit as u64)
}
