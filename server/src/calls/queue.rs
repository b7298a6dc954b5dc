//! Notifications that wait for push services. Knows no store and no sockets: a caller picks the next message,
//! sends it, and says what came of it.
//!
//! A push service that fails or stalls must not delay others. So a browser has one entry, which holds no place
//! while it waits for a retry. Browsers that have worked go first, and the others share some of the places by
//! the address of their guests.

use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::time::Duration;

use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{GuestId, MatchId};
use fibfob_store::{NoteKey, warn_seldom};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::limits::{
    BROWSER_NEWS_MAX, BROWSERS_KNOWN_MAX, BROWSERS_WAITING_MAX, CALLS_SENT_AT_ONCE, FAILING_MAX,
    NOTIFY_RETRY_MAX, NOTIFY_RETRY_MIN, NOTIFY_RETRY_TIMES, PROVEN_PER_OWNER, UNPROVEN_AT_ONCE,
    UNPROVEN_PER_OWNER,
};

/// The waiting notifications of a server, and how its browsers' push services have answered.
#[derive(Default)]
pub(crate) struct NotificationQueue {
    state: Mutex<QueueState>,
    changed: Notify,
}

#[derive(Default)]
struct QueueState {
    waiting: HashMap<NoteKey, WaitingBrowser>,
    /// The browsers to which a message is on its way.
    sending: HashMap<NoteKey, (NotificationOwner, Standing)>,
    known: HashMap<NoteKey, BrowserHealth>,
}

/// Shares places among its browsers: all guests of one address. The address of a guest is unknown if the guest was
/// here only before a restart. Such a guest is an owner of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NotificationOwner {
    Network(ClientAddress),
    Guest(GuestId),
}

/// A browser's right to places. The better one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Standing {
    /// Its push service took the newest message.
    Proven,
    /// It is new, or it fails.
    Unproven,
}

/// The answers of a browser's push service.
#[derive(Clone, Copy)]
enum BrowserHealth {
    /// It took the newest message.
    Works,
    /// It has taken none since then.
    Fails {
        since: Instant,
        times: u32,
        retry_at: Instant,
    },
}

struct WaitingBrowser {
    owner: NotificationOwner,
    /// True if the store says that the browser has worked.
    has_worked: bool,
    news: VecDeque<MatchId>,
    due: Instant,
}

/// A message to send now: about this match, to this browser. [`NotificationQueue::settle`] ends it.
pub(crate) struct Picked {
    pub browser: NoteKey,
    pub about: MatchId,
}

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The push service took it.
    Taken,
    /// The push service did not take it. It is sent again later.
    Failed,
    /// There is nothing to say about this match.
    Nothing,
    /// The browser is not to be notified: it is unknown now, or its guest is connected.
    Over,
}

impl NotificationQueue {
    /// Adds matches to what a browser of a guest is notified about. `address` is the guest's, if it is known;
    /// `has_worked` is what the store says of the browser.
    pub(crate) fn add(
        &self,
        browser: NoteKey,
        address: Option<ClientAddress>,
        has_worked: bool,
        matches: &[MatchId],
    ) {
        let guest = GuestId(browser.about);
        let network = address.map(|address| NotificationOwner::Network(address.widest()));
        let owner = network.unwrap_or(NotificationOwner::Guest(guest));
        let added = self
            .state
            .lock()
            .add(browser, (owner, has_worked), matches, Instant::now());
        match added {
            true => self.changed.notify_one(),
            false => {
                warn_seldom!("too many notifications are waiting; some guests are not notified")
            }
        }
    }

