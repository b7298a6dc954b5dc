//! Guests without a connection who are to be notified about their matches. They wait here, one entry for each
//! guest, until the server's notifier takes them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fibfob_protocol::{GuestId, MatchId, Timestamp};
use fibfob_store::warn_seldom;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::limits::{NEWS_MAX, NOTIFIED_GUESTS_MAX, NOTIFY_DELAY};

/// The changes that a guest is to be notified about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Matches that have changed, oldest change first, at most [`NEWS_MAX`].
    pub matches: Vec<MatchId>,
    /// The guest may also have missed everything in its other matches since then.
    pub since: Option<Timestamp>,
}

/// The guests who are to be notified. Match tasks and sessions add them. A later event joins the entry that
/// waits, so that nobody has two. Clones are the same queue. The default one keeps nothing, for servers that
/// notify nobody.
#[derive(Clone, Default)]
pub struct Errands(Option<Arc<ErrandQueue>>);

#[derive(Default)]
struct ErrandQueue {
    waiting: Mutex<WaitingGuests>,
    added: Notify,
}

#[derive(Default)]
struct WaitingGuests {
    /// Each guest once, in the order in which they are due.
    order: VecDeque<(Instant, GuestId)>,
    news: HashMap<GuestId, News>,
}

impl News {
    fn add(&mut self, id: MatchId, at: Timestamp) {
        if self.matches.contains(&id) {
            return;
        }
        match self.matches.len() < NEWS_MAX {
            true => self.matches.push(id),
            false => self.miss(at),
        }
    }

    fn miss(&mut self, since: Timestamp) {
        self.since = Some(self.since.map_or(since, |known| known.min(since)));
    }
}

impl Errands {
    /// Returns an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Adds that a match of an absent guest has changed at this instant.
    pub fn add_change(&self, guest: GuestId, id: MatchId, at: Timestamp) {
        self.join(guest, |news| news.add(id, at));
    }

    /// Adds that a guest's connection was lost, so that it may have missed everything since then.
    pub fn add_missed(&self, guest: GuestId, since: Timestamp) {
        self.join(guest, |news| news.miss(since));
    }

    fn join(&self, guest: GuestId, add: impl FnOnce(&mut News)) {
        let Some(queue) = &self.0 else { return };
        let mut waiting = queue.waiting.lock();
        let WaitingGuests { order, news } = &mut *waiting;
        if let Some(news) = news.get_mut(&guest) {
            return add(news);
        }
        if news.len() >= NOTIFIED_GUESTS_MAX {
            warn_seldom!("too many guests wait to be notified; some are not notified");
            return;
        }
        order.push_back((Instant::now() + NOTIFY_DELAY, guest));
        add(news.entry(guest).or_default());
        queue.added.notify_one();
    }

    /// Waits for the next guest who is due. There is one caller.
    pub async fn next(&self) -> (GuestId, News) {
        let Some(queue) = &self.0 else {
            return std::future::pending().await;
        };
        loop {
            let due = queue.waiting.lock().order.front().map(|(due, _)| *due);
            let Some(due) = due else {
                queue.added.notified().await;
                continue;
            };
            sleep_until(due).await;
            let mut waiting = queue.waiting.lock();
            let guest = waiting.order.pop_front().map(|(_, guest)| guest);
            let news = guest.and_then(|guest| waiting.news.remove_entry(&guest));
            if let Some(next) = news {
                return next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::CommandId;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_guest_waits_once_and_a_later_event_joins_it() {
        let errands = Errands::new();
        let [ada, bo] = [GuestId::fresh(), GuestId::fresh()];
        let first = MatchId::created_by(ada, &CommandId::fresh());
        let second = first.rematch();
        let started = Instant::now();
        for _ in 0..1_000 {
            errands.add_change(ada, first, Timestamp(5));
            errands.add_change(ada, second, Timestamp(6));
        }
        errands.add_missed(bo, Timestamp(7));
        errands.add_missed(bo, Timestamp(3));
        let (guest, news) = errands.next().await;
        assert_eq!((guest, news.matches), (ada, vec![first, second]));
        assert_eq!(started.elapsed(), NOTIFY_DELAY);
        let (guest, news) = errands.next().await;
        assert_eq!((guest, news.since), (bo, Some(Timestamp(3))));
    }

    #[tokio::test(start_paused = true)]
    async fn one_guest_cannot_fill_the_queue_nor_many_matches_its_entry() {
        let errands = Errands::new();
        let ada = GuestId::fresh();
        let mut id = MatchId::created_by(ada, &CommandId::fresh());
        for at in 0..10 * NEWS_MAX as u64 {
            errands.add_change(ada, id, Timestamp(at));
            id = id.rematch();
        }
        let queue = errands.0.clone().unwrap();
        assert_eq!(queue.waiting.lock().order.len(), 1);
        for _ in 0..2 * NOTIFIED_GUESTS_MAX {
            errands.add_missed(GuestId::fresh(), Timestamp(1));
        }
        assert_eq!(queue.waiting.lock().order.len(), NOTIFIED_GUESTS_MAX);
        let (_, news) = errands.next().await;
        assert_eq!(news.matches.len(), NEWS_MAX);
        assert_eq!(
            news.since,
            Some(Timestamp(NEWS_MAX as u64)),
            "the rest is listed"
        );
        Errands::default().add_missed(ada, Timestamp(1));
    }
}
