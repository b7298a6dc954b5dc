//! A match and the other servers on the same store: what they tell of it, and what is asked of the
//! store before a decision that depends on them.

use fibfob_protocol::{ChatContent, CommandId, GuestId, Player, Refusal, Seat};
use fibfob_store::{AppendError, CarriedRecord, Hint, NewChatLine, in_time, warn_seldom};

use super::MatchTask;
use super::append::CommandError;
use crate::matches::chat::{self, ChatAuthor};
use crate::matches::directory::MatchHints;
use crate::matches::feed::Feed;
use crate::matches::presence_set::player;

impl MatchTask {
    /// Follows what other servers have told: takes the records that came with it, reads the other
    /// events and the chat lines after those that are known, and takes the connections.
    pub(super) async fn follow_hints(&mut self, hints: MatchHints) -> Result<(), CommandError> {
        if hints.is_rewritten {
            // As after a write in doubt: those who follow are sent what is stored.
            self.change_feed(Feed::end_rewritten);
            return Err(CommandError::InDoubt(AppendError::Conflict));
        }
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
        if hints.elsewhere.is_some() || !hints.presence.is_empty() {
            if let Some(elsewhere) = hints.elsewhere {
                self.presence.take_elsewhere(elsewhere);
            }
            for (server, note) in hints.presence {
                self.presence.take_note(server, note);
            }
            self.update_presence();
        }
        if hints.chat > self.feed.borrow().chat.newest() {
            // A later look at the heads tries again.
            let _ = self.read_chat().await;
        }
        Ok(())
    }

    /// Ends the task, as after a write in doubt, if the log is shorter than what is shown: a database
    /// that was promoted without its newest events has lost them. Those who follow go on with the log.
    async fn check_end(&mut self) -> Result<(), CommandError> {
        let (id, shown) = (self.id(), self.feed.borrow().current().version());
        // Read while this task stores nothing, unlike what has led here.
        let heads = in_time(self.env().store.heads(vec![id])).await;
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
        self.confirm_service().await?;
        let id = self.id();
        let read = self.env().cluster.read(&[id]).await;
        let mut read = read.map_err(|error| {
            warn_seldom!(%error, "it cannot be read who is connected to other servers");
            Refusal::Unavailable
        })?;
        self.presence
            .take_elsewhere(read.remove(&id).unwrap_or_default());
        self.update_presence();
        Ok(())
    }

    /// Returns true if a player of the match is connected to another server, whatever they follow
    /// there.
    pub(super) async fn is_player_elsewhere(&self) -> Result<bool, Refusal> {
        self.confirm_service().await?;
        let guests: Vec<GuestId> = {
            let feed = self.feed.borrow();
            let player = |seat| player(feed.current(), seat);
            let players = Seat::BOTH.into_iter().filter_map(player);
            let guests = players.filter_map(Player::guest);
            guests.map(|(guest, _)| guest).collect()
        };
        let asking = self.env().cluster.is_any_elsewhere(&guests).await;
        asking.map_err(|error| {
            warn_seldom!(%error, "it cannot be read who is connected to other servers");
            Refusal::Unavailable
        })
    }

    /// Stores a chat line for all servers, and shows it.
    pub(super) async fn add_line(
        &mut self,
        author: ChatAuthor,
        command: CommandId,
        content: ChatContent,
    ) -> Result<(), Refusal> {
        let (line, old) = {
            let feed = self.feed.borrow();
            let channel = chat::channel_of(feed.current(), author.guest);
            let line = NewChatLine {
                id: feed.current().id(),
                channel,
                command: command.clone(),
                guest: author.guest,
                name: author.name,
                content: content.clone(),
            };
            (line, feed.chat.surplus(channel))
        };
        let (id, now) = (line.id, self.env().clock.now());
        let stored = in_time(self.env().store.add_chat_line(line, now, &old)).await;
        let stored = stored.map_err(|error| {
            warn_seldom!(%error, "a chat line cannot be stored");
            Refusal::Unavailable
        })?;
        if stored.line.content != content {
            return Err(Refusal::IdReused(command));
        }
        self.env()
            .cluster
            .hint(|| Hint::Chat(id, stored.line.number));
        self.read_chat().await
    }

    /// Reads the chat lines after those that are known.
    pub(super) async fn read_chat(&mut self) -> Result<(), Refusal> {
        let id = self.id();
        let known = self.feed.borrow().chat.newest();
        let lines = in_time(self.env().store.chat_lines(id, known)).await;
        let lines = lines.map_err(|error| {
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