    /// Waits for the next message that may be sent. There is one caller.
    pub(crate) async fn next(&self) -> Picked {
        loop {
            let wake = match self.state.lock().pick(Instant::now()) {
                Ok(picked) => return picked,
                Err(wake) => wake,
            };
            let due = async {
                match wake {
                    Some(due) => sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = self.changed.notified() => {}
                () = due => {}
            }
        }
    }

    /// Ends a message. Returns true if the browser has failed for so long that it is to be forgotten.
    pub(crate) fn settle(&self, picked: Picked, sent: Sent) -> bool {
        let is_dead = self.state.lock().settle(picked, sent, Instant::now());
        self.changed.notify_one();
        is_dead
    }

    /// Returns true if a browser works, false if it fails; none if nothing was sent to it lately.
    pub(crate) fn works(&self, browser: &NoteKey) -> Option<bool> {
        let known = self.state.lock().known.get(browser).copied();
        known.map(|known| matches!(known, BrowserHealth::Works))
    }
}

impl QueueState {
    fn standing(&self, browser: &NoteKey, has_worked: bool) -> Standing {
        match self.known.get(browser) {
            Some(BrowserHealth::Works) => Standing::Proven,
            None if has_worked => Standing::Proven,
            None | Some(BrowserHealth::Fails { .. }) => Standing::Unproven,
        }
    }

    /// Adds matches to a browser's entry. Returns false if there was no room for one.
    fn add(
        &mut self,
        browser: NoteKey,
        (owner, has_worked): (NotificationOwner, bool),
        matches: &[MatchId],
        now: Instant,
    ) -> bool {
        let is_new = !self.waiting.contains_key(&browser);
        if is_new && self.waiting.len() >= BROWSERS_WAITING_MAX {
            let standing = self.standing(&browser, has_worked);
            if !self.make_room(owner, standing) {
                return false;
            }
        }
        let retry_at = match self.known.get(&browser) {
            Some(BrowserHealth::Fails { retry_at, .. }) => *retry_at,
            Some(BrowserHealth::Works) | None => now,
        };
        let entry = self.waiting.entry(browser).or_insert(WaitingBrowser {
            owner,
            has_worked,
            news: VecDeque::new(),
            due: retry_at.max(now),
        });
        for id in matches {
            if !entry.news.contains(id) {
                entry.news.push_back(*id);
            }
        }
        let surplus = entry.news.len().saturating_sub(BROWSER_NEWS_MAX);
        entry.news.drain(..surplus);
        true
    }

    /// Removes an entry of the owner who has most of those with the worst standing. Returns false if that is this
    /// newcomer.
    fn make_room(&mut self, owner: NotificationOwner, standing: Standing) -> bool {
        let mut entries = HashMap::<NotificationOwner, usize>::new();
        for waiting in self.waiting.values() {
            *entries.entry(waiting.owner).or_default() += 1;
        }
        let of = |owner: NotificationOwner| entries.get(&owner).copied().unwrap_or_default();
        let worst = self.waiting.iter().max_by_key(|(browser, waiting)| {
            let standing = self.standing(browser, waiting.has_worked);
            (standing, of(waiting.owner), waiting.due)
        });
        let Some((browser, waiting)) = worst else {
            return true;
        };
        let found = (
            self.standing(browser, waiting.has_worked),
            of(waiting.owner),
        );
        if found <= (standing, of(owner) + 1) {
            return false;
        }
        let browser = browser.clone();
        self.waiting.remove(&browser);
        true
    }

