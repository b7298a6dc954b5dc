//! The seats that were taken on this machine in unfinished matches: `--resume` reads them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fibfob_protocol::{Code, MatchId, Seat};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{StorageError, data_folder, read, write};

/// The most seats that are kept; the oldest are deleted first.
const SEATS_MAX: usize = 100;

/// A seat in a match, with the token that proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSeat {
    pub server: String,
    pub code: Code,
    #[serde(rename = "match")]
    pub id: MatchId,
    pub seat: Seat,
    pub token: String,
}

#[derive(Debug, Error)]
pub enum SavedSeatError {
    #[error(
        "no seat of match {0} was taken here, or the match is over; `fibfob watch {0}` shows it"
    )]
    None(Code),
    #[error("both seats of match {0} were taken here; say which: --seat creator or --seat joiner")]
    Both(Code),
    #[error(transparent)]
    Keep(#[from] StorageError),
}

#[derive(Clone, Debug)]
pub struct SeatFiles {
    folder: PathBuf,
}

impl SeatFiles {
    pub fn of_user() -> Self {
        Self::within(&data_folder())
    }

    fn within(data: &Path) -> Self {
        Self {
            folder: data.join("seats"),
        }
    }

    /// Saves a seat, and deletes the oldest beyond the bound.
    pub fn save(&self, seat: &SavedSeat) -> Result<(), StorageError> {
        write(&self.file(seat.code, seat.seat), seat)?;
        self.prune();
        Ok(())
    }

    /// Deletes the seat of a finished match. A file that is about another match by now is kept.
    pub fn delete(&self, seat: &SavedSeat) {
        let path = self.file(seat.code, seat.seat);
        if matches!(read::<SavedSeat>(&path), Ok(Some(saved)) if saved.id == seat.id) {
            // A file that stays does no harm, and is pruned later.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Finds a match's saved seat. An error if there is none, or if both are saved and none is named.
    pub fn find(&self, code: Code, seat: Option<Seat>) -> Result<SavedSeat, SavedSeatError> {
        let wanted = Seat::BOTH
            .into_iter()
            .filter(|known| seat.is_none_or(|seat| seat == *known));
        let mut found: Vec<SavedSeat> = Vec::new();
        for seat in wanted {
            found.extend(read(&self.file(code, seat))?);
        }
        match (found.pop(), found.is_empty()) {
            (Some(saved), true) => Ok(saved),
            (Some(_), false) => Err(SavedSeatError::Both(code)),
            (None, _) => Err(SavedSeatError::None(code)),
        }
    }

    fn file(&self, code: Code, seat: Seat) -> PathBuf {
        self.folder.join(format!("{code}-{seat}.json"))
    }

    /// Deletes the oldest files. An error is ignored: the next save tries again.
    fn prune(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        let age = |entry: std::fs::DirEntry| {
            let changed = entry.metadata().and_then(|meta| meta.modified());
            (changed.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
        };
        let mut files: Vec<_> = entries.flatten().map(age).collect();
        files.retain(|(_, path)| path.extension().is_some_and(|end| end == "json"));
        files.sort();
        for (_, path) in files.iter().rev().skip(SEATS_MAX) {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(code: &str, seat: Seat) -> SavedSeat {
        SavedSeat {
            server: "ws://host/ws".to_owned(),
            code: code.parse().unwrap(),
            id: serde_json::from_str("\"5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9\"").unwrap(),
            seat,
            token: "secret".to_owned(),
        }
    }

    #[test]
    fn a_seat_is_found_until_it_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let seats = SeatFiles::within(folder.path());
        let mine = saved("K7M2QX", Seat::Joiner);
        seats.save(&mine).unwrap();
        assert_eq!(seats.find(mine.code, None).unwrap(), mine);
        assert_eq!(seats.find(mine.code, Some(Seat::Joiner)).unwrap(), mine);
        let creator = seats.find(mine.code, Some(Seat::Creator));
        assert!(matches!(creator, Err(SavedSeatError::None(_))));
        seats.delete(&mine);
        assert!(matches!(
            seats.find(mine.code, None),
            Err(SavedSeatError::None(_))
        ));
    }

    #[test]
    fn one_of_two_saved_seats_must_be_named() {
        let folder = tempfile::tempdir().unwrap();
        let seats = SeatFiles::within(folder.path());
        for seat in Seat::BOTH {
            seats.save(&saved("K7M2QX", seat)).unwrap();
        }
        let code = "K7M2QX".parse().unwrap();
        assert!(matches!(
            seats.find(code, None),
            Err(SavedSeatError::Both(_))
        ));
        assert_eq!(
            seats.find(code, Some(Seat::Creator)).unwrap().seat,
            Seat::Creator
        );
    }

    #[test]
    fn no_more_than_the_bound_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let seats = SeatFiles::within(folder.path());
        let letters = Code::ALPHABET.chars();
        let pairs = letters.flat_map(|a| Code::ALPHABET.chars().map(move |b| (a, b)));
        for (a, b) in pairs.take(SEATS_MAX + 5) {
            seats
                .save(&saved(&format!("{a}{b}AAAA"), Seat::Creator))
                .unwrap();
        }
        let left = std::fs::read_dir(folder.path().join("seats"))
            .unwrap()
            .count();
        assert_eq!(left, SEATS_MAX);
    }
}
