//! The list of forgotten guests, in a file outside the store, because a restored backup does not know who was
//! forgotten after it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use fibfob_net::regular_file::open_regular;
use fibfob_protocol::GuestId;
use fibfob_server_matches::players;
use fibfob_store::identity::ForgottenGuest;
use fibfob_store::limits::HEADS_MAX;
use fibfob_store::{
    NoteKind, StoreError, give_to_folder_owner, in_time, sync_folder_of, with_owner,
};
use futures_util::TryStreamExt;
use uuid::Uuid;

use super::way::Way;
use super::{Persons, PersonsError};
use crate::limits::{FORGOTTEN_LIST_BYTES_MAX, LINES_NAMED_MAX};

/// A list as it was read.
#[derive(Debug, Default, PartialEq, Eq)]
struct ForgottenList {
    guests: BTreeSet<ForgottenGuest>,
    /// The numbers of the lines that say nothing about a guest and are no comment, from 1 on.
    unreadable: Vec<usize>,
}

/// Adds a guest to the list, durably: one line of 32 hexadecimal digits, which is there as a whole or not at all. A
/// file in which no line is a guest is somebody else's, and stays as it is.
pub(super) fn add(path: &Path, guest: ForgottenGuest) -> io::Result<()> {
    let list = read(path)?;
    if list.guests.is_empty() && !list.unreadable.is_empty() {
        let why = "it is no list of forgotten guests; name another file with --forgotten";
        return Err(invalid(why.to_owned()));
    }
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true).mode(0o600);
    let mut file = options.open(path)?;
    give_to_folder_owner(&file, path)?;
    // A command on the store may add a guest at the same time, and a failure below cuts what follows the old end.
    file.lock()?;
    let length = file.metadata()?.len();
    let begin = match ends_in_line(&mut file, length)? {
        true => "\n",
        false => "",
    };
    let line = format!("{begin}{}\n", guest.0.simple());
    let written = file.write_all(line.as_bytes());
    if let Err(error) = written.and_then(|()| file.sync_all()) {
        file.set_len(length)?;
        return Err(error);
    }
    match is_new {
        true => sync_folder_of(path),
        false => Ok(()),
    }
}

/// True if the last line of a file has no end, as an editor may leave it.
fn ends_in_line(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else {
        return Ok(false);
    };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}

/// Reads a list as far as it can be read. Without a file it is empty. Blank lines and those that begin with `#` are
/// skipped, because operators edit and join lists.
fn read(path: &Path) -> io::Result<ForgottenList> {
    let mut list = ForgottenList::default();
    if path
        .symlink_metadata()
        .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    {
        return Ok(list);
    }
    let mut text = Vec::new();
    let file = open_regular(path)?;
    file.take(FORGOTTEN_LIST_BYTES_MAX + 1)
        .read_to_end(&mut text)?;
    if text.len() as u64 > FORGOTTEN_LIST_BYTES_MAX {
        return Err(invalid(format!(
            "expected at most {FORGOTTEN_LIST_BYTES_MAX} bytes"
        )));
    }
    for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match Uuid::try_parse_ascii(line) {
            Ok(id) => drop(list.guests.insert(ForgottenGuest(id))),
            Err(_) => list.unreadable.push(number),
        }
    }
    Ok(list)
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Names the first of these lines, and what a line should be.
fn unreadable(lines: &[usize]) -> io::Error {
    let shown = lines.iter().take(LINES_NAMED_MAX).map(ToString::to_string);
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = if lines.len() > LINES_NAMED_MAX {
        ", …"
    } else {
        ""
    };
    invalid(format!(
        "cannot read line {shown}{more}; expected 32 hexadecimal digits, a comment after `#` or nothing; correct or \
         remove it, and the server reads the list again"
    ))
}

impl Persons {
    /// Works on the list, if there is one.
    pub(super) async fn on_list<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<Option<T>, PersonsError> {
        let Some(path) = self.list.clone() else {
            return Ok(None);
        };
        let at = path.clone();
        let done = self.tasks.compute(move || work(&at)).await;
        let done = done.unwrap_or(Err(io::ErrorKind::Other.into()));
        done.map(Some).map_err(|error| {
            let error = with_owner(&path, error);
            PersonsError::List(path, error)
        })
    }

    /// Reads the list, and revokes the tokens of guests who are on it and not forgotten in the store. The rest of
    /// their data waits for [`Self::erase_again`]. The outcome is in [`Self::list_fault`].
    pub(crate) async fn look_at_list(&self) {
        let fault = self
            .follow_list()
            .await
            .err()
            .map(|error| error.to_string());
        let mut known = self.list_fault.lock();
        if let Some(error) = fault.as_ref().filter(|fault| known.as_ref() != Some(fault)) {
            tracing::error!(%error, "not every forgotten guest may be erased after a restore: the server is not ready until the list can be read");
        }
        *known = fault;
    }

