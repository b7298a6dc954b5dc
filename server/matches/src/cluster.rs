//! Tells the other servers on the store who is connected to this one.
//!
//! A match's task, or a connection, leaves its newest note here. One loop stores the notes and then sends
//! hints, and the other servers pass them to their tasks. While no other server lives, nothing is stored: the
//! notes wait for the first server that reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibfob_protocol::{GuestId, MatchId, Notice, PlayerName, Seat, Timestamp};
use fibfob_store::limits::{BEAT_EVERY, HEADS_MAX};
use fibfob_store::{Hint, PresenceNote, QueueFill, ServerId, Service, Store, StoreError, in_time};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::absence_ledger;
use crate::limits::{
    PRESENCE_NOTED_EVERY, PRESENCE_RETRY_PAUSE, RESUME_WITHIN, UNSTORED_NOTES_MAX,
};
use crate::service::ServiceState;

/// The notes of one server.
pub struct Cluster {
    store: Store,
    service: Arc<ServiceState>,
    unstored: Mutex<UnstoredNotes>,
    noted: Notify,
    /// Notified when another server has changed what operators have banned or hidden.
    pub moderation: Notify,
    /// The operator's newest words, for every session that is connected when they are said.
    pub notice: watch::Sender<Option<Notice>>,
}

#[derive(Default)]
struct UnstoredNotes {
    matches: Unwritten<MatchId, PresenceNote>,
    guests: Unwritten<GuestId, ()>,
}

/// Notes that the store lacks, or has in an older form.
struct Unwritten<K, V> {
    /// Each newest note; none to delete it.
    notes: BTreeMap<K, Option<V>>,
    /// Keys that may have a note in the store.
    stored: BTreeSet<K>,
}

impl<K, V> Default for Unwritten<K, V> {
    fn default() -> Self {
        Self {
            notes: BTreeMap::new(),
            stored: BTreeSet::new(),
        }
    }
}

impl<K: Copy + Ord, V: Clone> Unwritten<K, V> {
    fn put(&mut self, key: K, note: Option<V>) {
        let is_full = self.notes.len() >= UNSTORED_NOTES_MAX;
        match note {
            // A lost deletion leaves a note until this server has ended and is forgotten.
            None if is_full || !self.stored.contains(&key) => drop(self.notes.remove(&key)),
            note => drop(self.notes.insert(key, note)),
        }
    }

    /// Takes some notes to store them. Without a reader, takes only deletions.
    fn take(&mut self, has_readers: bool) -> Vec<(K, Option<V>)> {
        let wanted = self
            .notes
            .iter()
            .filter(|(_, note)| has_readers || note.is_none());
        let keys: Vec<K> = wanted.map(|(key, _)| *key).take(HEADS_MAX).collect();
        let taken = keys
            .into_iter()
            .filter_map(|key| self.notes.remove_entry(&key));
        let taken: Vec<_> = taken.collect();
        for (key, note) in &taken {
            match note {
                Some(_) => self.stored.insert(*key),
                None => self.stored.remove(key),
            };
        }
        taken
    }

    /// Takes a key's note, which is about to be stored.
    fn take_one(&mut self, key: K) {
        self.notes.remove(&key);
        self.stored.insert(key);
    }

    /// Takes back notes that could not be stored, unless there are newer ones.
    fn put_back(&mut self, taken: Vec<(K, Option<V>)>) {
        for (key, note) in taken {
            self.stored.insert(key);
            self.notes.entry(key).or_insert(note);
        }
    }
}

/// The connections to one match at all other servers, as those have noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elsewhere(BTreeMap<ServerId, ElsewhereNote>);

/// No connections at other servers.
pub(super) static NOWHERE: Elsewhere = Elsewhere(BTreeMap::new());

#[derive(Clone, Debug, PartialEq, Eq)]
struct ElsewhereNote {
    note: PresenceNote,
    /// The last sign of life of a server that counts as dead: its connections count as closed since then.
    ended: Option<Timestamp>,
}

