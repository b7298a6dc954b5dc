//! Checks that a client is the guest it claims to be, by the stamp of its token or by a code that carries a
//! guest to another device. The store keeps both.

use std::sync::Arc;

use fibfob_net::address_guard::{AddressAccount, Held, TimedSlots};
use fibfob_protocol::{CommandId, GuestId, Refusal, Timestamp};
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::random::Randomness;
use fibfob_server_matches::{Cluster, ConnectedGuests, append_in_time};
use fibfob_store::identity::{MovedGuest, TokenStamp};
use fibfob_store::{AppendError, Hint, Store, StoreError, in_time, warn_seldom};

use crate::identity::{TokenAuthority, draw_device_code};
use crate::limits::{DEVICE_CODE_FOR, DEVICE_CODES_MAX};

/// The credentials of all guests.
pub(crate) struct Credentials {
    pub authority: TokenAuthority,
    store: Store,
    cluster: Arc<Cluster>,
    guests: ConnectedGuests,
    /// The codes that are good now, each counted against the address that asked for it.
    codes: TimedSlots<GuestId, Timestamp>,
    clock: Clock,
    randomness: Randomness,
}

impl Credentials {
    pub(crate) fn new(
        authority: TokenAuthority,
        store: Store,
        cluster: Arc<Cluster>,
        guests: ConnectedGuests,
        (clock, randomness): (Clock, Randomness),
    ) -> Self {
        Self {
            authority,
            store,
            cluster,
            guests,
            codes: TimedSlots::new(Held::DeviceCodes, Some(DEVICE_CODES_MAX)),
            clock,
            randomness,
        }
    }

    /// Checks that tokens with this stamp are valid. The first use of a renewed token makes it the only valid
    /// one, and signs out the guest's connections that use older ones.
    ///
    /// # Errors
    /// `SignedOut` or `Forgotten` if they are not good, `Unavailable` if the store does not answer.
    pub(crate) async fn use_stamp(&self, guest: GuestId, stamp: TokenStamp) -> Result<(), Refusal> {
        let stored = self.stored_stamp(guest).await?;
        match stored.renewed_by(stamp) {
            None => return Err(Refusal::SignedOut),
            Some(renewed) if renewed != stored => {
                match append_in_time(self.store.renew_token(guest, stamp)).await {
                    Ok(()) => {}
                    Err(AppendError::Conflict) => return Err(Refusal::SignedOut),
                    Err(error) => {
                        warn_seldom!(%guest, %error, "cannot renew a guest's token; its client has to retry");
                        return Err(Refusal::Unavailable);
                    }
                }
            }
            Some(_) => {}
        }
        if stored.generation < stamp.generation {
            self.cluster
                .hint(|| Hint::SignedOut(guest, stamp.generation));
        }
        self.guests.sign_out_before(guest, stamp.generation);
        Ok(())
    }

    /// Reads the stamp of the guest's valid tokens.
    ///
    /// # Errors
    /// `Forgotten` if there are none any more, `Unavailable` if the store does not answer.
    pub(crate) async fn stored_stamp(&self, guest: GuestId) -> Result<TokenStamp, Refusal> {
        let forgotten = GuestId(self.authority.forgotten(guest).0);
        let reading = self.store.token_stamps(vec![guest, forgotten]);
        let stamps = answered(reading, "cannot read the stamp of a guest's tokens").await?;
        match stamps.contains_key(&forgotten) {
            true => Err(Refusal::Forgotten),
            false => Ok(stamps.get(&guest).copied().unwrap_or_default()),
        }
    }

    /// Makes a code that carries a guest to another device, and returns it with the instant at which it
    /// expires. Every server on the store accepts it.
    ///
    /// # Errors
    /// `AddressTooManyDeviceCodes` if the address has as many as it may, `Unavailable` if the store does not answer.
    pub(crate) async fn issue_code(
        &self,
        moved: MovedGuest,
        asker: &AddressAccount,
    ) -> Result<(String, Timestamp), Refusal> {
        let now = self.clock.now();
        let until = now.after(DEVICE_CODE_FOR);
        let guest = moved.guest;
        let counted = self.codes.renew(guest, asker, &now, until);
        let is_new = counted.map_err(|_| Refusal::AddressTooManyDeviceCodes)?;
        let code = self.randomness.draw(draw_device_code);
        let digest = self.authority.code_digest(&code);
        let keeping = self.store.put_device_code(digest, moved, until);
        let kept = answered(keeping, "cannot store a code for another device").await;
        if kept.is_err() && is_new {
            self.codes.end(&guest);
        }
        kept.map(|()| (code, until))
    }

    /// Uses a code as somebody types it. It works once, and again for the same request. Without a user (`by`)
    /// it is only looked at.
    ///
    /// # Errors
    /// `Unavailable` if the store does not answer.
    pub(crate) async fn take_code(
        &self,
        typed: &str,
        by: Option<(GuestId, CommandId)>,
    ) -> Result<Option<MovedGuest>, Refusal> {
        let digest = self.authority.code_digest(typed);
        let taking = self.store.take_device_code(digest, by, self.clock.now());
        answered(
            taking,
            "cannot look up a code for another device in the store",
        )
        .await
    }
}

/// Returns what the store answers in time. Otherwise logs `failure`, and refuses.
async fn answered<T>(
    asking: impl Future<Output = Result<T, StoreError>>,
    failure: &'static str,
) -> Result<T, Refusal> {
    in_time(asking).await.map_err(|error| {
        warn_seldom!(%error, "{failure}");
        Refusal::Unavailable
    })
}
