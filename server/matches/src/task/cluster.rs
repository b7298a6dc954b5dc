//! A match and the other servers on its store: follows their hints, and asks the store before decisions that
//! depend on them.

use fibfob_protocol::{MatchId, Refusal};
use fibfob_store::{AppendError, CarriedRecord, StoreError, in_time, warn_seldom};

use super::MatchTask;
use super::append::CommandError;
use crate::directory::MatchHints;
use crate::feed::Feed;
use crate::own_matches::players;

impl MatchTask {
    /// Follows the hints of other servers: takes the records that came along, reads further events and chat
    /// lines, and takes the connections.
    pub(super) async fn follow_hints(&mut self, hints: MatchHints) -> Result<(), CommandError> {
        if hints.is_rewritten {
            // As after a write in doubt: followers are sent what is stored.
            self.change_feed(Feed::end_rewritten);
            return Err(CommandError::InDoubt(AppendError::Conflict));
        }
        for record in hints.records.iter().filter_map(CarriedRecord::read) {
            self.take_carried(record);
        }
        let (seen, end) = (
            self.feed.borrow().current().version(),
            hints.end.unwrap_or_default(),
        );
        if hints.version.max(end) > seen {
            self.read_on().await?;
            let unhinted = end.0.saturating_sub(hints.version.max(seen).0);
            self.env().metrics.late_hints.inc_by(unhinted);
        }
        let is_behind = |end| end < self.feed.borrow().current().version();
        if hints.end.is_some_and(is_behind) {
            self.check_end().await?;
        }
        if hints.elsewhere.is_some() || !hints.presence.is_empty() {
            let read = hints.elsewhere.or(self.presence.elsewhere.take());
            self.presence.elsewhere = read.map(|elsewhere| elsewhere.with(hints.presence));
            self.update_presence();
        }
        if hints.chat > self.feed.borrow().chat.newest() {
            // The next look at the heads tries again.
            let _ = self.read_chat().await;
        }
        Ok(())
    }

    /// Reads the events of a server that was faster to append, so that a request can be decided again.
    pub(super) async fn yield_to_other(&mut self) -> Result<(), CommandError> {
        self.env().metrics.conflicts.inc();
        self.read_on().await.map(drop)
    }

    /// Ends the task, as after a write in doubt, if the log is shorter than what was shown: a promoted
    /// database has lost the newest events. Followers go on with the log.
    async fn check_end(&mut self) -> Result<(), CommandError> {
        let (id, shown) = (self.id(), self.feed.borrow().current().version());
        // Read now, while this task stores nothing. What led here may have been read during a write.
        let heads = in_time(self.env().store.heads(vec![id])).await;
        let end = heads
            .ok()
            .and_then(|heads| heads.first().map(|(head, _)| head.version));
        match end {
            Some(end) if end < shown => {
                tracing::error!(
                    %id, %end, %shown,
                    "the database has lost a match's newest events; the match goes on without them"
                );
                Err(CommandError::InDoubt(AppendError::Unknown))
            }
            _ => Ok(()),
        }
    }

    /// Reads who is connected to other servers, before an absence decides anything.
    pub(super) async fn look_elsewhere(&mut self) -> Result<(), Refusal> {
        self.confirm_service().await?;
        let id = self.id();
        let read = self.env().cluster.read(&[id]).await;
        let mut read = read.map_err(|error| unread(id, &error))?;
        self.presence.elsewhere = Some(read.remove(&id).unwrap_or_default());
        self.update_presence();
        Ok(())
    }

    /// Checks whether a player of the match is connected to another server, whatever they follow there.
    pub(super) async fn is_player_elsewhere(&self) -> Result<bool, Refusal> {
        self.confirm_service().await?;
        let guests = players(self.feed.borrow().current());
        let asking = self.env().cluster.is_any_elsewhere(&guests).await;
        asking.map_err(|error| unread(self.id(), &error))
    }
}

fn unread(id: MatchId, error: &StoreError) -> Refusal {
    warn_seldom!(
        %id,
        %error,
        "cannot read from the store which players are on other servers; until it can, no match is \
         claimed or ended as abandoned"
    );
    Refusal::Unavailable
}
