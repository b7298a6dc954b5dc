use std::net::{IpAddr, Ipv4Addr};

use fibfob_store::NoteKind;
use uuid::Uuid;

use super::*;
use crate::limits::CALL_WITHIN;

/// An owner by its address.
fn owner(number: u32) -> NotificationOwner {
    NotificationOwner::Network(IpAddr::from(Ipv4Addr::from_bits(number)).into())
}

/// A browser of the guest with this number.
fn browser(guest: u128, name: usize) -> NoteKey {
    NoteKind::CallAddress.key(Uuid::from_u128(guest), name)
}

fn matches(count: usize) -> Vec<MatchId> {
    let numbers = 0..count as u128;
    numbers
        .map(|number| MatchId(Uuid::from_u128(number)))
        .collect()
}

impl QueueState {
    fn add_new(&mut self, key: NoteKey, owner: NotificationOwner, now: Instant) -> bool {
        self.add(key, (owner, false), &matches(2), now)
    }

    /// Picks all messages that may be on their way together.
    fn pick_all(&mut self, now: Instant) -> Vec<Picked> {
        std::iter::from_fn(|| self.pick(now).ok()).collect()
    }
}

/// Six addresses with four guests each, whose eight browsers all stall.
fn attacked(now: Instant) -> QueueState {
    let mut queue = QueueState::default();
    for guest in 0..24 {
        for name in 0..8 {
            let address = owner(guest as u32 % 6);
            assert!(queue.add_new(browser(guest, name), address, now));
        }
    }
    queue
}

#[test]
fn browsers_that_stall_leave_places_to_all_others() {
    let mut now = Instant::now();
    let mut queue = attacked(now);
    for round in 0_u32..200 {
        let stalled = queue.pick_all(now);
        assert!(stalled.len() <= 6 * UNPROVEN_PER_OWNER, "{}", stalled.len());
        // A guest of another address is notified at once, whether its browser is new or has worked.
        for (guest, has_worked) in [(100, false), (200, true)] {
            let key = browser(guest + u128::from(round), 0);
            let honest = (owner(9), has_worked);
            queue.add(key.clone(), honest, &matches(1), now);
            let picked = queue.pick(now).expect("a place");
            assert_eq!(picked.browser, key);
            queue.settle(picked, Sent::Taken, now);
        }
        now += CALL_WITHIN;
        for picked in stalled {
            queue.settle(picked, Sent::Failed, now);
        }
    }
    assert_eq!(
        queue.waiting.len(),
        192,
        "each waits for its retry, in one entry"
    );
    assert!(queue.sending.is_empty());
}

#[test]
fn a_browser_that_fails_is_tried_less_and_less_and_forgotten_after_a_day() {
    let started = Instant::now();
    let (key, mut now) = (browser(1, 0), started);
    let mut queue = QueueState::default();
    queue.add_new(key.clone(), owner(1), now);
    let mut tries = Vec::new();
    loop {
        match queue.pick(now) {
            Ok(picked) => {
                tries.push(now - started);
                if queue.settle(picked, Sent::Failed, now) {
                    break;
                }
                assert!(queue.sending.is_empty(), "no place is held until the retry");
                queue.add_new(key.clone(), owner(1), now);
            }
            Err(wake) => now = wake.expect("a retry"),
        }
    }
    assert_eq!(tries[..4], [0, 5, 25, 105].map(Duration::from_secs));
    assert!(tries.len() < 40 && tries.last() >= Some(&FAILING_MAX));
    assert!(tries.last() < Some(&(FAILING_MAX + NOTIFY_RETRY_MAX)));
    assert!(queue.waiting.is_empty() && queue.known.is_empty());
}

#[test]
fn a_browser_that_works_again_gets_what_it_missed() {
    let now = Instant::now();
    let (key, mut queue) = (browser(1, 0), QueueState::default());
    queue.add_new(key.clone(), owner(1), now);
    let picked = queue.pick(now).ok().unwrap();
    let first = picked.about;
    queue.settle(picked, Sent::Failed, now);
    assert!(
        queue
            .pick(now)
            .is_err_and(|wake| wake == Some(now + NOTIFY_RETRY_MIN))
    );
    let later = now + NOTIFY_RETRY_MIN;
    let picked = queue.pick(later).ok().unwrap();
    assert_eq!(picked.about, first, "in order");
    queue.settle(picked, Sent::Taken, later);
    let second = queue.pick(later).ok().unwrap();
    assert_ne!(second.about, first);
    assert!(
        queue.pick(later).is_err(),
        "one message of a browser at a time"
    );
    queue.settle(second, Sent::Taken, later);
    assert!(queue.waiting.is_empty());
    assert_eq!(queue.standing(&key, false), Standing::Proven);
    // A guest that has come back is told nothing more.
    queue.add_new(key.clone(), owner(1), later);
    let picked = queue.pick(later).ok().unwrap();
    queue.settle(picked, Sent::Over, later);
    assert!(queue.waiting.is_empty());
}

#[test]
fn a_browser_waits_once_and_an_owner_with_many_makes_room() {
    let now = Instant::now();
    let mut queue = QueueState::default();
    for _ in 0..100 {
        queue.add(browser(1, 0), (owner(1), false), &matches(100), now);
    }
    assert_eq!(queue.waiting.len(), 1);
    assert_eq!(queue.waiting[&browser(1, 0)].news.len(), BROWSER_NEWS_MAX);
    for name in 1..BROWSERS_WAITING_MAX {
        assert!(queue.add_new(browser(2, name), owner(2), now));
    }
    assert!(!queue.add_new(browser(2, BROWSERS_WAITING_MAX), owner(2), now));
    assert!(
        queue.add_new(browser(3, 0), owner(3), now),
        "others still find room"
    );
    assert!(queue.add(
        browser(2, BROWSERS_WAITING_MAX),
        (owner(2), true),
        &matches(1),
        now
    ));
    assert_eq!(queue.waiting.len(), BROWSERS_WAITING_MAX);
    assert!(queue.waiting.contains_key(&browser(1, 0)));
    for name in 0..2 * BROWSERS_KNOWN_MAX {
        queue.note(browser(4, name), BrowserHealth::Works, now);
    }
    assert!(queue.known.len() <= BROWSERS_KNOWN_MAX);
}
