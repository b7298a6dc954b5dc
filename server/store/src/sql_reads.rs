//! The questions about the index and the notes that every engine over SQL asks in the same words: each
//! from one end of an index. The tables have the same names and columns in all of them.

use fibfob_protocol::{GuestId, MatchId, Timestamp};
use uuid::Uuid;

use super::engine::{EngineFuture, IndexReads};
use super::error::{DataError, StoreError};
use super::index_row::LobbyRow;
use super::listing::{IndexedMatch, Listing};
use super::match_columns::whole;
use super::note::{Note, NoteKind};
use super::shared::HeldSeats;
use super::stored_row::StoredRow;

/// The certainty that a read needs, because the server that was read may be a former primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// None: what it lacks is found later.
    None,
    /// If it finds nothing, nothing was ever there.
    IfEmpty,
    /// It lacks what was written just now at the most: for what decides something and is in no log.
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

const OF_CODE: &str = "SELECT created_at, id, expires_at FROM match WHERE code = $2 LIMIT $1";
const UNFINISHED_AFTER: &str = "SELECT created_at, id, expires_at FROM match
     WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $1";
const AFTER: &str = "SELECT created_at, id, expires_at FROM match
     WHERE id > $2 ORDER BY id LIMIT $1";
/// The newest matches of a guest before a place, on each seat and in each of two phases. In one
/// statement, so that a match which changes its phase meanwhile is not found twice.
const OF_GUEST: &str = "
     SELECT * FROM (SELECT created_at, id, expires_at FROM match
         WHERE creator = $2 AND phase = $3 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS made
     UNION ALL SELECT * FROM (SELECT created_at, id, expires_at FROM match
         WHERE creator = $2 AND phase = $4 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS made
     UNION ALL SELECT * FROM (SELECT created_at, id, expires_at FROM match
         WHERE joiner = $2 AND phase = $3 AND (created_at, id) < ($5, $6)
         ORDER BY created_at DESC, id DESC LIMIT $1) AS joined
     UNION ALL SELECT * FROM (SELECT created_at, id, expires_at FROM match
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
/// The note with the newest number, in an engine that keeps one, has the name `#`.
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

    fn list(&self, listing: Listing, limit: usize) -> EngineFuture<'_, Vec<IndexedMatch>> {
        let rows = count(limit);
        let (certainty, sql, values) = match listing {
            Listing::OfCode(code) => {
                let code = SqlValue::Text(code.as_str().to_owned());
                (Certainty::IfEmpty, OF_CODE, vec![rows, code])
            }
            Listing::UnfinishedAfter(place) => {
                let (created_at, id) = (number(place.created_at.0), SqlValue::Id(place.match_id.0));
                (
                    Certainty::None,
                    UNFINISHED_AFTER,
                    vec![rows, created_at, id],
                )
            }
            Listing::OfGuest {
                guest,
                finished,
                before,
            } => {
                let (created_at, id) = before.map_or((u64::MAX, Uuid::nil()), |place| {
                    (place.created_at.0, place.match_id.0)
                });
                // No match is in a phase without a name.
                let phase = |phase: usize| Listing::phases(finished).get(phase).copied();
                let phase = |number| SqlValue::Text(phase(number).unwrap_or_default().to_owned());
                let (guest, before) = (SqlValue::Id(guest.0), number(created_at));
                let values = vec![rows, guest, phase(0), phase(1), before, SqlValue::Id(id)];
                let found = self.rows(Certainty::None, OF_GUEST, values, |row| row.listed());
                return Box::pin(async move { Ok(IndexedMatch::newest(found.await?, limit)) });
            }
            Listing::After(id) => (Certainty::None, AFTER, vec![rows, SqlValue::Id(id.0)]),
        };
        self.rows(certainty, sql, values, |row| row.listed())
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
        let values = vec![
            SqlValue::Number(kind.number()),
            SqlValue::Id(after),
            count(limit),
        ];
        self.rows(Certainty::Lately, NOTES_OF, values, |row| row.note())
    }
}

fn number(number: u64) -> SqlValue {
    SqlValue::Number(whole(number))
}

fn count(limit: usize) -> SqlValue {
    number(limit as u64)
}
