//! The table of addresses, and the guard of each connection.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::TrafficClass;
use super::row::NetworkRow;
use super::share::AddressShare;
use crate::limits::{
    ADDRESSES_MAX, ADDRESSES_SWEPT_FROM, REQUESTS_MAX, Rate, UNTAKEN_FREE, UNTAKEN_MAX,
};
use crate::net::address_guard::shared_bound::SharedBound;
use crate::net::client_address::ClientAddress;

/// The addresses that have open connections, or had some recently.
pub(crate) struct AddressTable {
    share: AddressShare,
    connections: SharedBound,
    /// Bytes sent and not taken yet.
    untaken: SharedBound,
    /// Unanswered requests.
    requests: SharedBound,
    rows: Mutex<AddressRows>,
}

#[derive(Default)]
struct AddressRows {
    by_network: HashMap<ClientAddress, Arc<NetworkRow>>,
    /// The number of rows at which those that hold no information are removed.
    sweep_at: usize,
}

/// One connection counted against its address, until this is dropped.
pub(crate) struct AddressGuard {
    table: Arc<AddressTable>,
    address: ClientAddress,
    row: Arc<NetworkRow>,
}

/// The bytes sent to one address and the time computed for it, over all its connections.
#[derive(Clone)]
pub(crate) struct AddressTraffic(Arc<NetworkRow>);

/// The bytes sent to one connection that the client has not taken yet, counted against its address
/// until this is dropped.
pub(crate) struct UntakenBytes {
    guard: Arc<AddressGuard>,
    /// Those beyond [`UNTAKEN_FREE`].
    counted: usize,
}

/// One unanswered request, counted against its address until this is dropped.
pub(crate) struct RequestSlot(Arc<AddressGuard>);

/// One match that a connection follows, counted against its address until this is dropped.
pub(crate) struct FollowSlot(Arc<AddressGuard>);

impl AddressTable {
    /// A table for a server that takes `connections` at once.
    pub(crate) fn new(share: AddressShare, connections: usize) -> Arc<Self> {
        Arc::new(Self {
            share,
            connections: SharedBound::new(connections),
            untaken: SharedBound::new(UNTAKEN_MAX),
            requests: SharedBound::new(REQUESTS_MAX),
            rows: Mutex::default(),
        })
    }

    /// Counts one more connection of this address; none if it has as many as it may, or has opened
    /// too many lately.
    pub(crate) fn admit(self: &Arc<Self>, address: ClientAddress) -> Option<AddressGuard> {
        let now = Instant::now();
        let mut rows = self.rows();
        let row = rows.row_of(address, &self.share, now);
        // The listener's own permits bound the connections of all.
        let room = self.connections.has_common_room(1) || row.has_few_connections(1);
        if !room || !row.connect(now) {
            return None;
        }
        drop(rows);
        self.connections.add(1);
        let table = Arc::clone(self);
        Some(AddressGuard {
            table,
            address,
            row,
        })
    }

    /// Counts a rejected connection of this address; returns true if it is answered the reason.
    pub(crate) fn explains_to(&self, address: ClientAddress) -> bool {
        let now = Instant::now();
        let row = self.rows().row_of(address, &self.share, now);
        row.reject(now).is_ok()
    }

    /// The bytes sent to this address.
    pub(crate) fn traffic(&self, address: ClientAddress) -> AddressTraffic {
        let row = self.rows().row_of(address, &self.share, Instant::now());
        AddressTraffic(row)
    }

    fn rows(&self) -> MutexGuard<'_, AddressRows> {
        // Every change of the rows is complete before anything in it can panic.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AddressRows {
    fn row_of(
        &mut self,
        network: ClientAddress,
        share: &AddressShare,
        now: Instant,
    ) -> Arc<NetworkRow> {
        if let Some(row) = self.by_network.get(&network) {
            return Arc::clone(row);
        }
        self.make_room(now);
        let wider = network.wider().map(|wider| self.row_of(wider, share, now));
        let row = Arc::new(NetworkRow::new(network, share, wider, now));
        self.by_network.insert(network, Arc::clone(&row));
        row
    }

    /// Removes networks without connections. Not as soon as the last one closes: a client that
    /// reconnects must find the buckets as it left them, or reconnecting would refill them.
    fn make_room(&mut self, now: Instant) {
        let rows = &mut self.by_network;
        if rows.len() >= self.sweep_at.max(ADDRESSES_SWEPT_FROM) {
            // A row that a narrower one refers to stays with it.
            rows.retain(|_, row| Arc::strong_count(row) > 1 || !row.is_as_new(now));
            if rows.len() >= ADDRESSES_MAX {
                rows.retain(|_, row| row.has_connections());
            }
            self.sweep_at = (2 * rows.len()).min(ADDRESSES_MAX);
        }
    }
}

