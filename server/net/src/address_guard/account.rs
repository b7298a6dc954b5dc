//! The account of an address: what all its connections together have and do. The networks around it have
//! accounts too, and the address counts in them as well.

use std::array;
use std::iter::successors;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use strum::VariantArray;
use tokio::time::Instant;

use super::share::{AddressShare, HELD, Held, SPENT, Spent};
use crate::client_address::ClientAddress;
use crate::limits::{KEPT_PART, Rate};
use crate::token_bucket::{EmptyBucket, TokenBucket};

/// The account of one address or network. Clones count together.
#[derive(Clone)]
pub struct AddressAccount(Arc<NetworkRow>);

/// Locks are taken from the narrowest network to the widest.
struct NetworkRow {
    network: ClientAddress,
    all: Arc<HeldByAll>,
    most: [usize; HELD],
    counts: Mutex<NetworkCounts>,
    wider: Option<AddressAccount>,
}

struct NetworkCounts {
    held: [usize; HELD],
    spent: [TokenBucket; SPENT],
}

/// Sums over all addresses. Part of each bound is kept for addresses that have few. Two addresses that add at
/// once may exceed a bound by what they add.
pub(super) struct HeldByAll {
    pub(super) held: [AtomicUsize; HELD],
    most: [usize; HELD],
}

impl HeldByAll {
    /// Makes the empty sums for a server that takes `connections` at once.
    pub(super) fn new(connections: usize) -> Self {
        Self {
            held: Default::default(),
            most: array::from_fn(|place| Held::VARIANTS[place].most_of_all(connections)),
        }
    }

    /// Returns true if an address may add this much. One that has few may use the part that is kept.
    fn has_room(&self, held: Held, more: usize, has_few: impl FnOnce() -> bool) -> bool {
        let most = self.most[held as usize];
        let used = self.held[held as usize].load(Ordering::Relaxed) + more;
        used <= most - most / KEPT_PART || (used <= most && has_few())
    }
}

/// Something that an address has until this is dropped.
pub struct AddressSlot {
    account: AddressAccount,
    held: Held,
    pub(super) count: usize,
}

impl AddressAccount {
    /// Makes the empty account of `network`.
    pub(super) fn new(
        network: ClientAddress,
        share: &AddressShare,
        all: &Arc<HeldByAll>,
        wider: Option<Self>,
        now: Instant,
    ) -> Self {
        let bucket = |rate: Rate| TokenBucket::new(rate.times(network.shares()), now);
        Self(Arc::new(NetworkRow {
            network,
            all: Arc::clone(all),
            most: share.most.map(|most| network.most(most)),
            counts: Mutex::new(NetworkCounts {
                held: [0; HELD],
                spent: share.rates.map(bucket),
            }),
            wider,
        }))
    }

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

    /// Like [`hold`](Self::hold), but lowers the address's bound as the shared pool empties: `left` of `of`
    /// are left.
    ///
    /// # Errors
    /// As [`Self::hold`].
    pub fn hold_part(&self, held: Held, left: usize, of: usize) -> Result<AddressSlot, usize> {
        let mut slot = self.hold_none(held);
        slot.add(1, (left, of))?;
        Ok(slot)
    }

    pub(super) fn hold_none(&self, held: Held) -> AddressSlot {
        AddressSlot {
            account: self.clone(),
            held,
            count: 0,
        }
    }

    /// Counts `more` things, if each network stays below the part `left / of` of its bound. An address that
    /// has nothing gets a first one while any are left.
    fn count(&self, held: Held, more: usize, (left, of): (usize, usize)) -> Result<(), usize> {
        let most = self.0.most[held as usize];
        let mut counts = self.0.counts.lock();
        let count = &mut counts.held[held as usize];
        let before_the_last = (*count + more).saturating_sub(1);
        if before_the_last.saturating_mul(of) >= most.saturating_mul(left) {
            return Err(most);
        }
        if let Some(wider) = &self.0.wider {
            wider.count(held, more, (left, of))?;
        }
        *count += more;
        Ok(())
    }

    /// Returns true if the widest network has few of these, counting `more`.
    pub fn has_few(&self, held: Held, more: usize) -> bool {
        let widest = self.networks().last();
        widest.is_none_or(|row| row.counts.lock().held[held as usize] + more <= held.few())
    }

