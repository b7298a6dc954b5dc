//! The counts of one address or network, and of the wider ones around it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::share::{AddressShare, Held, Spent};
use super::shared_bound::SharedBounds;
use crate::client_address::ClientAddress;
use crate::token_bucket::{EmptyBucket, TokenBucket};

/// The counts of one network. Locks are taken from the narrowest network to the widest.
pub struct NetworkRow {
    pub(super) network: ClientAddress,
    pub(super) all: Arc<SharedBounds>,
    most: [usize; Held::ALL.len()],
    counts: Mutex<NetworkCounts>,
    wider: Option<Arc<NetworkRow>>,
}

struct NetworkCounts {
    held: [usize; Held::ALL.len()],
    spent: [TokenBucket; Spent::ALL.len()],
}

impl NetworkRow {
    /// The row of `network`, which has nothing and has done nothing.
    pub(super) fn new(
        network: ClientAddress,
        share: &AddressShare,
        all: &Arc<SharedBounds>,
        wider: Option<Arc<NetworkRow>>,
        now: Instant,
    ) -> Self {
        let shares = network.shares();
        let most = |held| share.most(held).saturating_mul(shares as usize);
        let bucket = |spent| TokenBucket::new(share.rate(spent).times(shares), now);
        Self {
            network,
            all: Arc::clone(all),
            most: Held::ALL.map(most),
            counts: Mutex::new(NetworkCounts {
                held: [0; Held::ALL.len()],
                spent: Spent::ALL.map(bucket),
            }),
            wider,
        }
    }

    /// Counts so many more while each network has less than the part `left / of` of its bound: who has
    /// nothing gets a first one as long as any is left.
    ///
    /// # Errors
    /// The bound that is reached, here or in a wider network; nothing is counted then.
    pub(super) fn hold_part(
        &self,
        held: Held,
        more: usize,
        (left, of): (usize, usize),
    ) -> Result<(), usize> {
        let most = self.most[held as usize];
        let mut counts = self.counts.lock();
        let count = &mut counts.held[held as usize];
        let before_the_last = (*count + more).saturating_sub(1);
        if before_the_last.saturating_mul(of) >= most.saturating_mul(left) {
            return Err(most);
        }
        if let Some(wider) = self.wider() {
            wider.hold_part(held, more, (left, of))?;
        }
        *count += more;
        Ok(())
    }

    pub(super) fn release(&self, held: Held, fewer: usize) {
        self.counts.lock().held[held as usize] -= fewer;
        if let Some(wider) = self.wider() {
            wider.release(held, fewer);
        }
    }

    /// Returns true if the widest network has few, `more` among them.
    pub fn has_few(&self, held: Held, more: usize) -> bool {
        match self.wider() {
            Some(wider) => wider.has_few(held, more),
            None => self.counts.lock().held[held as usize] + more <= held.few(),
        }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// The bucket that is empty, here or in a wider network; nothing is taken then.
    pub fn take(&self, spent: Spent, now: Instant) -> Result<(), EmptyBucket> {
        let mut counts = self.counts.lock();
        let own = &mut counts.spent[spent as usize];
        own.check(now)?;
        if let Some(wider) = self.wider() {
            wider.take(spent, now)?;
        }
        own.owe(1, now);
        Ok(())
    }

    /// Takes `tokens`, also those that come later.
    pub(super) fn owe(&self, spent: Spent, tokens: u64, now: Instant) {
        self.counts.lock().spent[spent as usize].owe(tokens, now);
        if let Some(wider) = self.wider() {
            wider.owe(spent, tokens, now);
        }
    }

    /// Checks that there is a token.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn check(&self, spent: Spent, now: Instant) -> Result<(), EmptyBucket> {
        self.counts.lock().spent[spent as usize].check(now)?;
        self.wider().map_or(Ok(()), |wider| wider.check(spent, now))
    }

    /// The time until no token is owed any more.
    pub(super) fn owed(&self, spent: Spent, now: Instant) -> Duration {
        let own = self.counts.lock().spent[spent as usize].owed(now);
        self.wider()
            .map_or(own, |wider| wider.owed(spent, now).max(own))
    }

    /// Returns true if it has anything.
    pub(super) fn holds(&self) -> bool {
        self.counts.lock().held.iter().any(|count| *count > 0)
    }

    /// Returns true if it does not differ from a new row.
    pub(super) fn is_as_new(&self, now: Instant) -> bool {
        let mut counts = self.counts.lock();
        let held = counts.held.iter().any(|count| *count > 0);
        !held && counts.spent.iter_mut().all(|bucket| bucket.is_full(now))
    }

    fn wider(&self) -> Option<&NetworkRow> {
        self.wider.as_deref()
    }
}