impl Elsewhere {
    /// Replaces connections by the newer notes of servers that live.
    pub(super) fn with(mut self, notes: BTreeMap<ServerId, PresenceNote>) -> Self {
        for (server, note) in notes {
            let ended = None;
            match note.is_empty() {
                true => self.0.remove(&server),
                false => self.0.insert(server, ElsewhereNote { note, ended }),
            };
        }
        self
    }

    fn living(&self) -> impl Iterator<Item = &PresenceNote> {
        let living = self.0.values().filter(|noted| noted.ended.is_none());
        living.map(|noted| &noted.note)
    }

    /// Returns true if a seat's player is connected to another server.
    pub(super) fn is_connected(&self, seat: Seat) -> bool {
        self.living().any(|note| note.connected.contains(&seat))
    }

    /// Returns true if anybody is connected to another server.
    pub(super) fn is_anybody_connected(&self) -> bool {
        self.living().any(PresenceNote::has_anybody)
    }

    pub(super) fn spectators(&self) -> usize {
        self.living().map(|note| note.spectators).sum()
    }

    /// Returns a player's newer name, if another server knows one.
    pub(super) fn name(&self, seat: Seat) -> Option<&PlayerName> {
        let mut renamed = self.living().flat_map(|note| &note.renamed);
        let renamed = renamed.find(|renamed| renamed.seat == seat);
        renamed.map(|renamed| &renamed.name)
    }

    /// Returns the longest absence of a seat's player that another server has counted by `now`, in
    /// milliseconds.
    pub(super) fn away_ms(&self, seat: Seat, now: Timestamp) -> u64 {
        let counted = self.0.values().flat_map(|ElsewhereNote { note, ended }| {
            let absences = note.absences.iter().filter(|absence| absence.seat == seat);
            absences.map(|absence| absence_ledger::away_ms(absence, ended.unwrap_or(now)))
        });
        counted.max().unwrap_or_default()
    }
}

impl Cluster {
    pub(crate) fn new(store: Store, service: Arc<ServiceState>) -> Self {
        Self {
            store,
            service,
            unstored: Mutex::default(),
            noted: Notify::new(),
            moderation: Notify::new(),
            notice: watch::Sender::new(None),
        }
    }

    /// Returns true if another server on the store lives.
    pub fn has_peers(&self) -> bool {
        self.service.has_peers()
    }

    /// The number of servers that live on the store, this one too.
    pub fn servers(&self) -> usize {
        self.service.known().living()
    }

    /// The notes that wait to be stored, until another server is there to read them.
    pub fn waiting_notes(&self) -> QueueFill {
        let unstored = self.unstored.lock();
        QueueFill {
            length: unstored.matches.notes.len() + unstored.guests.notes.len(),
            capacity: 2 * UNSTORED_NOTES_MAX,
        }
    }

    /// Tells the other servers, if there are any.
    pub fn hint(&self, hint: impl FnOnce() -> Hint) {
        if self.has_peers() {
            self.store.hint(hint());
        }
    }

    /// Notes the connections to a match at this server.
    pub(super) fn note(&self, note: PresenceNote) {
        let id = note.id;
        let note = (!note.is_empty()).then_some(note);
        self.unstored.lock().matches.put(id, note);
        self.noted.notify_one();
    }

    /// Notes whether a guest is connected to this server.
    pub(super) fn note_guest(&self, guest: GuestId, is_connected: bool) {
        let note = is_connected.then_some(());
        self.unstored.lock().guests.put(guest, note);
        self.noted.notify_one();
    }

    /// Stores at once that a guest is connected here, if another server is there to read it.
    pub(super) async fn store_guest(&self, guest: GuestId) -> Result<(), StoreError> {
        if !self.has_peers() {
            return Ok(());
        }
        self.unstored.lock().guests.take_one(guest);
        let (server, connected) = (self.service.server(), [(guest, true)]);
        let writing = in_time(self.store.note_guests(server, &connected));
        writing.await.inspect_err(|_| {
            let taken = vec![(guest, Some(()))];
            self.unstored.lock().guests.put_back(taken);
        })
    }