impl AddressGuard {
    /// Waits until the connection may be served: many new ones of its address are served one after
    /// the other.
    pub(crate) async fn start(&self) {
        let wait = self.row.start(Instant::now());
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }

    /// The address that the connection comes from.
    pub(crate) fn address(&self) -> ClientAddress {
        self.address
    }

    /// Takes one token of the address's bucket for messages of this class.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn take_message(&self, class: TrafficClass, now: Instant) -> Result<(), Rate> {
        self.row.take_message(class, now)
    }

    /// Takes one token of the address's bucket for new matches.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn take_creation(&self, now: Instant) -> Result<(), Rate> {
        self.row.take_creation(now)
    }

    /// The bytes sent to the address.
    pub(crate) fn traffic(&self) -> AddressTraffic {
        AddressTraffic(Arc::clone(&self.row))
    }

    /// Counts one more match that the connection follows; none if its address follows as many as
    /// it may.
    pub(crate) fn follow(self: &Arc<Self>) -> Option<FollowSlot> {
        self.row.follow().then(|| FollowSlot(Arc::clone(self)))
    }

    /// Counts an unanswered request; none if the address, or all together, have as many as they may.
    pub(crate) fn request(self: &Arc<Self>) -> Option<RequestSlot> {
        let all = &self.table.requests;
        let room = all.has_common_room(1) || all.has_room(1) && self.row.has_few_requests();
        (room && self.row.request()).then(|| {
            all.add(1);
            RequestSlot(Arc::clone(self))
        })
    }

    /// Returns true if the connections of the address follow few matches.
    pub(crate) fn follows_few(&self) -> bool {
        self.row.follows_few()
    }
}

impl AddressTraffic {
    /// Counts the time of a computation for a question.
    pub(crate) fn computed(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.computed(micros, now);
    }

    /// Checks that the address may ask a question.
    ///
    /// # Errors
    /// The rate in microseconds, if its questions have taken too much time lately.
    pub(crate) fn may_ask(&self, now: Instant) -> Result<(), Rate> {
        self.0.may_ask(now)
    }

    /// Counts bytes sent to the address.
    pub(crate) fn sent(&self, bytes: usize, now: Instant) {
        self.0.sent(bytes, now);
    }

    /// Checks that no more bytes were sent to the address than its rate allows.
    ///
    /// # Errors
    /// The rate in bytes, if there were.
    pub(crate) fn may_receive(&self, now: Instant) -> Result<(), Rate> {
        self.0.may_receive(now)
    }
}

impl UntakenBytes {
    /// A connection to which nothing was sent.
    pub(crate) fn new(guard: Arc<AddressGuard>) -> Self {
        Self { guard, counted: 0 }
    }

    /// Notes that so many bytes wait to be taken; returns false if they find no room.
    pub(crate) fn set(&mut self, bytes: usize) -> bool {
        let counted = bytes.saturating_sub(UNTAKEN_FREE);
        let AddressGuard { table, row, .. } = &*self.guard;
        let all = &table.untaken;
        if let Some(fewer) = self.counted.checked_sub(counted) {
            if fewer > 0 {
                row.take_in(fewer);
                all.subtract(fewer);
            }
        } else {
            let more = counted - self.counted;
            let room = all.has_common_room(more) || all.has_room(more) && row.has_few_untaken(more);
            if !room || !row.send(more) {
                return false;
            }
            all.add(more);
        }
        self.counted = counted;
        true
    }
}

impl Drop for UntakenBytes {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.0.row.answer();
        self.0.table.requests.subtract(1);
    }
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        self.row.disconnect();
        self.table.connections.subtract(1);
    }
}

