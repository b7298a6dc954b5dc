//! The times at which a match acts by itself: for due events, and to leave memory.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::Match;
use tokio::time::Instant;

use super::MatchTask;
use crate::bot;
use crate::limits::{DEADLINE_CHECK_EVERY, UNFOLLOWED_FOR};

impl MatchTask {
    /// Returns when something may next be due.
    pub(super) fn next_timer(&mut self) -> Instant {
        let now = Instant::now();
        let deadline = self.feed.borrow().current().deadline();
        let until = deadline.map_or(Duration::MAX, |then| {
            let as_of = self.without_turn_late(self.as_of_unasked());
            Duration::from_millis(then.0.saturating_sub(as_of.0))
        });
        let mut timer = now + until.min(DEADLINE_CHECK_EVERY);
        timer = self.due_not_before.map_or(timer, |at| timer.max(at));
        if let Some(publication) = self.presence.next_publication() {
            timer = timer.min(publication);
        }
        self.leaves_at().map_or(timer, |at| timer.min(at))
    }

    /// Returns true if no connection follows the match and it does not wait for its bot.
    fn is_unwatched(&self) -> bool {
        let feed = self.feed.borrow();
        self.presence.present.is_empty() && !bot::is_awaited(feed.current())
    }

    /// Returns when the match leaves memory; none while it is followed, or waits for its bot.
    pub(super) fn leaves_at(&mut self) -> Option<Instant> {
        if !self.is_unwatched() {
            self.lingering = None;
            return None;
        }
        if !is_between_people(self.feed.borrow().current()) {
            self.lingering = None;
        } else if self.lingering.is_none() {
            let permits = Arc::clone(&self.directory.lingering);
            self.lingering = permits.try_acquire_owned().ok();
        }
        let mut stays = self.env().settings.idle_after;
        if self.lingering.is_none() {
            stays = stays.min(UNFOLLOWED_FOR);
        }
        Some(self.idle_since + stays)
    }
}

/// Returns true for a match in play whose players are both people.
fn is_between_people(current: &Match) -> bool {
    current.turn().is_some() && bot::level(current).is_none()
}