    /// Reads the connections to these matches at other servers. Leaves out matches that none of them has
    /// noted.
    pub(super) async fn read(
        &self,
        ids: &[MatchId],
    ) -> Result<BTreeMap<MatchId, Elsewhere>, StoreError> {
        let service: Arc<Service> = self.service.known();
        let mut found = BTreeMap::<MatchId, Elsewhere>::new();
        for (server, note) in in_time(self.store.presence(ids)).await? {
            if server != self.service.server() {
                let elsewhere = found.entry(note.id).or_default();
                let ended = service.ended(server);
                elsewhere.0.insert(server, ElsewhereNote { note, ended });
            }
        }
        Ok(found)
    }

    /// Checks whether a guest is connected to another server. Counts servers that have just fallen silent:
    /// they may only have lost the store, and their players may be about to reconnect here.
    pub(crate) async fn is_any_elsewhere(&self, guests: &[GuestId]) -> Result<bool, StoreError> {
        let service = self.service.known();
        let servers = in_time(self.store.servers_of(guests)).await?;
        let mut others = servers.iter().filter(|id| **id != self.service.server());
        Ok(others.any(|server| {
            let ended = service.ended(*server);
            ended.is_none_or(|last| service.at < last.after(RESUME_WITHIN))
        }))
    }

    /// Stores notes for as long as the server runs.
    pub(super) async fn write_notes(&self) {
        loop {
            if let Err(error) = self.write_all().await {
                tracing::debug!(%error, "cannot tell the other servers who is connected here; retrying");
                sleep(PRESENCE_RETRY_PAUSE).await;
                continue;
            }
            // A server that begins is noticed by the next sign of life.
            let _ = timeout(BEAT_EVERY, self.noted.notified()).await;
            // Changes that come together go into one note.
            sleep(PRESENCE_NOTED_EVERY).await;
        }
    }

    async fn write_all(&self) -> Result<(), StoreError> {
        let server = self.service.server();
        loop {
            let has_readers = self.has_peers();
            let guests = self.unstored.lock().guests.take(has_readers);
            let notes = self.unstored.lock().matches.take(has_readers);
            if guests.is_empty() && notes.is_empty() {
                return Ok(());
            }
            let connected: Vec<_> = guests
                .iter()
                .map(|(id, note)| (*id, note.is_some()))
                .collect();
            let writing = self.store.note_guests(server, &connected);
            if let Err(error) = in_time(writing).await {
                self.unstored.lock().guests.put_back(guests);
                self.unstored.lock().matches.put_back(notes);
                return Err(error);
            }
            let note = |(id, note): &(MatchId, Option<PresenceNote>)| {
                note.clone().unwrap_or_else(|| PresenceNote::nobody(*id))
            };
            let presence: Vec<PresenceNote> = notes.iter().map(note).collect();
            let writing = self.store.note_presence(server, presence.clone());
            if let Err(error) = in_time(writing).await {
                self.unstored.lock().matches.put_back(notes);
                return Err(error);
            }
            for note in presence {
                self.hint(|| Hint::Presence(server, note));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presence_notes_are_bounded_while_the_store_takes_none() {
        let mut unwritten = Unwritten::default();
        let connected = GuestId::fresh();
        unwritten.put(connected, Some(()));
        for _ in 0..=UNSTORED_NOTES_MAX {
            let guest = GuestId::fresh();
            // As after a try to store it.
            unwritten.put_back(vec![(guest, Some(()))]);
            unwritten.put(guest, None);
        }
        assert!(unwritten.notes.len() <= UNSTORED_NOTES_MAX);
        assert_eq!(
            unwritten.notes.get(&connected),
            Some(&Some(())),
            "nobody is forgotten who is here"
        );
    }

    #[test]
    fn a_lone_server_only_deletes_notes_that_are_stored() {
        let mut unwritten = Unwritten::default();
        let [here, gone, unknown] = [(); 3].map(|()| GuestId::fresh());
        unwritten.put(gone, Some(()));
        assert_eq!(unwritten.take(true), [(gone, Some(()))]);
        for (guest, note) in [(here, Some(())), (gone, None), (unknown, None)] {
            unwritten.put(guest, note);
        }
        assert_eq!(unwritten.take(false), [(gone, None)]);
        assert_eq!(unwritten.take(true), [(here, Some(()))]);
    }
}