    /// Takes one token.
    ///
    /// # Errors
    /// The bucket that is empty, here or in a wider network; nothing is taken then.
    pub fn take(&self, spent: Spent, now: Instant) -> Result<(), EmptyBucket> {
        let mut counts = self.0.counts.lock();
        let own = &mut counts.spent[spent as usize];
        own.check(now)?;
        if let Some(wider) = &self.0.wider {
            wider.take(spent, now)?;
        }
        own.owe(1, now);
        Ok(())
    }

    /// Puts back a token that was taken for something that was not done.
    pub fn give_back(&self, spent: Spent, now: Instant) {
        for row in self.networks() {
            row.counts.lock().spent[spent as usize].give_back(1, now);
        }
    }

    /// Checks that there is a token.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn check(&self, spent: Spent, now: Instant) -> Result<(), EmptyBucket> {
        let mut networks = self.networks();
        networks.try_for_each(|row| row.counts.lock().spent[spent as usize].check(now))
    }

    /// Takes `tokens`, going into debt if there are too few.
    pub(super) fn owe(&self, spent: Spent, tokens: u64, now: Instant) {
        for row in self.networks() {
            row.counts.lock().spent[spent as usize].owe(tokens, now);
        }
    }

    /// Returns how long until the debt is paid.
    pub(super) fn owed_of(&self, spent: Spent, now: Instant) -> Duration {
        let owed = |row: &NetworkRow| row.counts.lock().spent[spent as usize].owed(now);
        self.networks().map(owed).max().unwrap_or_default()
    }

    /// Counts processor time that was used for the address.
    pub fn computed(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.owe(Spent::Micros, micros, now);
    }

    /// Replaces processor time that was counted before its use by the time that was used.
    pub fn correct_computed(&self, counted: Duration, used: Duration, now: Instant) {
        self.computed(used.saturating_sub(counted), now);
        let less = counted.saturating_sub(used).as_micros();
        let less = u64::try_from(less).unwrap_or(u64::MAX);
        for row in self.networks() {
            row.counts.lock().spent[Spent::Micros as usize].give_back(less, now);
        }
    }

    /// Returns how long until the address has paid for what was computed for it.
    pub fn owed(&self, now: Instant) -> Duration {
        self.owed_of(Spent::Micros, now)
    }

    /// Counts bytes sent to the address.
    pub fn sent(&self, bytes: usize, now: Instant) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.owe(Spent::Bytes, bytes, now);
    }

    /// Returns true if only the table refers to it, and it is the same as a new one.
    pub(super) fn is_as_new(&self, now: Instant) -> bool {
        let mut counts = self.0.counts.lock();
        let is_full = counts.spent.iter_mut().all(|bucket| bucket.is_full(now));
        // A narrower network that is still used refers to this one and keeps it.
        Arc::strong_count(&self.0) == 1 && is_full && counts.held.iter().all(|held| *held == 0)
    }

    /// Returns true if it has anything.
    pub(super) fn holds(&self) -> bool {
        self.0.counts.lock().held.iter().any(|count| *count > 0)
    }

    fn networks(&self) -> impl Iterator<Item = &NetworkRow> {
        successors(Some(&*self.0), |row| Some(&*row.wider.as_ref()?.0))
    }
}

impl AddressSlot {
    /// The address that it counts against.
    pub(super) fn address(&self) -> ClientAddress {
        self.account.address()
    }

    /// Returns true if it is a slot of this address.
    pub(super) fn is_of(&self, account: &AddressAccount) -> bool {
        self.account.address() == account.address()
    }

    /// Counts `more` things, if the part `left / of` of each network's bound, and the bound on all, have
    /// room.
    ///
    /// # Errors
    /// As [`AddressAccount::hold`]; nothing is counted then.
    pub(super) fn add(&mut self, more: usize, part: (usize, usize)) -> Result<(), usize> {
        let (account, held) = (&self.account, self.held);
        let all = &account.0.all;
        if !all.has_room(held, more, || account.has_few(held, more)) {
            return Err(all.most[held as usize]);
        }
        account.count(held, more, part)?;
        all.held[held as usize].fetch_add(more, Ordering::Relaxed);
        self.count += more;
        Ok(())
    }

    pub(super) fn release(&mut self, fewer: usize) {
        let held = self.held as usize;
        for row in self.account.networks() {
            row.counts.lock().held[held] -= fewer;
        }
        self.account.0.all.held[held].fetch_sub(fewer, Ordering::Relaxed);
        self.count -= fewer;
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        // Most connections hold no untaken bytes when they end.
        if self.count > 0 {
            self.release(self.count);
        }
    }
}