    /// Returns the reason why the list could not be read as a whole, if it could not.
    pub(crate) fn list_fault(&self) -> Option<String> {
        self.list_fault.lock().clone()
    }

    async fn follow_list(&self) -> Result<(), PersonsError> {
        let (Some(path), Some(list)) = (self.list.clone(), self.on_list(read).await?) else {
            return Ok(());
        };
        let listed: Vec<ForgottenGuest> = list.guests.into_iter().collect();
        for listed in listed.chunks(HEADS_MAX) {
            let noted = in_time(self.store.are_forgotten(listed)).await?;
            let unknown = listed
                .iter()
                .filter(|guest| !noted.contains(guest))
                .copied();
            let unknown: Vec<ForgottenGuest> = unknown.collect();
            in_time(self.store.note_forgotten(unknown.iter().copied(), [])).await?;
            self.relisted.lock().extend(unknown);
        }
        match list.unreadable.is_empty() {
            true => Ok(()),
            false => Err(PersonsError::List(path, unreadable(&list.unreadable))),
        }
    }

    /// Begins to erase the guests who are on the list and whom the store, which looks restored, knows again.
    pub(super) async fn erase_again(&self) -> Result<(), StoreError> {
        let list = self.relisted.lock().clone();
        if list.is_empty() {
            return Ok(());
        }
        let guests = self.known(&list).await?;
        let now = self.clock.now();
        let begin: Vec<_> = guests.iter().map(|guest| (*guest, now)).collect();
        for begin in begin.chunks(HEADS_MAX) {
            in_time(self.store.note_forgotten([], begin.iter().copied())).await?;
        }
        self.relisted.lock().retain(|guest| !list.contains(guest));
        let (listed, known) = (list.len(), guests.len());
        tracing::warn!(
            listed,
            known,
            "the store looks restored: it lacks erasures from the --forgotten list; erasing them \
             again"
        );
        Ok(())
    }

    /// Returns which guests of a list the store knows, from a match, a chat line or a note.
    async fn known(
        &self,
        list: &BTreeSet<ForgottenGuest>,
    ) -> Result<BTreeSet<GuestId>, StoreError> {
        let mut known = BTreeSet::new();
        let mut add = |guest: GuestId| {
            if list.contains(&ForgottenGuest::of(&self.key, guest)) {
                known.insert(guest);
            }
        };
        let mut way = Way::all();
        while let Some(found) = way.next(&self.store).await? {
            if let Some((current, _)) = self.read(found.match_id).await? {
                players(&current).into_iter().for_each(&mut add);
            }
        }
        let mut chat = self.store.all_chat();
        while let Some(lines) = in_time(chat.try_next()).await? {
            lines.iter().for_each(|(_, stored)| add(stored.line.guest));
        }
        for kind in NoteKind::OF_GUESTS {
            let mut pages = self.store.all_notes(kind);
            while let Some(page) = in_time(pages.try_next()).await? {
                page.iter().for_each(|note| add(GuestId(note.key.about)));
            }
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn guest(number: u128) -> ForgottenGuest {
        ForgottenGuest(Uuid::from_u128(number))
    }

    #[test]
    fn an_edited_list_is_read_as_far_as_it_can_be_and_names_the_other_lines() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("list");
        assert_eq!(
            read(&path).unwrap(),
            ForgottenList::default(),
            "no list yet"
        );
        add(&path, guest(1)).unwrap();
        let one = fs::read_to_string(&path).unwrap();
        assert_eq!(one, format!("{:032x}\n", 1));
        // As an editor or `cat` may leave it: a comment, blank lines, a torn line, and no end of the last one.
        let edited = format!("# of two servers\n{one}\n  \r\n1bf3\n{:032X}", 2);
        fs::write(&path, edited).unwrap();
        add(&path, guest(3)).unwrap();
        let list = read(&path).unwrap();
        assert_eq!(list.guests, BTreeSet::from([guest(1), guest(2), guest(3)]));
        assert_eq!(list.unreadable, [5]);
        let words = unreadable(&list.unreadable).to_string();
        assert!(words.contains("line 5; expected 32"), "{words}");
    }

    #[test]
    fn a_file_that_is_no_list_is_not_written_to() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("letter");
        fs::write(&path, "Dear Fob").unwrap();
        assert!(add(&path, guest(1)).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "Dear Fob");
        assert!(add(folder.path(), guest(1)).is_err());
    }
}
