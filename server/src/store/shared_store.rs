//! The store as the servers use it that share it.

use std::sync::Arc;

use fibfob_protocol::{CommandId, GuestId, MatchId, Timestamp};

use super::{
    CodeDigest, Engine, Head, HeldSeats, Hint, Hints, NewChatLine, NotedPresence, PresenceNote,
    ServerId, SharedEngine, SharedLobbyRow, StoreError, StoredChatLine, StoredDeviceCode,
};

/// A store that several servers use at a time. Cheap to clone.
#[derive(Clone)]
pub struct SharedStore(Arc<dyn Engine>);

impl SharedStore {
    /// The store of this engine; none if only one server uses it at a time.
    pub(super) fn of(engine: &Arc<dyn Engine>) -> Option<Self> {
        engine.shared()?;
        Some(Self(Arc::clone(engine)))
    }

    fn engine(&self) -> &dyn SharedEngine {
        self.0.shared().expect("an engine that was shared stays so")
    }

    /// Tells all servers that something has changed.
    pub fn hint(&self, hint: Hint) {
        self.engine().hint(hint);
    }

    /// Returns the hints of all servers from now on.
    #[must_use]
    pub fn hints(&self) -> Hints {
        self.engine().hints()
    }

    /// Reads the ends of these logs, each with the number of the match's newest chat line.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn heads(&self, ids: Vec<MatchId>) -> Result<Vec<(Head, u64)>, StoreError> {
        self.engine().heads(ids).await
    }

    /// Replaces what a server has noted of these matches.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn note_presence(
        &self,
        server: ServerId,
        notes: Vec<PresenceNote>,
    ) -> Result<(), StoreError> {
        self.engine().note_presence(server, notes).await
    }

    /// Reads what the other servers have noted of these matches.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn presence(
        &self,
        server: ServerId,
        ids: Vec<MatchId>,
    ) -> Result<Vec<NotedPresence>, StoreError> {
        self.engine().presence(server, ids).await
    }

    /// Notes of these guests whether they are connected to a server.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn note_guests(
        &self,
        server: ServerId,
        guests: Vec<(GuestId, bool)>,
    ) -> Result<(), StoreError> {
        self.engine().note_guests(server, guests).await
    }

    /// Returns true if any of these guests is connected to a server that gives signs of life.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn is_any_connected(&self, guests: Vec<GuestId>) -> Result<bool, StoreError> {
        self.engine().is_any_connected(guests).await
    }

    /// Reads the lobby's rows, oldest first, with the connections to each match.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn lobby(&self, limit: usize) -> Result<Vec<SharedLobbyRow>, StoreError> {
        self.engine().shared_lobby(limit).await
    }

    /// Stores a chat line, unless its command has stored one; returns the stored one.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn add_chat_line(&self, line: NewChatLine) -> Result<StoredChatLine, StoreError> {
        self.engine().add_chat_line(line).await
    }

    /// Reads the kept chat lines of a match after this number, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn chat_lines(
        &self,
        id: MatchId,
        after: u64,
    ) -> Result<Vec<StoredChatLine>, StoreError> {
        self.engine().chat_lines(id, after).await
    }

    /// Keeps a code for another device in place of the guest's one before.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn put_device_code(&self, code: StoredDeviceCode) -> Result<(), StoreError> {
        self.engine().put_device_code(code).await
    }

    /// Uses a code: returns it once, and again to the same request. By nobody it is only looked at.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> Result<Option<StoredDeviceCode>, StoreError> {
        self.engine().take_device_code(digest, by, now).await
    }

    /// Reads the generations of the good tokens of those of these guests who have renewed theirs.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn generations(
        &self,
        guests: Vec<GuestId>,
    ) -> Result<Vec<(GuestId, u32)>, StoreError> {
        self.engine().generations(guests).await
    }

    /// Counts the seats of a guest in unfinished matches.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<HeldSeats, StoreError> {
        self.engine().held_seats(guest, since, now).await
    }
}
