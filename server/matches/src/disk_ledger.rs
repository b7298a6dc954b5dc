//! The bytes that each address has stored in the last day, and which addresses may begin something that stores more.
//! Knows no store: callers say what was stored, and how much room is left.

use std::collections::HashMap;

use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::Refusal;
use parking_lot::Mutex;
use serde::Serialize;

use crate::clock::Clock;
use crate::limits::{DAY, DISK_OWNERS_MAX, DISK_RESERVE_DAYS, ROW_BYTES};

/// Counts stored bytes by address, and by the networks around it that one customer may own.
///
/// The match tasks and sessions charge it after each write. Sessions ask it before a request that stores something new,
/// never before an action in a running match. The server tells it now and then how much room is left. It starts empty
/// with the server, because no network address is ever stored.
pub struct DiskLedger {
    clock: Clock,
    /// The most that one address may store in a day, in bytes.
    per_address: u64,
    state: Mutex<DiskState>,
}

#[derive(Default)]
struct DiskState {
    /// The newest day, counted since 1970.
    day: u64,
    all: StoredBytes,
    owners: HashMap<ClientAddress, StoredBytes>,
    /// An address that has stored more is refused, because room is scarce; none while there is enough.
    level: Option<u64>,
}

/// The bytes stored on the newest day and on the one before.
#[derive(Clone, Copy, Default)]
struct StoredBytes {
    today: u64,
    yesterday: u64,
}

/// The use of the disk in the last 24 hours, for an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUse {
    /// The bytes of all together.
    pub all: u64,
    /// The bytes of the address that has stored the most.
    pub largest: u64,
}

impl StoredBytes {
    /// Returns the bytes of the last 24 hours, `passed` ms after midnight. Yesterday's bytes count as spread evenly
    /// over yesterday.
    fn last_day(self, passed: u64) -> u64 {
        self.today + part(self.yesterday, DAY_MS - passed, DAY_MS)
    }

    /// Returns the milliseconds until the last 24 hours have at most `most` bytes, if nothing is added.
    fn wait(self, most: u64, passed: u64) -> u64 {
        // Of `bytes` spread over a day, all but `kept` are older than a day after this time.
        let until = |bytes: u64, kept: u64| part(DAY_MS, bytes.saturating_sub(kept), bytes.max(1));
        match most.checked_sub(self.today) {
            Some(rest) => until(self.yesterday, rest).saturating_sub(passed),
            None => DAY_MS - passed + until(self.today, most),
        }
    }
}

const DAY_MS: u64 = DAY.as_secs() * 1_000;

/// Returns `whole × share ÷ of`, for a share of at most `of`.
fn part(whole: u64, share: u64, of: u64) -> u64 {
    let part = u128::from(whole) * u128::from(share) / u128::from(of);
    u64::try_from(part).unwrap_or(whole)
}

/// Returns the length of a stored value, in bytes of JSON.
#[must_use]
pub fn stored_bytes(value: &impl Serialize) -> u64 {
    ROW_BYTES + serde_json::to_vec(value).map_or(0, |text| text.len() as u64)
}

impl DiskLedger {
    /// Makes an empty ledger, by which an address may store `per_address` bytes a day.
    #[must_use]
    pub fn new(clock: Clock, per_address: u64) -> Self {
        Self {
            clock,
            per_address,
            state: Mutex::default(),
        }
    }

    /// Counts bytes that were stored for `owner`; for the server itself or a guest who has left, without one.
    pub fn charge(&self, owner: Option<ClientAddress>, bytes: u64) {
        let mut state = self.state.lock();
        let passed = state.begin_day(self.clock.now().0);
        state.all.today += bytes;
        let networks = owner.into_iter().flat_map(ClientAddress::networks);
        for network in networks {
            if !state.owners.contains_key(&network) {
                state.make_room(passed);
            }
            state.owners.entry(network).or_default().today += bytes;
        }
    }

