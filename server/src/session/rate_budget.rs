//! The rate budget of a session: each message takes a token of the connection's own bucket and one
//! of its address's.

use std::sync::Arc;
use std::time::Duration;

use fibfob_net::address_guard::{
    AddressAccount, AddressGuard, AddressSlot, Held, Spent, TrafficClass,
};
use fibfob_net::token_bucket::{EmptyBucket, TokenBucket};
use fibfob_protocol::{Limits, Refusal, SpeedLimit, millis};
use tokio::time::Instant;

use crate::limits::{FREE_MESSAGES, Rate};

/// The buckets that one connection's messages are taken from.
pub(super) struct RateBudget {
    own: TokenBucket,
    guard: Arc<AddressGuard>,
    /// Further messages that may take no token of the address.
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

    /// Takes a token of the connection alone: pings and pongs cost the address nothing.
    ///
    /// # Errors
    /// If the connection's bucket is empty.
    pub(super) fn take_own(&mut self, now: Instant) -> Result<(), Refusal> {
        let taken = self.own.take(now);
        taken.map_err(|empty| too_fast(&empty, SpeedLimit::Messages(empty.rate.per_second)))
    }

    /// Takes the tokens of one message. A `hello` and the first `resume`s are `free` for the address.
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
        let taken = self.guard.take(class.spent(), now);
        taken.map_err(|empty| {
            let (who, per_second) = (class.plural(), empty.rate.per_second);
            too_fast(&empty, SpeedLimit::AddressMessages { who, per_second })
        })
    }

    /// Takes the token of a new match.
    ///
    /// # Errors
    /// If the address makes matches too fast.
    pub(super) fn take_creation(&self, now: Instant) -> Result<(), Refusal> {
        let taken = self.guard.take(Spent::Created, now);
        taken.map_err(|empty| {
            let Rate { burst, per_second } = empty.rate;
            too_fast(&empty, SpeedLimit::NewMatches { burst, per_second })
        })
    }

    /// Takes the token of a request about devices.
    ///
    /// # Errors
    /// If the address makes such requests too fast, wrong codes among them.
    pub(super) fn take_device_request(&self, now: Instant) -> Result<(), Refusal> {
        let taken = self.guard.take(Spent::DeviceRequests, now);
        taken.map_err(|empty| {
            let Rate { burst, per_second } = empty.rate;
            too_fast(&empty, SpeedLimit::Devices { burst, per_second })
        })
    }

    /// Takes the token of a change of marks.
    ///
    /// # Errors
    /// If the address changes marks too fast.
    pub(super) fn take_marks(&self, now: Instant) -> Result<(), Refusal> {
        let taken = self.guard.take(Spent::Marks, now);
        taken.map_err(|empty| {
            let Rate { burst, per_second } = empty.rate;
            too_fast(&empty, SpeedLimit::Marks { burst, per_second })
        })
    }

    /// Counts bytes sent to the client.
    pub(super) fn sent(&self, bytes: usize, now: Instant) {
        self.guard.sent(bytes, now);
    }

    /// Checks that the client may ask for a large answer.
    ///
    /// # Errors
    /// If the address has been sent too many bytes lately.
    pub(super) fn check_sent(&self, now: Instant) -> Result<(), Refusal> {
        let checked = self.guard.check(Spent::Bytes, now);
        checked.map_err(|empty| too_fast(&empty, SpeedLimit::Bytes(empty.rate.per_second)))
    }

    /// The one who asks a question on this connection.
    pub(super) fn asker(&self) -> AddressAccount {
        AddressAccount::clone(&self.guard)
    }

    /// Checks that the client may ask a question.
    ///
    /// # Errors
    /// If the questions of the address have taken too much time lately.
    pub(super) fn check_asked(&self, now: Instant) -> Result<(), Refusal> {
        let asked = self.guard.check(Spent::Micros, now);
        asked.map_err(|empty| too_fast(&empty, SpeedLimit::Questions(empty.rate.per_second)))
    }

    /// Counts one more followed match.
    ///
    /// # Errors
    /// If the address follows as many as it may.
    pub(super) fn follow(&self) -> Result<AddressSlot, Refusal> {
        let slot = self.guard.hold(Held::Followed);
        slot.map_err(|_| Refusal::AddressFollowsTooMany)
    }

    /// Counts an unanswered request.
    ///
    /// # Errors
    /// If the address, or all together, have as many as they may.
    pub(super) fn request(&self) -> Result<AddressSlot, Refusal> {
        let slot = self.guard.hold(Held::Requests);
        slot.map_err(|_| Refusal::Busy)
    }

    /// Returns true if the address follows few matches.
    pub(super) fn follows_few(&self) -> bool {
        self.guard.has_few(Held::Followed, 1)
    }
}

/// The refusal by an empty bucket, until it has a token again.
fn too_fast(empty: &EmptyBucket, limit: SpeedLimit) -> Refusal {
    // Rounded up: a token too early would be refused again.
    let retry_after_ms = millis(empty.wait + Duration::from_micros(999));
    Refusal::TooFast {
        limit,
        retry_after_ms,
    }
}
