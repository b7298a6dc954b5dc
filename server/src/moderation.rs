//! Moderation: bans of guests and networks, and matches hidden from lists. Notes in the store hold them, so
//! all servers obey; each reads them after a hint, and regularly. Also the connections that a ban would end,
//! and the log of operators' acts.

pub(crate) mod ban_target;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{GuestId, MatchId, Notice, Refusal, Timestamp};
use fibfob_server_matches::Cluster;
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::lobby::{Lobby, hidden_note};
use fibfob_store::{Hint, Note, NoteKey, NoteKind, Store, StoreError, in_time, parsed};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::ban_target::BanTarget;
use crate::limits::{
    ACTS_KEPT_FOR, ACTS_MAX, BANS_MAX, HIDDEN_MAX, MODERATION_ALONE_EVERY, MODERATION_EVERY,
};

/// The subject of notes that are about no match.
const ALL: Uuid = Uuid::from_u128(1);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ban {
    pub who: BanTarget,
    pub until: Timestamp,
    pub since: Timestamp,
    /// The operator's reason, for operators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An act of an operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Act {
    pub at: Timestamp,
    /// The user of the machine who did it.
    pub by: String,
    /// The act and its reason.
    pub what: String,
}

/// The moderation of a server.
pub(crate) struct Moderation {
    store: Store,
    cluster: Arc<Cluster>,
    clock: Clock,
    lobby: Arc<Lobby>,
    bans: Mutex<Vec<Ban>>,
    connections: Mutex<BTreeMap<u64, (GuestId, ClientAddress, CancellationToken)>>,
}

/// A connection that is not banned, until this is dropped.
pub(crate) struct AdmittedConnection {
    moderation: Arc<Moderation>,
    number: u64,
    guest: GuestId,
    address: ClientAddress,
    /// Cancelled when it is banned.
    pub banned: CancellationToken,
}

impl Moderation {
    /// Reads what the store has. If that fails now, [`Self::follow`] does it later.
    pub(crate) async fn begin(
        store: Store,
        cluster: Arc<Cluster>,
        clock: Clock,
        lobby: Arc<Lobby>,
    ) -> Arc<Self> {
        let moderation = Self {
            store,
            cluster,
            clock,
            lobby,
            bans: Mutex::default(),
            connections: Mutex::default(),
        };
        if let Err(error) = moderation.read().await {
            tracing::warn!(%error, "cannot read the bans from the store yet; retrying");
        }
        Arc::new(moderation)
    }

    /// Follows changes that other servers make.
    pub(crate) async fn follow(&self) {
        loop {
            let every = match self.cluster.has_peers() {
                true => MODERATION_EVERY,
                false => MODERATION_ALONE_EVERY,
            };
            let _ = timeout(every, self.cluster.moderation.notified()).await;
            if let Err(error) = self.read().await {
                tracing::debug!(%error, "cannot read the bans again; those read last stay in force");
            }
        }
    }

    /// Reads bans and hidden matches, and ends the connections that are banned.
    pub(crate) async fn read(&self) -> Result<(), StoreError> {
        let bans = self.bans().await?;
        let hidden = self
            .store
            .notes_of(NoteKind::Hidden, Uuid::nil(), HIDDEN_MAX);
        let now = self.clock.now();
        let hidden = in_time(hidden).await?.into_iter();
        let hidden = hidden.filter(|note| note.until > Some(now));
        let hidden: HashSet<_> = hidden.map(|note| MatchId(note.key.about)).collect();
        self.lobby.hide(hidden);
        *self.bans.lock() = bans;
        for (guest, address, banned) in self.connections.lock().values() {
            if self.ban_of(*guest, *address).is_some() {
                banned.cancel();
            }
        }
        Ok(())
    }

    /// Admits a guest from this address.
    ///
    /// # Errors
    /// If either is banned.
    pub(crate) fn admit(
        self: &Arc<Self>,
        guest: GuestId,
        address: ClientAddress,
    ) -> Result<AdmittedConnection, Refusal> {
        let banned = CancellationToken::new();
        let mut connections = self.connections.lock();
        let number = connections.last_key_value().map_or(0, |(last, _)| last + 1);
        connections.insert(number, (guest, address, banned.clone()));
        // Registered before the check, so that no ban misses it.
        drop(connections);
        let admitted = AdmittedConnection {
            moderation: Arc::clone(self),
            number,
            guest,
            address,
            banned,
        };
        match admitted.refusal() {
            Some(refusal) => Err(refusal),
            None => Ok(admitted),
        }
    }

    fn ban_of(&self, guest: GuestId, address: ClientAddress) -> Option<Timestamp> {
        let now = self.clock.now();
        let bans = self.bans.lock();
        let own = bans.iter().filter(|ban| ban.who.has(guest, address));
        own.map(|ban| ban.until).filter(|until| *until > now).max()
    }

    /// Lists the guests of all connections, with their addresses.
    pub(crate) fn connected(&self) -> BTreeMap<GuestId, Vec<ClientAddress>> {
        let mut connected = BTreeMap::<GuestId, Vec<ClientAddress>>::new();
        for (guest, address, _) in self.connections.lock().values() {
            let addresses = connected.entry(*guest).or_default();
            if !addresses.contains(address) {
                addresses.push(*address);
            }
        }
        connected
    }

