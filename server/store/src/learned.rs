//! Notes about what guests have learned: their marks of progress, and streaks of days.

use std::collections::BTreeSet;

use fibfob_protocol::{GuestId, Mark, Timestamp};
use serde::{Deserialize, Serialize};

use super::engine::Store;
use super::error::{StoreError, parsed};
use super::limits::{MARKS_KEPT_FOR, STREAKS_KEPT_FOR};
use super::note::{Note, NoteKind};
use super::notes::text;

/// The marks of a guest, and the number of their changes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptMarks {
    /// The marks.
    pub marks: BTreeSet<Mark>,
    changes: u64,
}

/// The days in a row on which a guest has won the flight of the day. Notes of 0.2.0 also have a field `grace`,
/// which is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streak {
    /// The number of those days.
    pub days: u32,
    /// The newest of them, counted from 1970-01-01.
    pub last: u32,
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

    /// Stores a guest's streak, unless one with a later day is stored.
    pub async fn put_streak(
        &self,
        guest: GuestId,
        streak: Streak,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let note = Note {
            number: u64::from(streak.last),
            ..NoteKind::Streak.key(guest.0, "").note(text(&streak))
        };
        let put = vec![note.until(now.after(STREAKS_KEPT_FOR))];
        self.put_notes(put, Vec::new()).await.map(drop)
    }

    /// Reads a guest's streak.
    pub async fn streak(&self, guest: GuestId) -> Result<Option<Streak>, StoreError> {
        let note = self.note(NoteKind::Streak, guest.0).await?;
        let read = |note: Note| parsed("the days of a guest's flights", &note.text);
        Ok(note.map(read).transpose()?)
    }
}
