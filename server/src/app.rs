//! The state shared by all parts of a running server.

use std::iter::successors;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fibfob_protocol::{CommandId, GuestId, Refusal, Timestamp};
use rand::Rng;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::identity::{DeviceCodes, MovedGuest, TokenAuthority, TokenStamp};
use crate::limits::{APPEND_WITHIN, DEVICE_CODES_PER_ADDRESS, OPEN_WITHIN, READY_WITHIN, Rate};
use crate::lobby::Lobby;
use crate::matches::{AbsenceLedger, ConnectedGuests, Directory};
use crate::net::address_guard::AddressTable;
use crate::net::client_address::ClientAddress;
use crate::net::turns::Turns;
use crate::ops::config::Bounds;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::seldom::warn_seldom;
use crate::service::ServiceState;
use crate::store::{
    AppendError, CodeDigest, Durability, Hint, Store, StoreError, StoredDeviceCode,
};

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub guests: ConnectedGuests,
    pub absences: Arc<AbsenceLedger>,
    pub service: Arc<ServiceState>,
    pub lobby: Arc<Lobby>,
    pub identity: TokenAuthority,
    pub device_codes: DeviceCodes<ClientAddress>,
    pub store: Store,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    pub rate: Rate,
    pub bounds: Bounds,
    pub addresses: Arc<AddressTable>,
    /// The turns of requests and sessions without a seat in a match in play.
    pub turns: Arc<Turns>,
    /// The last look at the store, which all who ask for it share.
    pub looked: Mutex<Result<Durability, String>>,
    pub open_for: Duration,
    pub grace: Duration,
    /// The address that others reach the server at, if the operator has named it.
    pub public_url: Option<String>,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// The tasks of all sessions.
    pub sessions: TaskTracker,
}

impl App {
    /// Returns where an acknowledged event is kept, if the server accepts requests and its store could
    /// write at the last look.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) fn readiness(&self) -> Result<Durability, String> {
        if self.draining.is_cancelled() {
            return Err("shutting down".to_owned());
        }
        self.looked().clone()
    }

    /// Looks whether the store can write.
    pub(crate) async fn look_at_store(&self) {
        let found = match timeout(READY_WITHIN, self.store.ready()).await {
            Ok(Ok(durability)) => Ok(durability),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store does not answer".to_owned()),
        };
        *self.looked() = found;
    }

    fn looked(&self) -> MutexGuard<'_, Result<Durability, String>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that tokens with this stamp are good. The first use of one that was renewed makes it the
    /// only good one, and signs out the guest's connections with older ones.
    ///
    /// # Errors
    /// `SignedOut` if they are not good, `Unavailable` if the store does not answer.
    pub(crate) async fn use_stamp(&self, guest: GuestId, stamp: TokenStamp) -> Result<(), Refusal> {
        let stored = self.stored_stamp(guest).await?;
        match stored.renewed_by(stamp) {
            None => return Err(Refusal::SignedOut),
            Some(renewed) if renewed != stored => {
                let renewing = timeout(APPEND_WITHIN, self.store.renew_token(guest, stamp)).await;
                match renewing.unwrap_or(Err(AppendError::Unknown)) {
                    Ok(()) => {}
                    Err(AppendError::Conflict) => return Err(Refusal::SignedOut),
                    Err(error) => {
                        warn_seldom!(%guest, %error, "a guest's token cannot be renewed");
                        return Err(Refusal::Unavailable);
                    }
                }
            }
            Some(_) => {}
        }
        if stored.generation < stamp.generation
            && let Some(store) = self.store.shared()
        {
            store.hint(Hint::SignedOut(guest, stamp.generation));
        }
        self.guests.sign_out_before(guest, stamp.generation);
        Ok(())
    }

    /// Reads the stamp of the guest's good tokens.
    ///
    /// # Errors
    /// `Unavailable` if the store does not answer.
    pub(crate) async fn stored_stamp(&self, guest: GuestId) -> Result<TokenStamp, Refusal> {
        match timeout(OPEN_WITHIN, self.store.token_stamp(guest)).await {
            Ok(Ok(stamp)) => Ok(stamp),
            Ok(Err(error)) => {
                warn_seldom!(%guest, %error, "the stamp of a guest's tokens cannot be read");
                Err(Refusal::Unavailable)
            }
            Err(_) => Err(Refusal::Unavailable),
        }
    }

    /// Makes a code that carries a guest to another device, and returns it with the end of its time.
    /// Every server on the store takes it.
    ///
    /// # Errors
    /// `AddressTooManyDeviceCodes` if the address has as many as it may, `Unavailable` if the store
    /// does not answer.
    pub(crate) async fn issue_device_code(
        &self,
        moved: MovedGuest,
        address: ClientAddress,
    ) -> Result<(String, Timestamp), Refusal> {
        let now = self.clock.now();
        let networks = successors(Some(address), |network| network.wider());
        let most = |network: ClientAddress| DEVICE_CODES_PER_ADDRESS * network.shares() as usize;
        let networks: Vec<_> = networks.map(|network| (network, most(network))).collect();
        let counted = moved.clone();
        let issue = |rng: &mut dyn Rng| self.device_codes.issue(counted, &networks, now, rng);
        let issued = self.randomness.draw(issue);
        let (code, until) = issued.ok_or(Refusal::AddressTooManyDeviceCodes)?;
        let Some(store) = self.store.shared() else {
            return Ok((code, until));
        };
        let stored = StoredDeviceCode {
            digest: CodeDigest(self.identity.code_digest(&code)),
            guest: moved.guest,
            stamp: moved.stamp,
            name: moved.name,
            until,
        };
        let keeping = timeout(OPEN_WITHIN, store.put_device_code(stored)).await;
        let kept = keeping.unwrap_or(Err(StoreError::NotNoted));
        kept.map_err(|error| {
            warn_seldom!(%error, "a code for another device cannot be stored");
            Refusal::Unavailable
        })?;
        Ok((code, until))
    }

    /// Uses a code as somebody types it: returns its guest once, and again to the same request. By
    /// nobody it is only looked at.
    ///
    /// # Errors
    /// `Unavailable` if the store does not answer.
    pub(crate) async fn take_device_code(
        &self,
        typed: &str,
        by: Option<(GuestId, CommandId)>,
    ) -> Result<Option<MovedGuest>, Refusal> {
        let now = self.clock.now();
        let Some(store) = self.store.shared() else {
            return Ok(self.device_codes.take(typed, by, now));
        };
        let digest = CodeDigest(self.identity.code_digest(typed));
        let taking = timeout(OPEN_WITHIN, store.take_device_code(digest, by, now)).await;
        let taken = taking.unwrap_or(Err(StoreError::Stopped));
        let taken = taken.map_err(|error| {
            warn_seldom!(%error, "a code for another device cannot be looked up");
            Refusal::Unavailable
        })?;
        Ok(taken.map(|stored| MovedGuest {
            guest: stored.guest,
            stamp: stored.stamp,
            name: stored.name,
        }))
    }
}
