//! The list of forgotten guests, in a file outside the store, because a restored backup does not know who was
//! forgotten after it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use fibfob_protocol::GuestId;
use fibfob_server_matches::players;
use fibfob_store::identity::ForgottenGuest;
use fibfob_store::limits::HEADS_MAX;
use fibfob_store::{NoteKind, StoreError, in_time, sync_folder_of};
use futures_util::TryStreamExt;
use uuid::Uuid;

use super::way::Way;
use super::{Persons, PersonsError};
use crate::limits::FORGOTTEN_LIST_BYTES_MAX;

/// Adds a guest to the list, durably: one line of 32 hexadecimal digits.
pub(super) fn add(path: &Path, guest: ForgottenGuest) -> io::Result<()> {
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).mode(0o600).open(path)?;
    file.write_all(format!("{}\n", guest.0.simple()).as_bytes())?;
    file.sync_all()?;
    match is_new {
        true => sync_folder_of(path),
        false => Ok(()),
    }
}

/// Reads a list. Without a file it is empty; a line of another form is an error.
fn read(path: &Path) -> io::Result<BTreeSet<ForgottenGuest>> {
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let lines = BufReader::new(File::open(path)?.take(FORGOTTEN_LIST_BYTES_MAX)).lines();
    let guest = |line: io::Result<String>| {
        let text = line?;
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a line is no forgotten guest");
        let id = Uuid::try_parse(text.trim()).map_err(|_| wrong())?;
        Ok(ForgottenGuest(id))
    };
    lines.map(guest).collect()
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
        done.map(Some)
            .map_err(|error| PersonsError::List(path, error))
    }

    /// Forgets the guests of a list again, in a store that has them again. Returns how many it had.
    async fn forget_again(&self, list: &BTreeSet<ForgottenGuest>) -> Result<u64, PersonsError> {
        let gone: Vec<ForgottenGuest> = list.iter().copied().collect();
        for gone in gone.chunks(HEADS_MAX) {
            in_time(self.store.note_forgotten(gone.iter().copied(), [])).await?;
        }
        let guests = self.known(list).await?;
        let now = self.clock.now();
        let begin: Vec<_> = guests.iter().map(|guest| (*guest, now)).collect();
        for begin in begin.chunks(HEADS_MAX) {
            in_time(self.store.note_forgotten([], begin.iter().copied())).await?;
        }
        Ok(guests.len() as u64)
    }

    /// Forgets the guests that the list has and the store lacks.
    pub(super) async fn follow_list(&self) -> Result<(), PersonsError> {
        let Some(mut unknown) = self.on_list(read).await? else {
            return Ok(());
        };
        let listed: Vec<ForgottenGuest> = unknown.iter().copied().collect();
        for listed in listed.chunks(HEADS_MAX) {
            let noted = in_time(self.store.are_forgotten(listed)).await?;
            unknown.retain(|guest| !noted.contains(guest));
        }
        if !unknown.is_empty() {
            let known = self.forget_again(&unknown).await?;
            let listed = unknown.len();
            tracing::warn!(
                listed,
                known,
                "the store looks restored: it lacks erasures from the --forgotten list; erasing them \
                 again"
            );
        }
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
