//! The counts of one address or network, and of the wider ones around it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::TrafficClass;
use super::share::AddressShare;
use crate::limits::{
    CONNECTIONS_FEW, FOLLOWED_FEW, REQUESTS_FEW, Rate, UNTAKEN_FEW, UNTAKEN_OF_ADDRESS_MAX,
};
use crate::net::client_address::ClientAddress;
use crate::net::token_bucket::TokenBucket;

/// The counts of one network. Locks are taken from the narrowest network to the widest.
pub(super) struct NetworkRow {
    connections_max: usize,
    followed_max: usize,
    untaken_max: usize,
    requests_max: usize,
    counts: Mutex<NetworkCounts>,
    wider: Option<Arc<NetworkRow>>,
}

struct NetworkCounts {
    connections: usize,
    followed: usize,
    /// Bytes sent and not taken yet.
    untaken: usize,
    /// Unanswered requests.
    requests: usize,
    opened: TokenBucket,
    started: TokenBucket,
    rejected: TokenBucket,
    created: TokenBucket,
    devices: TokenBucket,
    spectators: TokenBucket,
    players: TokenBucket,
    sent: TokenBucket,
    computed: TokenBucket,
}

/// The way to one of the buckets.
type BucketOf = fn(&mut NetworkCounts) -> &mut TokenBucket;

impl NetworkRow {
    /// The row of `network` without connections.
    pub(super) fn new(
        network: ClientAddress,
        share: &AddressShare,
        wider: Option<Arc<NetworkRow>>,
        now: Instant,
    ) -> Self {
        let shares = network.shares();
        let times = |count: usize| count.saturating_mul(shares as usize);
        let bucket = |rate: Rate| TokenBucket::new(rate.times(shares), now);
        Self {
            connections_max: times(share.connections),
            followed_max: times(share.followed),
            untaken_max: times(UNTAKEN_OF_ADDRESS_MAX),
            requests_max: times(share.requests),
            counts: Mutex::new(NetworkCounts {
                connections: 0,
                followed: 0,
                untaken: 0,
                requests: 0,
                opened: bucket(share.opened),
                started: bucket(share.started),
                rejected: bucket(share.rejected),
                created: bucket(share.created),
                devices: bucket(share.devices),
                spectators: bucket(share.spectators),
                players: bucket(share.players),
                sent: bucket(share.sent),
                computed: bucket(share.computed),
            }),
            wider,
        }
    }

    /// Counts a new connection; returns false if that is one too many.
    pub(super) fn connect(&self, now: Instant) -> bool {
        let mut counts = self.counts.lock();
        let admits = counts.connections < self.connections_max && counts.opened.has_some(now);
        if !admits || !self.wider().is_none_or(|wider| wider.connect(now)) {
            return false;
        }
        counts.opened.owe(1, now);
        counts.connections += 1;
        true
    }

    /// Counts a connection that is about to be served; returns its wait.
    pub(super) fn start(&self, now: Instant) -> Duration {
        let own = {
            let mut counts = self.counts.lock();
            counts.started.owe(1, now);
            counts.started.wait()
        };
        self.wider().map_or(own, |wider| wider.start(now).max(own))
    }

    /// Counts a rejected connection that is told the reason.
    ///
    /// # Errors
    /// The bucket's rate, if too many were.
    pub(super) fn reject(&self, now: Instant) -> Result<(), Rate> {
        self.take(|counts| &mut counts.rejected, now)
    }

    pub(super) fn disconnect(&self) {
        self.counts.lock().connections -= 1;
        if let Some(wider) = self.wider() {
            wider.disconnect();
        }
    }

    /// Counts a match that a connection follows; returns false if that is one too many.
    pub(super) fn follow(&self) -> bool {
        let mut counts = self.counts.lock();
        let admits = counts.followed < self.followed_max;
        if !admits || !self.wider().is_none_or(NetworkRow::follow) {
            return false;
        }
        counts.followed += 1;
        true
    }

    pub(super) fn unfollow(&self) {
        self.counts.lock().followed -= 1;
        if let Some(wider) = self.wider() {
            wider.unfollow();
        }
    }

    /// Counts bytes that are sent and not taken yet; returns false if these are too many.
    pub(super) fn send(&self, bytes: usize) -> bool {
        let mut counts = self.counts.lock();
        let admits = counts.untaken + bytes <= self.untaken_max;
        if !admits || !self.wider().is_none_or(|wider| wider.send(bytes)) {
            return false;
        }
        counts.untaken += bytes;
        true
    }

    pub(super) fn take_in(&self, bytes: usize) {
        self.counts.lock().untaken -= bytes;
        if let Some(wider) = self.wider() {
            wider.take_in(bytes);
        }
    }

    /// Counts a request until its answer; returns false if that is one too many.
    pub(super) fn request(&self) -> bool {
        let mut counts = self.counts.lock();
        let admits = counts.requests < self.requests_max;
        if !admits || !self.wider().is_none_or(NetworkRow::request) {
            return false;
        }
        counts.requests += 1;
        true
    }