impl Drop for FollowSlot {
    fn drop(&mut self) {
        self.0.row.unfollow();
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::limits::{REQUESTS_OF_ADDRESS_MAX, UNTAKEN_FEW, UNTAKEN_OF_ADDRESS_MAX};

    fn share(connections: usize) -> AddressShare {
        let rate = |burst| Rate {
            per_second: 1,
            burst,
        };
        AddressShare {
            connections,
            followed: 2,
            opened: rate(1_000),
            started: rate(4),
            rejected: rate(2),
            created: rate(2),
            spectators: rate(2),
            players: rate(3),
            sent: rate(100),
            computed: rate(1_000),
        }
    }

    fn addresses(connections: usize) -> Arc<AddressTable> {
        AddressTable::new(share(connections), 1_000_000)
    }

    fn address(number: u32) -> ClientAddress {
        IpAddr::from(Ipv4Addr::from_bits(number)).into()
    }

    fn ip(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn rows(addresses: &AddressTable) -> usize {
        addresses.rows().by_network.len()
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_bounded_per_address() {
        let addresses = addresses(2);
        let first = addresses.admit(address(1)).unwrap();
        let _second = addresses.admit(address(1)).unwrap();
        assert!(addresses.admit(address(1)).is_none());
        let _other = addresses.admit(address(2)).unwrap();
        drop(first);
        let _third = addresses
            .admit(address(1))
            .expect("one connection has closed");
        assert!(addresses.admit(address(1)).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn an_ipv6_customer_has_the_shares_of_few_addresses() {
        let addresses = addresses(2);
        let mut open = Vec::new();
        let mut admitted = |text: &str| {
            let admitted = addresses.admit(ip(text));
            let is_admitted = admitted.is_some();
            open.extend(admitted);
            is_admitted
        };
        let all = (0..64).filter(|last| admitted(&format!("2001:db8:1:{last:x}::1")));
        assert_eq!(all.count(), 4, "one /56");
        let all = (1..64).filter(|last| admitted(&format!("2001:db8:1:{last:x}00::1")));
        assert_eq!(all.count(), 4, "one /48");
        assert!(admitted("2001:db8:2::1"), "the next customer");
        assert_eq!(addresses.connections.used(), 9);
        open.clear();
        assert_eq!(addresses.connections.used(), 0);
        let again = (0..64).map(|last| addresses.admit(ip(&format!("2001:db8:1:{last:x}::1"))));
        assert_eq!(again.collect::<Vec<_>>().iter().flatten().count(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_connections_are_for_addresses_with_few() {
        let addresses = AddressTable::new(share(1_000), 40);
        let greedy: Vec<_> = (0..40).map(|_| addresses.admit(address(1))).collect();
        assert_eq!(greedy.iter().flatten().count(), 30);
        let modest: Vec<_> = (0..10).map(|_| addresses.admit(address(2))).collect();
        let few = crate::limits::CONNECTIONS_FEW;
        assert_eq!(modest.iter().flatten().count(), few);
        assert!(addresses.admit(address(1)).is_none());
        assert!(addresses.admit(address(3)).is_some());
        drop((greedy, modest));
        assert!(addresses.admit(address(1)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn new_connections_are_bounded_per_address() {
        let opened = Rate {
            per_second: 1,
            burst: 5,
        };
        let addresses = AddressTable::new(AddressShare { opened, ..share(2) }, 100);
        let opened = |times| (0..times).filter(|_| addresses.admit(address(1)).is_some());
        assert_eq!(opened(20).count(), 5, "although each was closed at once");
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(opened(20).count(), 3);
        assert!(addresses.admit(address(2)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_of_one_address_is_served_one_after_the_other() {
        let addresses = addresses(9);
        let one: Vec<_> = (0..6)
            .map(|_| addresses.admit(address(1)).unwrap())
            .collect();
        let began = Instant::now();
        for (guard, waited) in one.iter().zip([0, 0, 0, 0, 1, 2]) {
            guard.start().await;
            assert_eq!(began.elapsed().as_secs(), waited);
        }
        addresses.admit(address(2)).unwrap().start().await;
        assert_eq!(
            began.elapsed().as_secs(),
            2,
            "another address waits for nothing"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn rejected_connections_are_answered_at_a_bounded_rate() {
        let addresses = addresses(1);
        let answered = |times: u32| {
            (0..times)
                .filter(|_| addresses.explains_to(address(1)))
                .count()
        };
        assert_eq!(answered(9), 2);
        assert!(addresses.explains_to(address(2)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(answered(9), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn followed_matches_and_new_ones_are_bounded_per_address() {
        let addresses = addresses(2);
        let [one, two] = [(); 2].map(|()| Arc::new(addresses.admit(address(1)).unwrap()));
        let slot = one.follow().unwrap();
        let _other = two.follow().unwrap();
        assert!(one.follow().is_none() && two.follow().is_none());
        drop(slot);
        assert!(two.follow().is_some());
        let now = Instant::now();
        assert!(one.take_creation(now).is_ok() && two.take_creation(now).is_ok());
        assert_eq!(one.take_creation(now).unwrap_err().burst, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_sent_are_counted_per_address() {
        let addresses = addresses(2);
        let (one, two) = (addresses.admit(address(1)), addresses.admit(address(1)));
        let (one, two) = (one.unwrap(), two.unwrap());
        let now = Instant::now();
        let (one, two) = (one.traffic(), two.traffic());
        one.sent(99, now);
        assert!(two.may_receive(now).is_ok());
        one.sent(11, now);
        assert!(two.may_receive(now).is_err());
        assert!(addresses.traffic(address(1)).may_receive(now).is_err());
        assert!(two.may_receive(now + Duration::from_secs(12)).is_ok());
        let other = addresses.admit(address(2)).unwrap();
        assert!(other.traffic().may_receive(now).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn untaken_bytes_and_requests_are_bounded_and_the_last_are_for_addresses_with_few() {
        let addresses = addresses(9);
        let guard = |number| Arc::new(addresses.admit(address(number)).unwrap());
        let sent = |number, bytes: usize| {
            let mut untaken = UntakenBytes::new(guard(number));
            untaken.set(UNTAKEN_FREE + bytes).then_some(untaken)
        };
        assert!(sent(1, UNTAKEN_OF_ADDRESS_MAX + 1).is_none());
        let common = (UNTAKEN_MAX - UNTAKEN_MAX / 4) / UNTAKEN_OF_ADDRESS_MAX;
        let mut greedy: Vec<_> = (0..common as u32)
            .map(|number| sent(number, UNTAKEN_OF_ADDRESS_MAX).expect("room for all"))
            .collect();
        assert!(sent(100, UNTAKEN_FEW + 1).is_none() && sent(100, UNTAKEN_FEW).is_some());
        assert!(greedy[0].set(0), "it was taken");
        assert!(sent(100, UNTAKEN_FEW + 1).is_some());
        drop(greedy);
        assert_eq!(addresses.untaken.used(), 0);

        let one = guard(1);
        let slots: Vec<_> = (0..=REQUESTS_OF_ADDRESS_MAX)
            .map_while(|_| one.request())
            .collect();
        assert_eq!(slots.len(), REQUESTS_OF_ADDRESS_MAX);
        assert!(guard(2).request().is_some());
        drop(slots);
        assert_eq!(addresses.requests.used(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_for_questions_is_counted_per_address() {
        let addresses = addresses(2);
        let (one, two) = (addresses.traffic(address(1)), addresses.traffic(address(1)));
        let now = Instant::now();
        one.computed(Duration::from_micros(1_009), now);
        assert!(two.may_ask(now).is_err());
        assert!(addresses.traffic(address(2)).may_ask(now).is_ok());
        assert!(two.may_ask(now + Duration::from_secs(10)).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn spectators_cannot_empty_the_bucket_of_players() {
        let addresses = addresses(2);
        let (one, two) = (addresses.admit(address(1)), addresses.admit(address(1)));
        let (one, two) = (one.unwrap(), two.unwrap());
        let now = Instant::now();
        assert!(
            one.take_message(TrafficClass::Spectator, now).is_ok()
                && two.take_message(TrafficClass::Spectator, now).is_ok()
        );
        let rate = one.take_message(TrafficClass::Spectator, now).unwrap_err();
        assert_eq!(rate.burst, 2, "both connections share it");
        assert!(two.take_message(TrafficClass::Spectator, now).is_err());
        for _ in 0..3 {
            two.take_message(TrafficClass::Player, now).unwrap();
        }
        assert!(two.take_message(TrafficClass::Player, now).is_err());
        let other = addresses.admit(address(2)).unwrap();
        assert!(other.take_message(TrafficClass::Spectator, now).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn reconnecting_does_not_refill_the_buckets() {
        let addresses = addresses(1);
        let guard = addresses.admit(address(1)).unwrap();
        let now = Instant::now();
        while guard.take_message(TrafficClass::Spectator, now).is_ok() {}
        drop(guard);
        let guard = addresses.admit(address(1)).unwrap();
        assert!(guard.take_message(TrafficClass::Spectator, now).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded_and_drops_addresses_without_connections() {
        let addresses = addresses(1);
        let visit = |from: u32, count: usize| {
            for number in from..from + u32::try_from(count).unwrap() {
                let guard = addresses.admit(address(number)).unwrap();
                guard
                    .take_message(TrafficClass::Spectator, Instant::now())
                    .unwrap();
            }
        };
        let stayed = addresses.admit(address(0)).unwrap();
        let now = Instant::now();
        while stayed.take_message(TrafficClass::Spectator, now).is_ok() {}
        visit(1, 3 * ADDRESSES_MAX);
        assert!(
            rows(&addresses) <= ADDRESSES_MAX,
            "although no bucket is full"
        );
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0100_0000, ADDRESSES_MAX);
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0200_0000, ADDRESSES_MAX / 2);
        let (kept, now) = (rows(&addresses), Instant::now());
        let mut table = addresses.rows();
        table.by_network.retain(|_, row| !row.is_as_new(now));
        assert!(kept <= table.by_network.len() + ADDRESSES_MAX / 2, "{kept}");
        drop(table);
        assert!(
            addresses.admit(address(0)).is_none(),
            "an address with connections stays"
        );
        drop(stayed);
    }
}
