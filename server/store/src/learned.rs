//! Notes about what guests have learned: their marks of progress, finished flights, and streaks of days.

use std::collections::BTreeSet;

use fibfob_protocol::{GuestId, Mark, MatchId, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::engine::Store;
use super::error::{StoreError, parsed};
use super::limits::{ARRIVALS_KEPT_FOR, MARKS_KEPT_FOR, STREAKS_KEPT_FOR};
use super::note::{Note, NoteKind};
use super::notes::text;

/// The marks of a guest, and the number of their changes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptMarks {
    /// The marks.
    pub marks: BTreeSet<Mark>,
    changes: u64,
}

/// The days in a row on which a guest's flights have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streak {
    /// The number of those days.
    pub days: u32,
    /// The newest of them, counted from 1970-01-01.
    pub last: u32,
    /// The newest day that was missed and forgiven.
    pub grace: Option<u32>,
}

impl Store {
    /// Reads the marks of a guest.
    pub async fn marks(&self, guest: GuestId) -> Result<KeptMarks, StoreError> {
        let Some(note) = self.note(NoteKind::Marks, guest.0).await? else {
            return Ok(KeptMarks::default());
        };
        Ok(KeptMarks {
            marks: parsed("the marks of a guest", &note.text)?,
            changes: note.number,
        })
    }

    /// Stores a guest's marks in place of those that were read. Returns false if others were stored
    /// meanwhile.
    pub async fn put_marks(
        &self,
        guest: GuestId,
        kept: &KeptMarks,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let note = Note {
            // A compare-and-set: the note replaces only one with a smaller number.
            number: kept.changes + 1,
            until: Some(now.after(MARKS_KEPT_FOR)),
            ..NoteKind::Marks.key(guest.0, "").note(text(&kept.marks))
        };
        let stored = self.put_notes(vec![note.clone()], Vec::new()).await?;
        Ok(stored == [note])
    }

    /// Notes that a day's flight has arrived in this match, and updates the guest's streak. Calling it again
    /// changes nothing.
    pub async fn note_arrival(
        &self,
        (day, id): (u32, MatchId),
        (guest, streak): (GuestId, Streak),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let arrival = NoteKind::Arrival.key(of_day(day), id).note(String::new());
        let streak = Note {
            number: u64::from(streak.last),
            ..NoteKind::Streak.key(guest.0, "").note(text(&streak))
        };
        let put = vec![
            arrival.until(now.after(ARRIVALS_KEPT_FOR)),
            streak.until(now.after(STREAKS_KEPT_FOR)),
        ];
        let noted = self.put_notes(put, Vec::new());
        noted.await.map(drop)
    }

    /// Counts the flights that arrived on a day. `counted` is the number that were counted before.
    pub async fn arrived(&self, day: u32, counted: u64) -> Result<u64, StoreError> {
        // The store numbers a day's arrivals from 1, so the newest number is their count.
        let further = self.notes(NoteKind::Arrival, vec![of_day(day)], counted);
        let numbers = further.await?.into_iter().map(|note| note.number);
        Ok(numbers.max().unwrap_or(counted))
    }

    /// Reads a guest's streak.
    pub async fn streak(&self, guest: GuestId) -> Result<Option<Streak>, StoreError> {
        let note = self.note(NoteKind::Streak, guest.0).await?;
        let read = |note: Note| parsed("the days of a guest's flights", &note.text);
        Ok(note.map(read).transpose()?)
    }
}

/// The subject of the notes about a day.
fn of_day(day: u32) -> Uuid {
    // No subject is nil, so day 0 becomes 1.
    Uuid::from_u128(u128::from(day) + 1)
}
