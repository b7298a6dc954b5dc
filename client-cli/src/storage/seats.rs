//! The seats taken on this machine in matches that may still go on: what `--resume` needs
//! after the program has gone.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fibfob_protocol::{Code, MatchId, Seat};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{StorageError, read, write};

/// How many seats are kept; the oldest go first.
const SEATS_MAX: usize = 100;

/// Overrides where they are kept.
const FOLDER_VARIABLE: &str = "FIBFOB_DATA";

/// A seat in a match, with what proves it ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSeat {
    /// The server.
    pub server: String,
    /// The match's short name.
    pub code: Code,
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The seat.
    pub seat: Seat,
    /// The secret token of the guest who has it.
    pub token: String,
}

/// There is no such seat to come back to.
#[derive(Debug, Error)]
pub enum SavedSeatError {
    /// None in this match.
    #[error(
        "no seat of match {0} was taken here, or the match is over; `fibfob watch {0}` shows it"
    )]
    None(Code),
    /// Both in this match.
    #[error("both seats of match {0} were taken here; say which: --seat creator or --seat joiner")]
    Both(Code),
    /// It cannot be read.
    #[error(transparent)]
    Keep(#[from] StorageError),
}

/// The folder with one small file a seat.
#[derive(Clone, Debug)]
pub struct SeatFiles {
    folder: PathBuf,
}

impl SeatFiles {
    /// The user's own.
    #[must_use]
    pub fn of_user() -> Self {
        let data = match std::env::var_os(FOLDER_VARIABLE) {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            _ => match directories::ProjectDirs::from("", "", "fibfob") {
                Some(dirs) => dirs.data_dir().to_owned(),
                // A user without a home has this folder at least.
                None => PathBuf::from(".fibfob"),
            },
        };
        Self::within(&data)
    }

    fn within(data: &Path) -> Self {
        Self {
            folder: data.join("seats"),
        }
    }

    /// Keeps a seat, and lets the oldest beyond the bound go.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, seat: &SavedSeat) -> Result<(), StorageError> {
        write(&self.file(seat.code, seat.seat), seat)?;
        self.prune();
        Ok(())
    }

    /// The match is over: the seat is of no more use. Leaves a file alone that has come to be
    /// about another match.
    pub fn forget(&self, code: Code, seat: Seat, id: MatchId) {
        let path = self.file(code, seat);
        if matches!(read::<SavedSeat>(&path), Ok(Some(saved)) if saved.id == id) {
            // Should it stay, nothing is harmed: it is pruned one day.
            let _ = std::fs::remove_file(path);
        }
    }

    /// The one seat that is meant.
    ///
    /// # Errors
    /// [`SavedSeatError`] when there is none or it is not clear which.
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

    /// Whatever goes wrong here is tried again at the next seat.
    fn prune(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        let age = |entry: std::fs::DirEntry| {
            let changed = entry.metadata().and_then(|meta| meta.modified());
            (changed.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
        };
        let seat_file = |path: &Path| path.extension().is_some_and(|end| end == "json");
        let mut files: Vec<_> = entries.flatten().map(age).collect();
        files.retain(|(_, path)| seat_file(path));
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
    fn a_seat_is_found_again_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let seats = SeatFiles::within(folder.path());
        let mine = saved("K7M2QX", Seat::Joiner);
        seats.keep(&mine).unwrap();
        assert_eq!(seats.find(mine.code, None).unwrap(), mine);
        assert_eq!(seats.find(mine.code, Some(Seat::Joiner)).unwrap(), mine);
        let creator = seats.find(mine.code, Some(Seat::Creator));
        assert!(matches!(creator, Err(SavedSeatError::None(_))));
        seats.forget(mine.code, mine.seat, mine.id);
        assert!(matches!(
            seats.find(mine.code, None),
            Err(SavedSeatError::None(_))
        ));
    }

    #[test]
    fn of_two_seats_one_must_be_named() {
        let folder = tempfile::tempdir().unwrap();
        let seats = SeatFiles::within(folder.path());
        for seat in Seat::BOTH {
            seats.keep(&saved("K7M2QX", seat)).unwrap();
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
                .keep(&saved(&format!("{a}{b}AAAA"), Seat::Creator))
                .unwrap();
        }
        let left = std::fs::read_dir(folder.path().join("seats"))
            .unwrap()
            .count();
        assert_eq!(left, SEATS_MAX);
    }
}
