//! The account of an address: what all its connections together have and do.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::row::NetworkRow;
use super::share::{Held, Spent};
use crate::client_address::ClientAddress;

/// The account of one address. Clones count together.
#[derive(Clone)]
pub struct AddressAccount(pub(super) Arc<NetworkRow>);

/// Something that an address has until this is dropped.
pub struct AddressSlot {
    account: AddressAccount,
    held: Held,
}

impl AddressAccount {
    /// The address.
    pub fn address(&self) -> ClientAddress {
        self.0.network
    }

    /// Counts one more thing that the address has until the slot is dropped.
    ///
    /// # Errors
    /// The bound that is reached: of the address, of a network around it, or of all together.
    pub fn hold(&self, held: Held) -> Result<AddressSlot, usize> {
        self.hold_part(held, 1, 1)
    }

    /// [`Self::hold`] of something of which all together have `left` of `of` left. The fewer they
    /// are, the smaller is the part of its bound that an address may have.
    ///
    /// # Errors
    /// As [`Self::hold`].
    pub fn hold_part(&self, held: Held, left: usize, of: usize) -> Result<AddressSlot, usize> {
        self.add(held, 1, (left, of))?;
        let account = self.clone();
        Ok(AddressSlot { account, held })
    }

    /// Counts so many more, as [`NetworkRow::hold_part`] does, and against the bound of all.
    pub(super) fn add(&self, held: Held, more: usize, part: (usize, usize)) -> Result<(), usize> {
        let all = self.0.all.of(held);
        if let Some(all) = all
            && !all.has_common_room(more)
            && !(all.has_room(more) && self.has_few(held, more))
        {
            return Err(all.most());
        }
        self.0.hold_part(held, more, part)?;
        if let Some(all) = all {
            all.add(more);
        }
        Ok(())
    }

    pub(super) fn release(&self, held: Held, fewer: usize) {
        self.0.release(held, fewer);
        if let Some(all) = self.0.all.of(held) {
            all.subtract(fewer);
        }
    }

    /// Counts processor time that was used for the address.
    pub fn computed(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.owe(Spent::Micros, micros, now);
    }

    /// The time until the address has paid for what was computed for it.
    pub fn owed(&self, now: Instant) -> Duration {
        self.0.owed(Spent::Micros, now)
    }

    /// Counts bytes sent to the address.
    pub fn sent(&self, bytes: usize, now: Instant) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.0.owe(Spent::Bytes, bytes, now);
    }
}

impl Deref for AddressAccount {
    type Target = NetworkRow;

    fn deref(&self) -> &NetworkRow {
        &self.0
    }
}

impl AddressSlot {
    /// Returns true if this address has it.
    pub fn is_of(&self, account: &AddressAccount) -> bool {
        self.account.address() == account.address()
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        self.account.release(self.held, 1);
    }
}