    pub(super) fn answer(&self) {
        self.counts.lock().requests -= 1;
        if let Some(wider) = self.wider() {
            wider.answer();
        }
    }

    /// Returns true if the widest network has few untaken bytes, `more` among them.
    pub(super) fn has_few_untaken(&self, more: usize) -> bool {
        match self.wider() {
            Some(wider) => wider.has_few_untaken(more),
            None => self.counts.lock().untaken + more <= UNTAKEN_FEW,
        }
    }

    /// Returns true if the widest network has few unanswered requests.
    pub(super) fn has_few_requests(&self) -> bool {
        match self.wider() {
            Some(wider) => wider.has_few_requests(),
            None => self.counts.lock().requests < REQUESTS_FEW,
        }
    }

    /// Takes one token of the bucket of messages of this class.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(super) fn take_message(&self, class: TrafficClass, now: Instant) -> Result<(), Rate> {
        let bucket: BucketOf = match class {
            TrafficClass::Spectator => |counts| &mut counts.spectators,
            TrafficClass::Player => |counts| &mut counts.players,
        };
        self.take(bucket, now)
    }

    /// Takes one token of the bucket of new matches.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(super) fn take_creation(&self, now: Instant) -> Result<(), Rate> {
        self.take(|counts| &mut counts.created, now)
    }

    /// Takes one token of the bucket of requests about devices.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(super) fn take_device_request(&self, now: Instant) -> Result<(), Rate> {
        self.take(|counts| &mut counts.devices, now)
    }

    fn take(&self, bucket: BucketOf, now: Instant) -> Result<(), Rate> {
        let mut counts = self.counts.lock();
        let own = bucket(&mut counts);
        if !own.has_some(now) {
            return Err(own.rate());
        }
        if let Some(wider) = self.wider() {
            wider.take(bucket, now)?;
        }
        own.owe(1, now);
        Ok(())
    }

    /// Counts sent bytes.
    pub(super) fn sent(&self, bytes: usize, now: Instant) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.counts.lock().sent.owe(bytes, now);
        if let Some(wider) = self.wider() {
            wider.sent(bytes.try_into().unwrap_or(usize::MAX), now);
        }
    }

    /// Checks that no more bytes were sent than the rate allows.
    ///
    /// # Errors
    /// The rate in bytes, if there were.
    pub(super) fn may_receive(&self, now: Instant) -> Result<(), Rate> {
        let mut counts = self.counts.lock();
        if !counts.sent.has_some(now) {
            return Err(counts.sent.rate());
        }
        self.wider().map_or(Ok(()), |wider| wider.may_receive(now))
    }

    /// Counts microseconds of processor time.
    pub(super) fn computed(&self, micros: u64, now: Instant) {
        self.counts.lock().computed.owe(micros, now);
        if let Some(wider) = self.wider() {
            wider.computed(micros, now);
        }
    }

    /// The time until no processor time is owed any more.
    pub(super) fn owed(&self, now: Instant) -> Duration {
        let own = {
            let mut counts = self.counts.lock();
            counts.computed.has_some(now);
            counts.computed.wait()
        };
        self.wider().map_or(own, |wider| wider.owed(now).max(own))
    }

    /// Checks that no more processor time was taken than the rate allows.
    ///
    /// # Errors
    /// The rate in microseconds, if it was.
    pub(super) fn may_ask(&self, now: Instant) -> Result<(), Rate> {
        let mut counts = self.counts.lock();
        if !counts.computed.has_some(now) {
            return Err(counts.computed.rate());
        }
        self.wider().map_or(Ok(()), |wider| wider.may_ask(now))
    }

    /// Returns true if the widest network has few connections, `more` ones among them.
    pub(super) fn has_few_connections(&self, more: usize) -> bool {
        match self.wider() {
            Some(wider) => wider.has_few_connections(more),
            None => self.counts.lock().connections + more <= CONNECTIONS_FEW,
        }
    }

    /// Returns true if the connections of the widest network follow few matches.
    pub(super) fn follows_few(&self) -> bool {
        match self.wider() {
            Some(wider) => wider.follows_few(),
            None => self.counts.lock().followed < FOLLOWED_FEW,
        }
    }

    pub(super) fn has_connections(&self) -> bool {
        self.counts.lock().connections > 0
    }

    /// Returns true if it does not differ from a new row.
    pub(super) fn is_as_new(&self, now: Instant) -> bool {
        let mut counts = self.counts.lock();
        let counts = &mut *counts;
        let buckets = [
            &mut counts.opened,
            &mut counts.started,
            &mut counts.rejected,
            &mut counts.created,
            &mut counts.devices,
            &mut counts.spectators,
            &mut counts.players,
            &mut counts.sent,
            &mut counts.computed,
        ];
        counts.connections == 0 && buckets.into_iter().all(|bucket| bucket.is_full(now))
    }

    fn wider(&self) -> Option<&NetworkRow> {
        self.wider.as_deref()
    }
}
