//! The other servers on the same store: what this one tells them of its matches' connections, and
//! what it knows of theirs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{GuestId, MatchId, PlayerName, RenamedPlayer, Seat, Timestamp};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::limits::{
    GUESTS_UNWRITTEN_MAX, HEADS_MAX, OPEN_WITHIN, PRESENCE_NOTED_EVERY, PRESENCE_RETRY_PAUSE,
};
use crate::store::{Hint, NotedPresence, PresenceNote, ServerId, SharedStore, StoreError};

/// The exchange of presence with the other servers.
pub(crate) struct Cluster {
    pub(super) store: SharedStore,
    server: ServerId,
    /// The notes that the store does not have yet, at most one for each match in memory or just
    /// removed from it.
    unwritten: Mutex<BTreeMap<MatchId, PresenceNote>>,
    /// The guests that have connected to this server, or left it, as far as the store does not know.
    unwritten_guests: Mutex<BTreeMap<GuestId, bool>>,
    written: Notify,
    /// The matches whose presence at other servers is to be read.
    wanted: Mutex<BTreeSet<MatchId>>,
    wants: Notify,
}

/// The connections to one match at all other servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub connected: BTreeSet<Seat>,
    pub spectators: usize,
    renamed: Vec<RenamedPlayer>,
    /// The longest absence that a server has counted, in milliseconds, the creator's first.
    away_ms: [u64; 2],
}

impl Elsewhere {
    fn of(notes: impl IntoIterator<Item = NotedPresence>, now: Timestamp) -> Self {
        let mut all = Self::default();
        for NotedPresence { note, ended } in notes {
            for absence in &note.absences {
                let counting = absence
                    .since
                    .map_or(0, |since| ended.unwrap_or(now).0.saturating_sub(since.0));
                let away_ms = &mut all.away_ms[usize::from(absence.seat == Seat::Joiner)];
                *away_ms = (*away_ms).max(absence.away_ms.saturating_add(counting));
            }
            if ended.is_none() {
                all.connected.extend(note.connected);
                all.spectators += note.spectators;
                all.renamed.extend(note.renamed);
            }
        }
        all
    }

    /// The longest absence of a seat's player that a server has counted, in milliseconds.
    pub(super) fn away_ms(&self, seat: Seat) -> u64 {
        self.away_ms[usize::from(seat == Seat::Joiner)]
    }

    /// The newer name of a player that another server knows.
    pub(super) fn name(&self, seat: Seat) -> Option<&PlayerName> {
        let renamed = self.renamed.iter().find(|renamed| renamed.seat == seat);
        renamed.map(|renamed| &renamed.name)
    }
}

/// Returns what the store answers, or an error where it takes longer than [`OPEN_WITHIN`].
pub(super) async fn in_time<T>(
    reading: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let read = timeout(OPEN_WITHIN, reading).await;
    read.unwrap_or(Err(StoreError::Stopped))
}

impl Cluster {
    /// The exchange of this server.
    pub(crate) fn new(store: SharedStore, server: ServerId) -> Self {
        Self {
            store,
            server,
            unwritten: Mutex::default(),
            unwritten_guests: Mutex::default(),
            written: Notify::new(),
            wanted: Mutex::default(),
            wants: Notify::new(),
        }
    }

    /// The store of all of them.
    pub(crate) fn store(&self) -> &SharedStore {
        &self.store
    }

    /// Notes the connections to a match at this server.
    pub(super) fn note(&self, note: PresenceNote) {
        lock(&self.unwritten).insert(note.id, note);
        self.written.notify_one();
    }

    /// Notes whether a guest is connected to this server.
    pub(super) fn note_guest(&self, guest: GuestId, is_connected: bool) {
        let mut unwritten = lock(&self.unwritten_guests);
        if is_connected || unwritten.len() < GUESTS_UNWRITTEN_MAX {
            unwritten.insert(guest, is_connected);
        } else {
            unwritten.remove(&guest);
        }
        drop(unwritten);
        self.written.notify_one();
    }

    /// Asks for the connections to a match at other servers.
    pub(super) fn want(&self, id: MatchId) {
        lock(&self.wanted).insert(id);
        self.wants.notify_one();
    }

