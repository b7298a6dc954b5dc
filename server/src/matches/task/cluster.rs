//! A match and the other servers on the same store: what they tell of it, and what is asked of the
//! store before a decision that depends on them.

use std::sync::Arc;

use fibfob_protocol::{ChatContent, CommandId, GuestId, Player, Refusal, Seat};
use tokio::time::timeout;

use super::MatchTask;
use super::append::CommandError;
use crate::limits::OPEN_WITHIN;
use crate::matches::chat::{self, ChatAuthor};
use crate::matches::cluster::{Cluster, in_time};
use crate::matches::directory::MatchHints;
use crate::matches::presence_set::player;
use crate::seldom::warn_seldom;
use crate::store::{AppendError, CarriedRecord, Hint, NewChatLine, StoreError};

impl MatchTask {
    /// Follows what other servers have told: takes the records that came with it, reads the other
    /// events and the chat lines after those that are known, and takes the connections.
    pub(super) async fn follow_hints(&mut self, hints: MatchHints) -> Result<(), CommandError> {
        for record in hints.records.iter().filter_map(CarriedRecord::read) {
            self.take_carried(record);
        }
        if hints.version > self.feed.borrow().current().version() {
            self.read_on().await?;
        }
        let is_behind = |end| end < self.feed.borrow().current().version();
        if hints.end.is_some_and(is_behind) {
            self.check_end().await?;
        }
        if let Some(elsewhere) = hints.elsewhere {
            self.presence.take_elsewhere(elsewhere);
            self.update_presence();
        }
        if let Some(cluster) = self.env().cluster.clone()
            && hints.chat > self.feed.borrow().chat.newest()
        {
            // A later look at the heads tries again.
            let _ = self.read_chat(&cluster).await;
        }
        Ok(())
    }

    /// Ends the task, as after a write in doubt, if the log is shorter than what is shown: a database
    /// that was promoted without its newest events has lost them. Those who follow go on with the log.
    async fn check_end(&mut self) -> Result<(), CommandError> {
        let (id, shown) = (self.id(), self.feed.borrow().current().version());
        let Some(cluster) = self.env().cluster.clone() else {
            return Ok(());
        };
        // Read while this task stores nothing, unlike what has led here.
        let heads = in_time(cluster.store.heads(vec![id])).await;
        let end = heads
            .ok()
            .and_then(|heads| heads.first().map(|(head, _)| head.version));
        match end {
            Some(end) if end < shown => {
                tracing::error!(
                    %id, %end, %shown,
                    "the database has lost the newest events of a match, which goes on without them"
                );
                Err(CommandError::InDoubt(AppendError::Unknown))
            }
            _ => Ok(()),
        }
    }

    /// Reads who is connected to other servers, before somebody's absence decides anything.
    pub(super) async fn look_elsewhere(&mut self) -> Result<(), Refusal> {
        let Some(cluster) = self.env().cluster.clone() else {
            return Ok(());
        };
        self.confirm_service().await?;
        let id = self.id();
        let read = cluster.read(vec![id], self.env().clock.now()).await;
        let mut read = read.map_err(|error| {
            warn_seldom!(%error, "who is connected to other servers cannot be read");
            Refusal::Unavailable
        })?;
        if let Some(elsewhere) = read.remove(&id) {
            self.presence.take_elsewhere(Arc::new(elsewhere));
            self.update_presence();
        }
        Ok(())
    }

    /// Returns true if a player of the match is connected to another server, whatever they follow
    /// there.
    pub(super) async fn is_player_elsewhere(&self) -> Result<bool, Refusal> {
        let Some(cluster) = self.env().cluster.clone() else {
            return Ok(false);
        };
        self.confirm_service().await?;
        let guests: Vec<GuestId> = {
            let feed = self.feed.borrow();
            let player = |seat| player(feed.current(), seat);
            let players = Seat::BOTH.into_iter().filter_map(player);
            let guest = |player: &Player| match player {
                Player::Human { guest, .. } => Some(*guest),
                Player::Bot { .. } => None,
            };
            players.filter_map(guest).collect()
        };
        let asking = timeout(OPEN_WITHIN, cluster.store.is_any_connected(guests)).await;
        asking.unwrap_or(Err(StoreError::Stopped)).map_err(|error| {
            warn_seldom!(%error, "it cannot be read who is connected to other servers");
            Refusal::Unavailable
        })
    }

    /// Stores a chat line for all servers, and shows it.
    pub(super) async fn add_shared_line(
        &mut self,
        cluster: &Cluster,
        author: ChatAuthor,
        command: CommandId,
        content: ChatContent,
    ) -> Result<(), Refusal> {
        let line = {
            let feed = self.feed.borrow();
            NewChatLine {
                id: feed.current().id(),
                channel: chat::channel_of(feed.current(), author.guest),
                command: command.clone(),
                guest: author.guest,
                name: author.name,
                content: content.clone(),
            }
        };
        let id = line.id;
        let adding = timeout(OPEN_WITHIN, cluster.store.add_chat_line(line)).await;
        let stored = adding
            .unwrap_or(Err(StoreError::NotNoted))
            .map_err(|error| {
                warn_seldom!(%error, "a chat line cannot be stored");
                Refusal::Unavailable
            })?;
        if stored.line.content != content {
            return Err(Refusal::IdReused(command));
        }
        cluster.store.hint(Hint::Chat(id, stored.line.number));
        self.read_chat(cluster).await
    }

    /// Reads the chat lines after those that are known.
    async fn read_chat(&mut self, cluster: &Cluster) -> Result<(), Refusal> {
        let id = self.id();
        let known = self.feed.borrow().chat.newest();
        let reading = timeout(OPEN_WITHIN, cluster.store.chat_lines(id, known)).await;
        let lines = reading
            .unwrap_or(Err(StoreError::Stopped))
            .map_err(|error| {
                warn_seldom!(%error, "the chat of a match cannot be read");
                Refusal::Unavailable
            })?;
        if !lines.is_empty() {
            self.change_feed(|feed| lines.into_iter().for_each(|line| feed.chat.take(line)));
            self.wake_viewers();
        }
        Ok(())
    }
}
