//! A session's rate budget: each message takes a token from the connection's bucket and one from its
//! address's.

use std::sync::Arc;

use fibfob_net::address_guard::{AddressAccount, AddressGuard, TrafficClass};
use fibfob_net::token_bucket::TokenBucket;
use fibfob_protocol::{Limits, Refusal, SpeedLimit};
use fibfob_server_matches::scheduler::bounded;
use tokio::time::Instant;

use crate::limits::{FREE_MESSAGES, Rate};

/// The buckets that one connection's messages are taken from.
pub(super) struct RateBudget {
    own: TokenBucket,
    guard: Arc<AddressGuard>,
    /// Further messages that take no token of the address.
    free: u32,
}

impl RateBudget {
    pub(super) fn new(limits: &Limits, guard: Arc<AddressGuard>, now: Instant) -> Self {
        let rate = Rate {
            per_second: limits.per_second,
            burst: limits.burst,
        };
        Self {
            own: TokenBucket::new(rate, now),
            guard,
            free: FREE_MESSAGES,
        }
    }

    /// Takes a token of the connection only, because pings and pongs cost the address nothing.
    ///
    /// # Errors
    /// If the connection's bucket is empty.
    pub(super) fn take_own(&mut self, now: Instant) -> Result<(), Refusal> {
        let limit = |rate: Rate| SpeedLimit::Messages(rate.per_second);
        bounded(self.own.take(now), limit)
    }

    /// Takes the tokens of one message. A `hello` and the first `resume`s cost the address nothing.
    ///
    /// # Errors
    /// If a bucket is empty. The connection's own is taken first, so that its flood takes nothing
    /// from other connections of its address.
    pub(super) fn take(
        &mut self,
        class: TrafficClass,
        free: bool,
        now: Instant,
    ) -> Result<(), Refusal> {
        self.take_own(now)?;
        if free && let Some(fewer) = self.free.checked_sub(1) {
            self.free = fewer;
            return Ok(());
        }
        bounded(self.guard.take(class.spent(), now), |rate| {
            SpeedLimit::AddressMessages {
                who: class.plural(),
                per_second: rate.per_second,
            }
        })
    }

    /// The account of the address.
    pub(super) fn asker(&self) -> AddressAccount {
        AddressAccount::clone(&self.guard)
    }
}
