//! Persons: forgets or renames them, and removes finished matches. A match's task ends it; rows are changed in
//! the store, as another server would, and all servers are told.
//!
//! A forgotten guest stays as a digest in the store and on a [list] beside it. Both recognise the guest, and
//! name nobody. The rest is removed page by page. This is repeated until nothing has been left for a while,
//! because a server that does not know yet may still seat the guest.

mod list;
pub(crate) mod person;
mod prune;
pub(crate) mod way;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibfob_protocol::{GuestId, Match, MatchId, PlayerName, Record, Refusal, Version};
use fibfob_server_matches::Directory;
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::tasks::Tasks;
use fibfob_store::identity::{ForgottenGuest, ServerKey, TokenStamp};
use fibfob_store::{
    GuestMatches, Hint, IndexRow, MatchChange, Store, StoreError, in_time, warn_seldom,
};
use futures_util::TryStreamExt;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::limits::{FORGET_EVERY, FORGET_FOR};

use self::way::{OF_GUEST, Way};

/// The persons of a store.
pub(crate) struct Persons {
    store: Store,
    key: ServerKey,
    clock: Clock,
    tasks: Tasks,
    list: Option<PathBuf>,
    /// The reason why the list cannot be read as a whole.
    list_fault: Mutex<Option<String>>,
    /// The guests of the list who were not forgotten in the store, until their data is found.
    relisted: Mutex<BTreeSet<ForgottenGuest>>,
    /// Guests who are still being erased, as they were last counted.
    erasing: AtomicUsize,
    directory: Arc<Directory>,
    asked: Notify,
}

