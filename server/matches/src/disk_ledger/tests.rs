//! Tests of the ledger of stored bytes.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_protocol::Timestamp;

use super::*;

const MIB: u64 = 1 << 20;

/// A ledger with a clock that the test sets, in milliseconds since the first midnight.
fn ledger(per_address: u64) -> (DiskLedger, impl Fn(u64)) {
    let now = Arc::new(AtomicU64::new(20_000 * DAY_MS));
    let read = Arc::clone(&now);
    let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::Relaxed)));
    let set = move |millis| now.store(20_000 * DAY_MS + millis, Ordering::Relaxed);
    (DiskLedger::new(clock, per_address), set)
}

fn ip(text: &str) -> ClientAddress {
    text.parse::<IpAddr>().unwrap().into()
}

fn v4(number: u32) -> ClientAddress {
    IpAddr::from(Ipv4Addr::from_bits(number)).into()
}

fn wait(ledger: &DiskLedger, owner: ClientAddress) -> u64 {
    let refusal = ledger.check(owner).unwrap_err();
    refusal.retry_after_ms().unwrap()
}

#[test]
fn an_address_stores_so_much_a_day_and_comes_back_when_it_was_told() {
    let (ledger, set) = ledger(10 * MIB);
    let (greedy, modest) = (v4(1), v4(2));
    set(DAY_MS / 2);
    ledger.charge(Some(greedy), 20 * MIB);
    ledger.charge(Some(modest), 9 * MIB);
    assert!(ledger.check(modest).is_ok());
    let told = wait(&ledger, greedy);
    assert!(told > DAY_MS / 2 && told < 3 * DAY_MS / 2, "{told}");
    set(DAY_MS / 2 + told - 1_000);
    assert!(ledger.check(greedy).is_err());
    set(DAY_MS / 2 + told);
    assert!(
        ledger.check(greedy).is_ok(),
        "half of the next day has passed"
    );
    set(2 * DAY_MS);
    assert_eq!(ledger.used(), DiskUse { all: 0, largest: 0 });
    assert!(ledger.state.lock().owners.is_empty());
}

#[test]
fn a_clock_that_was_set_back_or_far_ahead_forgets_no_use_of_the_day() {
    let (ledger, set) = ledger(MIB);
    set(DAY_MS);
    ledger.charge(Some(v4(1)), MIB);
    set(DAY_MS - 60_000);
    assert!(ledger.check(v4(1)).is_err());
    set(9 * DAY_MS);
    assert!(ledger.check(v4(1)).is_ok());
}

#[test]
fn an_ipv6_customer_has_the_bytes_of_few_addresses() {
    let (ledger, _set) = ledger(MIB);
    let admitted = |text: String| {
        let owner = ip(&text);
        let is_admitted = ledger.check(owner).is_ok();
        if is_admitted {
            ledger.charge(Some(owner), MIB);
        }
        is_admitted
    };
    let narrow = (0..64).filter(|last| admitted(format!("2001:db8:0:{last:x}::1")));
    assert_eq!(narrow.count(), 2, "one /56");
    let wide = (1..64).filter(|last| admitted(format!("2001:db8:0:{last:x}00::1")));
    assert_eq!(wide.count(), 2, "one /48");
    assert!(admitted("2001:db8:1::1".to_owned()));
}

#[test]
fn when_room_is_scarce_the_largest_owners_are_refused_first() {
    let (ledger, _set) = ledger(1_000 * MIB);
    for (owner, used) in [(1, 100), (2, 40), (3, 2), (4, 1)] {
        ledger.charge(Some(v4(owner)), used * MIB);
    }
    let refused = |days_of: u64| {
        ledger.set_free(Some(days_of * MIB * DISK_RESERVE_DAYS));
        let owners = [1, 2, 3, 4, 5].into_iter();
        let refused = owners.filter(|owner| ledger.check(v4(*owner)).is_err());
        refused.collect::<Vec<_>>()
    };
    assert!(refused(143).is_empty(), "as much as all of them use");
    assert_eq!(refused(142), [1]);
    assert_eq!(refused(84), [1], "40 for each of the two largest");
    assert_eq!(refused(80), [1, 2]);
    assert_eq!(refused(5), [1, 2, 3]);
    assert_eq!(refused(0), [1, 2, 3, 4], "a newcomer has stored nothing");
    assert!(wait(&ledger, v4(2)) > 1);
    ledger.set_free(None);
    assert!(
        ledger.check(v4(1)).is_ok(),
        "a store that does not tell its room"
    );
}

#[test]
fn what_nobody_owns_makes_room_scarce_too() {
    let (ledger, _set) = ledger(1_000 * MIB);
    ledger.charge(None, 90 * MIB);
    ledger.charge(Some(v4(1)), 20 * MIB);
    ledger.set_free(Some(100 * MIB * DISK_RESERVE_DAYS));
    assert!(ledger.check(v4(1)).is_err());
    let used = DiskUse {
        all: 110 * MIB,
        largest: 20 * MIB,
    };
    assert_eq!(ledger.used(), used);
}

#[test]
fn the_ledger_is_bounded_and_keeps_the_largest_owners() {
    let (ledger, _set) = ledger(MIB);
    ledger.charge(Some(v4(0)), 2 * MIB);
    for owner in 1..3 * u32::try_from(DISK_OWNERS_MAX).unwrap() {
        ledger.charge(Some(v4(owner)), 1);
        assert!(ledger.state.lock().owners.len() <= DISK_OWNERS_MAX);
    }
    assert!(ledger.check(v4(0)).is_err());
    assert_eq!(ledger.used().all, 2 * MIB + 3 * DISK_OWNERS_MAX as u64 - 1);
}