    /// Reads the connections to these matches at other servers.
    pub(super) async fn read(
        &self,
        ids: Vec<MatchId>,
        now: Timestamp,
    ) -> Result<HashMap<MatchId, Elsewhere>, StoreError> {
        let mut notes: HashMap<MatchId, Vec<NotedPresence>> =
            ids.iter().map(|id| (*id, Vec::new())).collect();
        for noted in in_time(self.store.presence(self.server, ids)).await? {
            notes.entry(noted.note.id).or_default().push(noted);
        }
        let all = notes.into_iter();
        Ok(all
            .map(|(id, notes)| (id, Elsewhere::of(notes, now)))
            .collect())
    }

    /// Writes notes for as long as the server runs.
    pub(crate) async fn write_notes(&self) {
        loop {
            self.written.notified().await;
            while let Err(error) = self.write_all().await {
                tracing::debug!(%error, "the store has no note of who is connected here");
                sleep(PRESENCE_RETRY_PAUSE).await;
            }
            // A pause without a condition: later changes go into the next note.
            sleep(PRESENCE_NOTED_EVERY).await;
        }
    }

    async fn write_all(&self) -> Result<(), StoreError> {
        self.write_guests().await?;
        self.write_presence().await
    }

    async fn write_guests(&self) -> Result<(), StoreError> {
        loop {
            let guests: Vec<(GuestId, bool)> = {
                let mut unwritten = lock(&self.unwritten_guests);
                let some: Vec<GuestId> = unwritten.keys().copied().take(HEADS_MAX).collect();
                let taken = some.into_iter();
                taken
                    .filter_map(|guest| unwritten.remove_entry(&guest))
                    .collect()
            };
            if guests.is_empty() {
                return Ok(());
            }
            let writing = self.store.note_guests(self.server, guests.clone());
            let written = timeout(OPEN_WITHIN, writing).await;
            if let Err(error) = written.unwrap_or(Err(StoreError::NotNoted)) {
                let mut unwritten = lock(&self.unwritten_guests);
                for (guest, is_connected) in guests {
                    unwritten.entry(guest).or_insert(is_connected);
                }
                return Err(error);
            }
        }
    }

    async fn write_presence(&self) -> Result<(), StoreError> {
        loop {
            let notes: Vec<PresenceNote> = {
                let mut unwritten = lock(&self.unwritten);
                let ids: Vec<MatchId> = unwritten.keys().copied().take(HEADS_MAX).collect();
                ids.iter().filter_map(|id| unwritten.remove(id)).collect()
            };
            if notes.is_empty() {
                return Ok(());
            }
            let writing = self.store.note_presence(self.server, notes.clone());
            let written = timeout(OPEN_WITHIN, writing).await;
            if let Err(error) = written.unwrap_or(Err(StoreError::NotNoted)) {
                let mut unwritten = lock(&self.unwritten);
                for note in notes {
                    // A newer note of the match stays.
                    unwritten.entry(note.id).or_insert(note);
                }
                return Err(error);
            }
            for note in notes {
                self.store.hint(Hint::Presence(note.id));
            }
        }
    }

    /// Waits until the connections to some matches at other servers are asked for, and takes at most
    /// [`HEADS_MAX`] of these matches.
    pub(super) async fn next_wanted(&self) -> Vec<MatchId> {
        loop {
            let ids: Vec<MatchId> = {
                let mut wanted = lock(&self.wanted);
                let ids: Vec<MatchId> = wanted.iter().copied().take(HEADS_MAX).collect();
                *wanted = match ids.last() {
                    Some(last) => wanted.split_off(last).into_iter().skip(1).collect(),
                    None => BTreeSet::new(),
                };
                ids
            };
            if !ids.is_empty() {
                return ids;
            }
            self.wants.notified().await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is complete before anything in it can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;
    use crate::random::Randomness;
    use crate::store::{Memory, Store};

    #[test]
    fn guests_that_come_and_go_while_nothing_can_be_noted_are_bounded() {
        let store = Store::new(Memory::default().for_servers(Clock::system()));
        let server = Randomness::system().draw(|rng| ServerId::draw(rng));
        let cluster = Cluster::new(store.shared().unwrap(), server);
        let connected = GuestId::fresh();
        cluster.note_guest(connected, true);
        for _ in 0..=GUESTS_UNWRITTEN_MAX {
            let guest = GuestId::fresh();
            cluster.note_guest(guest, true);
            cluster.note_guest(guest, false);
        }
        let unwritten = lock(&cluster.unwritten_guests);
        assert!(unwritten.len() <= GUESTS_UNWRITTEN_MAX);
        assert_eq!(
            unwritten.get(&connected),
            Some(&true),
            "nobody is forgotten who is here"
        );
    }
}
