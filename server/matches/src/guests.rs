//! The guests who are connected to this server, whatever they follow.
//!
//! After a restart, a client says `hello` before it resumes its matches. A player who is about to resume is
//! not away.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;

use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::millis;
use fibfob_protocol::{GuestId, PlayerName, Timestamp};
use fibfob_store::StoreError;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::cluster::Cluster;
use super::feed::Inspection;
use super::own_matches::{OwnChange, OwnChanges, WatchedMatches, players};
use crate::limits::RESUME_WITHIN;

/// The connections of each guest. Clones are the same.
#[derive(Clone)]
pub struct ConnectedGuests {
    greeted: Arc<Mutex<HashMap<GuestId, Greeted>>>,
    /// The other servers on the store, which are told who is connected here.
    cluster: Arc<Cluster>,
}

#[derive(Default)]
struct Greeted {
    connections: usize,
    /// The guest's name, from the newest `hello` that had one.
    name: Option<PlayerName>,
    /// The instant of the newest `hello`.
    at: Timestamp,
    /// The address that it came from, which pays for what the guest stores.
    address: Option<ClientAddress>,
    /// The newest generation of the guest's tokens that was used while it was connected.
    generation: watch::Sender<u32>,
    /// Changes of its own matches, once one of its connections watches them.
    own: Option<watch::Sender<OwnChanges>>,
}

/// One connection of a guest, until this is dropped.
pub struct ConnectedGuest {
    guests: ConnectedGuests,
    guest: GuestId,
    generation: watch::Receiver<u32>,
}

impl ConnectedGuest {
    /// The guest's id.
    pub fn id(&self) -> GuestId {
        self.guest
    }

    /// Waits until other servers can read that the guest is connected here, so that none of them ends a match
    /// as left by somebody who has just been welcomed.
    ///
    /// # Errors
    /// If the store does not take it.
    pub async fn noted(&self) -> Result<(), StoreError> {
        self.guests.cluster.store_guest(self.guest).await
    }

    /// Takes the guest's name from a `hello`.
    pub fn take_name(&self, name: PlayerName) {
        self.guests.rename(self.guest, name);
    }

    /// Waits until a token of a later generation than this one is used, and returns that generation.
    pub fn signed_out(&self, generation: u32) -> impl Future<Output = u32> + Send + use<> {
        let mut newest = self.generation.clone();
        async move {
            let later = newest.wait_for(|used| *used > generation).await;
            match later.ok().map(|used| *used) {
                Some(later) => later,
                // The guest has no connection any more.
                None => pending().await,
            }
        }
    }
}

impl ConnectedGuests {
    /// Makes the empty list of a server among these others.
    pub(crate) fn among(cluster: Arc<Cluster>) -> Self {
        Self {
            greeted: Arc::default(),
            cluster,
        }
    }

    /// Adds a connection that has said `hello` at `now`.
    pub fn greeted(
        &self,
        guest: GuestId,
        address: ClientAddress,
        now: Timestamp,
    ) -> ConnectedGuest {
        let mut guests = self.greeted.lock();
        let greeted = guests.entry(guest).or_default();
        greeted.connections += 1;
        greeted.at = now;
        greeted.address = Some(address);
        if greeted.connections == 1 {
            self.cluster.note_guest(guest, true);
        }
        ConnectedGuest {
            guests: self.clone(),
            guest,
            generation: greeted.generation.subscribe(),
        }
    }

    /// Signs out the guest's connections with tokens of earlier generations. A connection is added
    /// before its token is compared with the store's stamp, so that none is missed.
    pub fn sign_out_before(&self, guest: GuestId, generation: u32) {
        if let Some(greeted) = self.greeted.lock().get(&guest) {
            greeted.generation.send_if_modified(|newest| {
                let is_later = *newest < generation;
                *newest = generation.max(*newest);
                is_later
            });
        }
    }

    /// Renames a connected guest.
    pub(super) fn rename(&self, guest: GuestId, name: PlayerName) {
        if let Some(greeted) = self.greeted.lock().get_mut(&guest) {
            greeted.name = Some(name);
        }
    }

    /// Returns the changes of a connected guest's own matches from now on; none without a connection.
    pub fn watch_own(&self, guest: GuestId) -> Option<WatchedMatches> {
        let mut guests = self.greeted.lock();
        let own = &mut guests.get_mut(&guest)?.own;
        let changes = own.get_or_insert_with(watch::Sender::default).subscribe();
        Some(WatchedMatches::new(guest, changes))
    }

    /// Shows a match to those of its players who watch their own matches.
    pub(super) fn show_own(&self, log: &Inspection) {
        for guest in players(&log.current) {
            self.change_own(guest, |changes| {
                if let Some(shown) = log.own_of(guest) {
                    changes.push(log.current.id(), OwnChange::Here(Box::new(shown)));
                }
            });
        }
    }

    /// Changes what is about to be sent to the connections that watch a guest's matches, if there are any.
    pub(super) fn change_own(&self, guest: GuestId, change: impl FnOnce(&mut OwnChanges)) {
        let guests = self.greeted.lock();
        let own = guests.get(&guest).and_then(|greeted| greeted.own.as_ref());
        if let Some(own) = own.filter(|own| own.receiver_count() > 0) {
            own.send_modify(change);
        }
    }

    /// The guests that have a connection.
    pub(super) fn connected(&self) -> Vec<GuestId> {
        self.greeted.lock().keys().copied().collect()
    }

    /// Returns true if the guest has a connection.
    pub fn is_connected(&self, guest: GuestId) -> bool {
        self.greeted.lock().contains_key(&guest)
    }

    /// Returns the address of the guest's newest `hello`; none without a connection.
    pub(crate) fn address(&self, guest: GuestId) -> Option<ClientAddress> {
        self.greeted.lock().get(&guest)?.address
    }

    /// Returns true if the guest is connected to another server.
    pub async fn is_elsewhere(&self, guest: GuestId) -> Result<bool, StoreError> {
        Ok(self.cluster.has_peers() && self.cluster.is_any_elsewhere(&[guest]).await?)
    }

    /// Returns a connected guest's newest name; none if it is unknown.
    pub fn name(&self, guest: GuestId) -> Option<PlayerName> {
        self.greeted.lock().get(&guest)?.name.clone()
    }

    /// Returns true if the guest said `hello` so recently that it may still resume.
    pub(super) fn may_resume(&self, guest: GuestId, now: Timestamp) -> bool {
        let guests = self.greeted.lock();
        let greeted = guests.get(&guest);
        greeted.is_some_and(|it| now.0.saturating_sub(it.at.0) < millis(RESUME_WITHIN))
    }
}

impl Drop for ConnectedGuest {
    fn drop(&mut self) {
        let mut guests = self.guests.greeted.lock();
        if let Some(greeted) = guests.get_mut(&self.guest) {
            greeted.connections -= 1;
            if greeted.connections == 0 {
                guests.remove(&self.guest);
                self.guests.cluster.note_guest(self.guest, false);
            }
        }
    }
}