    /// Picks the next message.
    ///
    /// # Errors
    /// The instant at which the next entry is due, if none may be sent before.
    fn pick(&mut self, now: Instant) -> Result<Picked, Option<Instant>> {
        let mut places = HashMap::<(NotificationOwner, Standing), usize>::new();
        let mut unproven = 0;
        for (owner, standing) in self.sending.values() {
            *places.entry((*owner, *standing)).or_default() += 1;
            unproven += usize::from(*standing == Standing::Unproven);
        }
        let is_full = self.sending.len() >= CALLS_SENT_AT_ONCE;
        let of = |owner: NotificationOwner, standing: Standing| {
            let taken = places.get(&(owner, standing));
            taken.copied().unwrap_or_default()
        };
        let mut best: Option<((Standing, usize, Instant), NoteKey, NotificationOwner)> = None;
        let mut wake: Option<Instant> = None;
        for (browser, waiting) in &self.waiting {
            if self.sending.contains_key(browser) {
                continue;
            }
            if waiting.due > now {
                wake = Some(wake.map_or(waiting.due, |wake| wake.min(waiting.due)));
                continue;
            }
            let standing = self.standing(browser, waiting.has_worked);
            let own = of(waiting.owner, standing);
            let has_room = match standing {
                Standing::Proven => own < PROVEN_PER_OWNER,
                Standing::Unproven => own < UNPROVEN_PER_OWNER && unproven < UNPROVEN_AT_ONCE,
            };
            let rank = (standing, own, waiting.due);
            let is_better = best.as_ref().is_none_or(|(best, ..)| rank < *best);
            if has_room && !is_full && is_better {
                best = Some((rank, browser.clone(), waiting.owner));
            }
        }
        let Some(((standing, ..), browser, owner)) = best else {
            return Err(wake);
        };
        let news = self
            .waiting
            .get_mut(&browser)
            .map(|waiting| &mut waiting.news);
        let about = news.and_then(VecDeque::pop_front).ok_or(wake)?;
        self.sending.insert(browser.clone(), (owner, standing));
        Ok(Picked { browser, about })
    }

    fn settle(&mut self, Picked { browser, about }: Picked, sent: Sent, now: Instant) -> bool {
        self.sending.remove(&browser);
        match sent {
            Sent::Taken => self.note(browser.clone(), BrowserHealth::Works, now),
            Sent::Failed => return self.fail(&browser, about, now),
            Sent::Nothing => {}
            Sent::Over => {
                self.waiting.remove(&browser);
                // It fails no longer without a break.
                if let Some(BrowserHealth::Fails { .. }) = self.known.get(&browser) {
                    self.known.remove(&browser);
                }
            }
        }
        if self
            .waiting
            .get(&browser)
            .is_some_and(|waiting| waiting.news.is_empty())
        {
            self.waiting.remove(&browser);
        }
        false
    }

    /// Notes a failure, and puts the message back until its retry. Returns true after a day of failures.
    fn fail(&mut self, browser: &NoteKey, about: MatchId, now: Instant) -> bool {
        let (since, times) = match self.known.get(browser) {
            Some(BrowserHealth::Fails { since, times, .. }) => (*since, times + 1),
            Some(BrowserHealth::Works) | None => (now, 0),
        };
        if now - since >= FAILING_MAX {
            self.known.remove(browser);
            self.waiting.remove(browser);
            return true;
        }
        let retry_at = now + pause_after(times);
        let failing = BrowserHealth::Fails {
            since,
            times,
            retry_at,
        };
        self.note(browser.clone(), failing, now);
        if let Some(waiting) = self.waiting.get_mut(browser) {
            waiting.due = retry_at;
            if !waiting.news.contains(&about) {
                waiting.news.push_front(about);
            }
        }
        false
    }

    fn note(&mut self, browser: NoteKey, health: BrowserHealth, now: Instant) {
        if self.known.len() >= BROWSERS_KNOWN_MAX && !self.known.contains_key(&browser) {
            // A browser that is forgotten here counts as new.
            let is_pausing = |known: &mut BrowserHealth| match known {
                BrowserHealth::Works => false,
                BrowserHealth::Fails { retry_at, .. } => *retry_at > now,
            };
            self.known.retain(|_, known| is_pausing(known));
        }
        if self.known.len() < BROWSERS_KNOWN_MAX || self.known.contains_key(&browser) {
            self.known.insert(browser, health);
        }
    }
}

/// Returns the pause after a failure that followed so many others.
fn pause_after(times: u32) -> Duration {
    let grown = NOTIFY_RETRY_TIMES.saturating_pow(times);
    NOTIFY_RETRY_MIN.saturating_mul(grown).min(NOTIFY_RETRY_MAX)
}

#[cfg(test)]
mod tests;
