//! The rate budget of a session: each message takes a token of the connection's own bucket and one
//! of its address's.

use std::sync::Arc;

use fibfob_protocol::Refusal;
use tokio::time::Instant;

use crate::limits::{FREE_MESSAGES, Rate};
use crate::net::address_guard::{AddressGuard, TrafficClass};
use crate::net::token_bucket::TokenBucket;

/// The buckets that one connection's messages are taken from.
pub(super) struct RateBudget {
    own: TokenBucket,
    guard: Arc<AddressGuard>,
    /// Further messages that take no token of the address.
    free: u32,
}

impl RateBudget {
    pub(super) fn new(rate: Rate, guard: Arc<AddressGuard>, now: Instant) -> Self {
        Self {
            own: TokenBucket::new(rate, now),
            guard,
            free: FREE_MESSAGES,
        }
    }

    /// Takes a token of the connection alone: pings and pongs cost the address nothing.
    ///
    /// # Errors
    /// If the connection's bucket is empty.
    pub(super) fn take_own(&mut self, now: Instant) -> Result<(), Refusal> {
        if self.own.try_take(now) {
            Ok(())
        } else {
            let per_second = self.own.rate().per_second;
            Err(Refusal::TooFast { per_second })
        }
    }

    /// Takes the tokens of one message.
    ///
    /// # Errors
    /// If a bucket is empty. The connection's own is taken first, so that its flood takes nothing
    /// from other connections of its address.
    pub(super) fn take(&mut self, class: TrafficClass, now: Instant) -> Result<(), Refusal> {
        self.take_own(now)?;
        if let Some(fewer) = self.free.checked_sub(1) {
            self.free = fewer;
            return Ok(());
        }
        let taken = self.guard.try_take(class, now);
        taken.map_err(|rate| Refusal::AddressTooFast {
            who: class.plural(),
            per_second: rate.per_second,
        })
    }
}
