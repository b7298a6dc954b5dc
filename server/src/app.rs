//! The state shared by all parts of a running server.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{GuestId, Refusal};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::identity::{DeviceCodes, TokenAuthority, TokenStamp};
use crate::limits::{APPEND_WITHIN, OPEN_WITHIN, READY_WITHIN, Rate};
use crate::lobby::Lobby;
use crate::matches::{AbsenceLedger, ConnectedGuests, Directory};
use crate::net::address_guard::AddressTable;
use crate::net::client_address::ClientAddress;
use crate::ops::config::Bounds;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::store::{AppendError, Store};

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub guests: ConnectedGuests,
    pub absences: Arc<AbsenceLedger>,
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
    /// Checks that the server accepts requests and its store can write.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) async fn readiness(&self) -> Result<(), String> {
        if self.draining.is_cancelled() {
            return Err("shutting down".to_owned());
        }
        match timeout(READY_WITHIN, self.store.ready()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store does not answer".to_owned()),
        }
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
                        tracing::warn!(%guest, %error, "a guest's token cannot be renewed");
                        return Err(Refusal::Unavailable);
                    }
                }
            }
            Some(_) => {}
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
                tracing::warn!(%guest, %error, "the stamp of a guest's tokens cannot be read");
                Err(Refusal::Unavailable)
            }
            Err(_) => Err(Refusal::Unavailable),
        }
    }
}