    /// Checks that an address may begin something that is stored.
    ///
    /// # Errors
    /// `too-much-stored`, if it or a network around it has stored as much in the last day as one may, or if room is
    /// scarce and it has stored more than its part.
    pub fn check(&self, owner: ClientAddress) -> Result<(), Refusal> {
        let mut state = self.state.lock();
        let passed = state.begin_day(self.clock.now().0);
        for network in owner.networks() {
            let stored = state.owners.get(&network).copied().unwrap_or_default();
            let shares = u64::from(network.shares());
            let most = self.per_address.saturating_mul(shares);
            let used = stored.last_day(passed);
            if used >= most {
                return Err(Refusal::AddressStoredTooMuch {
                    most,
                    retry_after_ms: stored.wait(most.saturating_sub(1), passed) + 1,
                });
            }
            let level = state.level.map(|level| level.saturating_mul(shares));
            if let Some(level) = level.filter(|level| used > *level) {
                return Err(Refusal::DiskFills {
                    used,
                    retry_after_ms: stored.wait(level, passed) + 1,
                });
            }
        }
        Ok(())
    }

    /// Takes the bytes that are free for the store, if they are known. Fewer than the use of some days are scarce.
    /// Then the addresses that have stored the most are refused, as many as it takes to make the rest last.
    pub fn set_free(&self, free: Option<u64>) {
        let mut state = self.state.lock();
        let passed = state.begin_day(self.clock.now().0);
        let was_scarce = state.level.is_some();
        state.level = free.and_then(|free| state.scarce_level(free / DISK_RESERVE_DAYS, passed));
        match (was_scarce, state.level) {
            (false, Some(level)) => {
                let used = state.all.last_day(passed);
                tracing::error!(
                    free,
                    used,
                    level,
                    "the disk of the store has room for less than {DISK_RESERVE_DAYS} days of its present use; \
                     addresses that have stored more than `level` bytes in a day make no new matches until there is room"
                );
            }
            (true, None) => {
                tracing::info!(
                    "the disk of the store has enough room again; nobody is refused for it"
                );
            }
            _ => {}
        }
    }

    /// Returns the use of the last 24 hours.
    #[must_use]
    pub fn used(&self) -> DiskUse {
        let mut state = self.state.lock();
        let passed = state.begin_day(self.clock.now().0);
        DiskUse {
            all: state.all.last_day(passed),
            largest: state.addresses(passed).max().unwrap_or_default(),
        }
    }
}

impl DiskState {
    /// Begins the day of this instant, and returns the milliseconds since its midnight. A clock that was set back
    /// goes on with the newest day.
    fn begin_day(&mut self, now: u64) -> u64 {
        let (day, passed) = (now / DAY_MS, now % DAY_MS);
        let days = day.saturating_sub(self.day);
        if days > 0 {
            let age = |stored: &mut StoredBytes| {
                stored.yesterday = if days == 1 { stored.today } else { 0 };
                stored.today = 0;
            };
            age(&mut self.all);
            self.owners.retain(|_, stored| {
                age(stored);
                stored.yesterday > 0
            });
            self.day = day;
        }
        passed
    }

    /// Forgets the half that has stored the least, if there are too many. What they stored stays in the sum of all.
    fn make_room(&mut self, passed: u64) {
        if self.owners.len() < DISK_OWNERS_MAX {
            return;
        }
        let owners = self.owners.iter();
        let used = owners.map(|(owner, stored)| (stored.last_day(passed), *owner));
        let mut used: Vec<_> = used.collect();
        let (least, _, _) =
            used.select_nth_unstable_by_key(DISK_OWNERS_MAX / 2, |(bytes, _)| *bytes);
        for (_, owner) in least {
            self.owners.remove(owner);
        }
    }

    /// The use of each single address, without the wider networks, in which it counts again.
    fn addresses(&self, passed: u64) -> impl Iterator<Item = u64> {
        let single = self.owners.iter();
        let single = single.filter(|(owner, _)| owner.shares() == 1);
        single.map(move |(_, stored)| stored.last_day(passed))
    }

    /// Returns the greatest level for which all together stay within `budget` bytes a day, if no address may store
    /// more than the level. None if they do so without a level.
    fn scarce_level(&self, budget: u64, passed: u64) -> Option<u64> {
        let mut uses: Vec<_> = self.addresses(passed).collect();
        uses.sort_unstable();
        let owned: u64 = uses.iter().sum();
        let mut left = budget.saturating_sub(self.all.last_day(passed).saturating_sub(owned));
        for (place, used) in uses.iter().enumerate() {
            let equal = left / (uses.len() - place) as u64;
            if *used > equal {
                return Some(equal);
            }
            left -= used;
        }
        None
    }
}

#[cfg(test)]
mod tests;