/// A reason why a guest was not changed, or not completely.
#[derive(Debug, Error)]
pub enum PersonsError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a match of the guest cannot be ended: {0}")]
    Match(#[from] Refusal),
    #[error("the list of forgotten guests, {0}: {1}")]
    List(PathBuf, #[source] io::Error),
}

impl Persons {
    /// Makes the persons of a store, with the list to add to and the directory of their matches. Reads the list, so
    /// that nobody who is on it can connect first.
    pub(crate) async fn open(
        store: Store,
        key: ServerKey,
        (clock, tasks): (Clock, Tasks),
        list: Option<PathBuf>,
        directory: Arc<Directory>,
    ) -> Self {
        let persons = Self {
            store,
            key,
            clock,
            tasks,
            list,
            list_fault: Mutex::default(),
            relisted: Mutex::default(),
            erasing: AtomicUsize::new(0),
            directory,
            asked: Notify::new(),
        };
        persons.look_at_list().await;
        persons
    }

    /// Begins to forget a guest. Once this returns, none of its tokens is valid on any server. The rest
    /// follows, even after a restart.
    pub(crate) async fn begin(&self, guest: GuestId) -> Result<ForgottenGuest, PersonsError> {
        let forgotten = ForgottenGuest::of(&self.key, guest);
        // The list first. If the rest fails, the next start finds the guest there and forgets it.
        self.on_list(move |list| list::add(list, forgotten)).await?;
        let now = self.clock.now();
        in_time(self.store.note_forgotten([forgotten], [(guest, now)])).await?;
        tracing::info!(forgotten = %forgotten.0.simple(), "a guest's tokens are revoked, and its data is being erased");
        self.asked.notify_one();
        Ok(forgotten)
    }

    /// Forgets a guest, and returns its digest.
    ///
    /// # Errors
    /// Then it is not done yet; a running server goes on with it.
    pub(crate) async fn forget(&self, guest: GuestId) -> Result<ForgottenGuest, PersonsError> {
        let forgotten = self.begin(guest).await?;
        self.forget_seats(guest).await?;
        self.forget_words(&BTreeSet::from([guest])).await?;
        Ok(forgotten)
    }

    /// Renames a guest on all of its seats, and wherever it is connected. Returns how many matches have
    /// changed.
    pub(crate) async fn rename(
        &self,
        guest: GuestId,
        name: &PlayerName,
    ) -> Result<u64, PersonsError> {
        self.tell(Hint::Renamed(guest, name.clone()), None);
        self.change_seats(guest, Some(name)).await
    }

    /// Forgets guests for as long as a server runs: those on the list whom the store lacks, and those that the store
    /// has noted. A list that could not be read is read again.
    pub(crate) async fn keep_forgetting(&self) {
        loop {
            if self.list_fault().is_some() {
                self.look_at_list().await;
            }
            if let Err(error) = self.erase_again().await {
                warn_seldom!(%error, "cannot find the data of guests on the --forgotten list yet; retrying");
            }
            if let Err(error) = self.forget_noted().await {
                warn_seldom!(%error, "cannot erase a guest's data yet; retrying");
            }
            let _ = timeout(FORGET_EVERY, self.asked.notified()).await;
        }
    }

    /// Counts the guests who are still being erased. A list that cannot be read counts as one more.
    pub(crate) fn erasures_pending(&self) -> usize {
        let unread = usize::from(self.list_fault.lock().is_some());
        unread + self.relisted.lock().len() + self.erasing.load(Ordering::Relaxed)
    }

    async fn forget_noted(&self) -> Result<(), PersonsError> {
        let noted = in_time(self.store.forgetting()).await?;
        self.erasing.store(noted.len(), Ordering::Relaxed);
        if noted.is_empty() {
            return Ok(());
        }
        let guests = noted.iter().map(|(guest, _)| *guest).collect();
        let said = self.forget_words(&guests).await?;
        let mut failed = Ok(());
        for (guest, at) in noted {
            match self.forget_seats(guest).await {
                Ok(0) if !said.contains(&guest) && self.clock.now() > at.after(FORGET_FOR) => {
                    in_time(self.store.end_forgetting(guest)).await?;
                }
                Ok(_) => {}
                // The next guest is not to wait for it.
                Err(error) => failed = Err(error),
            }
        }
        failed
    }

    /// Ends the guest's connections and matches, and removes it from its seats and from its own notes.
    async fn forget_seats(&self, guest: GuestId) -> Result<u64, PersonsError> {
        let generation = TokenStamp::FORGOTTEN.generation;
        self.tell(Hint::SignedOut(guest, generation), None);
        in_time(self.store.remove_notes_of(guest)).await?;
        self.change_seats(guest, None).await
    }

    /// Removes the chat lines of these guests. Returns the guests who had any.
    async fn forget_words(
        &self,
        guests: &BTreeSet<GuestId>,
    ) -> Result<BTreeSet<GuestId>, StoreError> {
        let mut found = BTreeSet::new();
        let mut chat = self.store.all_chat();
        while let Some(mut lines) = in_time(chat.try_next()).await? {
            lines.retain(|(_, stored)| guests.contains(&stored.line.guest));
            if lines.is_empty() {
                continue;
            }
            in_time(self.store.remove_chat(&lines)).await?;
            for (id, stored) in lines {
                found.insert(stored.line.guest);
                self.tell(Hint::Rewritten(id), None);
            }
        }
        Ok(found)
    }

    /// Changes the guest on all of its seats, page by page, so that nobody waits. Without a name, it becomes
    /// a former player, and its unfinished matches end.
    async fn change_seats(
        &self,
        guest: GuestId,
        name: Option<&PlayerName>,
    ) -> Result<u64, PersonsError> {
        let (mut changed, mut refused) = (0, None);
        for which in OF_GUEST {
            let is_live = which == GuestMatches::Unfinished;
            let mut way = Way::of_guest(guest, which);
            while let Some(found) = way.next(&self.store).await? {
                let id = found.match_id;
                match self.change_seat(id, guest, name, is_live).await {
                    Ok(is_changed) => changed += u64::from(is_changed),
                    Err(PersonsError::Store(error)) if error.is_damage() => {
                        tracing::error!(%id, %error, "cannot erase or rename a guest in a damaged match; see `fibfob-server check`");
                    }
                    // The guest's other matches are not to wait for it.
                    Err(PersonsError::Match(refusal)) => refused = Some(refusal),
                    Err(error) => return Err(error),
                }
            }
        }
        refused.map_or(Ok(changed), |refusal| Err(refusal.into()))
    }

    async fn change_seat(
        &self,
        id: MatchId,
        guest: GuestId,
        name: Option<&PlayerName>,
        is_live: bool,
    ) -> Result<bool, PersonsError> {
        if is_live && name.is_none() {
            self.end(id, guest).await?;
        }
        let change = MatchChange::Person(guest, name.cloned());
        let is_changed = in_time(self.store.change_match(id, change)).await?;
        if is_changed {
            let read = if is_live { self.read(id).await? } else { None };
            let row = read.map(|(current, records)| IndexRow::of(&current, records[0].at));
            self.tell(Hint::Rewritten(id), row.as_ref());
        }
        Ok(is_changed)
    }

    /// Ends a match whose player is gone for good.
    async fn end(&self, id: MatchId, guest: GuestId) -> Result<(), PersonsError> {
        match self.directory.end_left(id, guest).await {
            // A damaged match is logged below; a removed one needs no end.
            Ok(()) | Err(Refusal::Damaged | Refusal::NoSuchMatch(_)) => Ok(()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Reads a match; none if it is damaged.
    async fn read(&self, id: MatchId) -> Result<Option<(Match, Vec<Record>)>, StoreError> {
        let records = match in_time(self.store.read(id, Version(0))).await {
            Err(error) if error.is_damage() => return Ok(None),
            read => read?,
        };
        let current = Match::replay(id, &records).ok();
        Ok(current.map(|current| (current, records)))
    }

    fn tell(&self, hint: Hint, row: Option<&IndexRow>) {
        fibfob_server_matches::tell(&self.directory, hint, row);
    }
}
