//! Tests of the table of addresses.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::limits::{Rate, UNTAKEN_FEW, UNTAKEN_FREE, UNTAKEN_MAX, UNTAKEN_OF_ADDRESS_MAX};

/// A rate that refills a token each second.
fn rate(burst: u32) -> Rate {
    Rate {
        per_second: 1,
        burst,
    }
}

fn share(connections: usize) -> AddressShare {
    AddressShare {
        most: [connections, 2, UNTAKEN_OF_ADDRESS_MAX, 100, 2, 2, 2, 2],
        rates: [1_000, 4, 2, 2, 2, 2, 2, 2, 3, 100, 1_000].map(rate),
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

fn used(addresses: &AddressTable, held: Held) -> usize {
    addresses.all.held[held as usize].load(Ordering::Relaxed)
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
    assert_eq!(used(&addresses, Held::Connections), 9);
    open.clear();
    assert_eq!(used(&addresses, Held::Connections), 0);
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
    let mut share = share(2);
    share.rates[Spent::Opened as usize] = rate(5);
    let addresses = AddressTable::new(share, 100);
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
    let slot = one.hold(Held::Followed).unwrap();
    let _other = two.hold(Held::Followed).unwrap();
    assert!(one.hold(Held::Followed).is_err() && two.hold(Held::Followed).is_err());
    drop(slot);
    assert!(two.hold(Held::Followed).is_ok());
    let now = Instant::now();
    assert!(one.take(Spent::Created, now).is_ok() && two.take(Spent::Created, now).is_ok());
    assert_eq!(one.take(Spent::Created, now).unwrap_err().rate.burst, 2);
}

#[tokio::test(start_paused = true)]
async fn bytes_sent_are_counted_per_address() {
    let addresses = addresses(2);
    let (one, two) = (addresses.admit(address(1)), addresses.admit(address(1)));
    let (one, two) = (one.unwrap(), two.unwrap());
    let now = Instant::now();
    let (one, two) = (&*one, &*two);
    one.sent(99, now);
    assert!(two.check(Spent::Bytes, now).is_ok());
    one.sent(11, now);
    assert!(two.check(Spent::Bytes, now).is_err());
    assert!(
        addresses
            .account(address(1))
            .check(Spent::Bytes, now)
            .is_err()
    );
    assert!(
        two.check(Spent::Bytes, now + Duration::from_secs(12))
            .is_ok()
    );
    let other = addresses.admit(address(2)).unwrap();
    assert!(other.check(Spent::Bytes, now).is_ok());
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
    assert_eq!(used(&addresses, Held::Untaken), 0);

    let one = guard(1);
    let slots: Vec<_> = (0..1_000)
        .map_while(|_| one.hold(Held::Requests).ok())
        .collect();
    assert_eq!(slots.len(), 100);
    assert!(guard(2).hold(Held::Requests).is_ok());
    drop(slots);
    assert_eq!(used(&addresses, Held::Requests), 0);
}

#[tokio::test(start_paused = true)]
async fn the_time_for_questions_is_counted_per_address() {
    let addresses = addresses(2);
    let (one, two) = (addresses.account(address(1)), addresses.account(address(1)));
    let now = Instant::now();
    one.computed(Duration::from_micros(1_009), now);
    assert!(two.check(Spent::Micros, now).is_err());
    assert!(
        addresses
            .account(address(2))
            .check(Spent::Micros, now)
            .is_ok()
    );
    assert!(
        two.check(Spent::Micros, now + Duration::from_secs(10))
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn spectators_cannot_empty_the_bucket_of_players() {
    let addresses = addresses(2);
    let (one, two) = (addresses.admit(address(1)), addresses.admit(address(1)));
    let (one, two) = (one.unwrap(), two.unwrap());
    let now = Instant::now();
    assert!(
        one.take(Spent::SpectatorMessages, now).is_ok()
            && two.take(Spent::SpectatorMessages, now).is_ok()
    );
    let rate = one.take(Spent::SpectatorMessages, now).unwrap_err().rate;
    assert_eq!(rate.burst, 2, "both connections share it");
    assert!(two.take(Spent::SpectatorMessages, now).is_err());
    for _ in 0..3 {
        two.take(Spent::PlayerMessages, now).unwrap();
    }
    assert!(two.take(Spent::PlayerMessages, now).is_err());
    let other = addresses.admit(address(2)).unwrap();
    assert!(other.take(Spent::SpectatorMessages, now).is_ok());
}

#[tokio::test(start_paused = true)]
async fn reconnecting_does_not_refill_the_buckets() {
    let addresses = addresses(1);
    let guard = addresses.admit(address(1)).unwrap();
    let now = Instant::now();
    while guard.take(Spent::SpectatorMessages, now).is_ok() {}
    drop(guard);
    let guard = addresses.admit(address(1)).unwrap();
    assert!(guard.take(Spent::SpectatorMessages, now).is_err());
}

#[tokio::test(start_paused = true)]
async fn the_table_is_bounded_and_drops_addresses_without_connections() {
    let addresses = addresses(1);
    let visit = |from: u32, count: usize| {
        for number in from..from + u32::try_from(count).unwrap() {
            let guard = addresses.admit(address(number)).unwrap();
            guard
                .take(Spent::SpectatorMessages, Instant::now())
                .unwrap();
        }
    };
    let stayed = addresses.admit(address(0)).unwrap();
    let now = Instant::now();
    while stayed.take(Spent::SpectatorMessages, now).is_ok() {}
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
