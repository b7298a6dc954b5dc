//! What a message costs: a credit of the connection's own, and one that its address has for its role.

use std::sync::Arc;

use fibfob_protocol::Refusal;
use tokio::time::Instant;

use crate::limits::FREE_MESSAGES;
use crate::net::address_limits::{Role, Visitor};
use crate::net::token_bucket::Credits;
use crate::ops::config::Rate;

/// What one connection pays from.
pub(super) struct Purse {
    own: Credits,
    visitor: Arc<Visitor>,
    /// Messages left for which the address is not asked.
    free: u32,
}

impl Purse {
    pub(super) fn new(rate: Rate, visitor: Arc<Visitor>, now: Instant) -> Self {
        Self {
            own: Credits::new(rate, now),
            visitor,
            free: FREE_MESSAGES,
        }
    }

    /// Pays for a sign of life. Whoever only answers pings is asked for nothing by their address.
    ///
    /// # Errors
    /// If the connection's credits are used up.
    pub(super) fn pay_alone(&mut self, now: Instant) -> Result<(), Refusal> {
        if self.own.spend(now) {
            Ok(())
        } else {
            let per_second = self.own.rate().per_second;
            Err(Refusal::TooFast { per_second })
        }
    }

    /// Pays for one message.
    ///
    /// # Errors
    /// Whose credits are used up. The connection's own come first: its flood is its own, and costs
    /// those who share its address nothing.
    pub(super) fn pay(&mut self, role: Role, now: Instant) -> Result<(), Refusal> {
        self.pay_alone(now)?;
        if let Some(fewer) = self.free.checked_sub(1) {
            self.free = fewer;
            return Ok(());
        }
        let paid = self.visitor.spend(role, now);
        paid.map_err(|rate| Refusal::AddressTooFast {
            who: role.crowd(),
            per_second: rate.per_second,
        })
    }
}
