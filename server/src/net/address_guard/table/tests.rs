//! Tests of the table of addresses.

use std::net::{IpAddr, Ipv4Addr};

use std::time::Duration;

use super::super::slots::UntakenBytes;
use super::*;
use crate::limits::{UNTAKEN_FEW, UNTAKEN_FREE, UNTAKEN_OF_ADDRESS_MAX};

fn share(connections: usize) -> AddressShare {
    let rate = |burst| Rate {
        per_second: 1,
        burst,
    };
    AddressShare {
        connections,
        followed: 2,
        requests: 100,
        opened: rate(1_000),
        started: rate(4),
        rejected: rate(2),
        created: rate(2),
        devices: rate(2),
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
    addresses.rows.lock().by_network.len()
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
    let slots: Vec<_> = (0..1_000).map_while(|_| one.request()).collect();
    assert_eq!(slots.len(), 100);
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
    let mut table = addresses.rows.lock();
    table.by_network.retain(|_, row| !row.is_as_new(now));
    assert!(kept <= table.by_network.len() + ADDRESSES_MAX / 2, "{kept}");
    drop(table);
    assert!(
        addresses.admit(address(0)).is_none(),
        "an address with connections stays"
    );
    drop(stayed);
}