    /// Counts the connections that a ban would end.
    pub(crate) fn connections_of(&self, who: &BanTarget) -> usize {
        let connections = self.connections.lock();
        let open = connections.values();
        open.filter(|(guest, address, _)| who.has(*guest, *address))
            .count()
    }

    /// Returns what the operator says from now on.
    pub(crate) fn notices(&self) -> watch::Receiver<Option<Notice>> {
        self.cluster.notice.subscribe()
    }

    /// True if other servers use the store, whose players are told too.
    pub(crate) fn has_peers(&self) -> bool {
        self.cluster.has_peers()
    }

    /// Lists the bans in force, ordered by what is banned.
    pub(crate) async fn bans(&self) -> Result<Vec<Ban>, StoreError> {
        let now = self.clock.now();
        let notes = in_time(self.store.notes(NoteKind::Ban, vec![ALL], 0)).await?;
        let mut bans: Vec<Ban> = read_all(&notes)?;
        bans.retain(|ban| ban.until > now);
        bans.truncate(BANS_MAX);
        Ok(bans)
    }

    /// Bans somebody, replacing an earlier ban. Returns false if there are too many bans.
    pub(crate) async fn ban(&self, ban: &Ban) -> Result<bool, StoreError> {
        let bans = self.bans().await?;
        if bans.len() >= BANS_MAX && bans.iter().all(|known| known.who != ban.who) {
            return Ok(false);
        }
        let key = NoteKind::Ban.key(ALL, ban.who);
        self.change(vec![note(key, ban, ban.until)], Vec::new())
            .await?;
        Ok(true)
    }

    /// Ends a ban. Returns false if there is none.
    pub(crate) async fn unban(&self, who: &BanTarget) -> Result<bool, StoreError> {
        let notes = in_time(self.store.notes(NoteKind::Ban, vec![ALL], 0)).await?;
        let bans: Vec<Ban> = read_all(&notes)?;
        // Compared by what the note says: its name may spell the network in another form.
        let meant = notes.iter().zip(bans).filter(|(_, ban)| ban.who == *who);
        let meant: Vec<(&Note, Ban)> = meant.collect();
        let now = self.clock.now();
        let is_banned = meant.iter().any(|(_, ban)| ban.until > now);
        let removed = meant.iter().map(|(note, _)| note.key.clone());
        self.change(Vec::new(), removed.collect()).await?;
        Ok(is_banned)
    }

    /// Hides a match from lists and from link previews. Returns false if too many are hidden.
    pub(crate) async fn hide(&self, id: MatchId) -> Result<bool, StoreError> {
        let has_room = self.lobby.hidden().len() < HIDDEN_MAX;
        if has_room {
            let note = hidden_note(id, self.clock.now());
            self.change(vec![note], Vec::new()).await?;
        }
        Ok(has_room)
    }

    /// Shows a hidden match again.
    pub(crate) async fn unhide(&self, id: MatchId) -> Result<(), StoreError> {
        let key = NoteKind::Hidden.key(id.0, "");
        self.change(Vec::new(), vec![key]).await
    }

    async fn change(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> Result<(), StoreError> {
        in_time(self.store.put_notes(put, removed)).await?;
        self.cluster.hint(|| Hint::Moderation);
        self.read().await
    }

    /// Lists the kept acts of operators, oldest first.
    pub(crate) async fn acts(&self) -> Result<Vec<Act>, StoreError> {
        let notes = in_time(self.store.notes(NoteKind::Act, vec![ALL], 0)).await?;
        read_all(&notes)
    }

    /// Stores an act. If there are too many, the oldest one goes.
    pub(crate) async fn note_act(&self, act: &Act) -> Result<(), StoreError> {
        let kept = in_time(self.store.notes(NoteKind::Act, vec![ALL], 0)).await?;
        let surplus = (kept.len() + 1).saturating_sub(ACTS_MAX);
        let removed = kept.iter().take(surplus).map(|note| note.key.clone());
        let key = NoteKind::Act.key(ALL, format!("{} {}", act.at.0, kept.len()));
        let note = Note {
            number: act.at.0,
            ..note(key, act, act.at.after(ACTS_KEPT_FOR))
        };
        in_time(self.store.put_notes(vec![note], removed.collect())).await?;
        Ok(())
    }
}

impl AdmittedConnection {
    /// Returns the refusal that tells the guest about its ban.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let until = self.moderation.ban_of(self.guest, self.address)?;
        let retry_after_ms = until.0.saturating_sub(self.moderation.clock.now().0);
        Some(Refusal::Banned {
            until,
            retry_after_ms,
        })
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        self.moderation.connections.lock().remove(&self.number);
    }
}

fn note(key: NoteKey, content: &impl Serialize, until: Timestamp) -> Note {
    let text = serde_json::to_string(content).expect("notes have string keys");
    key.note(text).until(until)
}

fn read_all<T: DeserializeOwned>(notes: &[Note]) -> Result<Vec<T>, StoreError> {
    let read = |note: &Note| Ok(parsed("an operator's note", &note.text)?);
    notes.iter().map(read).collect()
}
