//! The rows of tables as every database has them: their columns as values of the contract, recognised
//! where they are not what was written.

use fibfob_protocol::{MatchId, MatchPlace, Timestamp, Version};
use uuid::Uuid;

use super::checksum;
use super::error::{DataError, parsed};
use super::index_row::LobbyRow;
use super::listing::IndexedMatch;
use super::match_columns::MatchColumns;
use super::note::{Note, NoteKey, NoteKind};
use super::person::{LOBBY_ENTRY, PersonColumns, entry_of};

/// A row that a database has returned, with the engine's error. A value that is missing, where none may
/// be, is an empty one, which no checksum fits.
pub trait StoredRow<E: From<DataError>> {
    /// Reads an integer.
    fn integer(&self, column: usize) -> Result<Option<i64>, E>;

    /// Reads a text.
    fn text(&self, column: usize) -> Result<Option<&str>, E>;

    /// Reads an id.
    fn uuid(&self, column: usize) -> Result<Option<Uuid>, E>;

    /// Reads a number; a negative one, which nobody has written, reads as zero.
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

    /// Reads the columns `created_at, id, expires_at`, with which a row begins.
    fn listed(&self) -> Result<IndexedMatch, E> {
        let place = MatchPlace {
            created_at: Timestamp(self.number(0)?),
            match_id: self.match_id(1)?,
        };
        let open_until = self.timestamp(2)?;
        Ok(IndexedMatch { place, open_until })
    }

    /// Reads the columns of [`Self::listed`], then `lobby` and those of [`Self::persons`].
    fn lobby_row(&self) -> Result<(MatchPlace, LobbyRow), E> {
        let IndexedMatch { place, open_until } = self.listed()?;
        let persons = self.persons(4)?.persons(place.match_id)?;
        let entry = entry_of(self.text(3)?.unwrap_or_default(), &persons)?;
        let row = match open_until {
            Some(expires_at) => LobbyRow::Open { expires_at, entry },
            None => LobbyRow::Playing { entry },
        };
        Ok((place, row))
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
        match end.next() {
            expected if version == expected => Ok((version, text)),
            expected => Err(DataError::Gap {
                found: version,
                expected,
            }
            .into()),
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
        let sum = self.integer(6)?.unwrap_or_default();
        Ok(checksum::verified_note(note, sum)?)
    }
}
