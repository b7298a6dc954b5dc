//! The chat of a match. No log has it; the store keeps its lines for all servers.

use fibfob_net::address_guard::Spent;
use fibfob_protocol::{Actor, ChatChannel, ChatDraft, ChatLine, CommandId, Refusal};
use fibfob_store::{Hint, StoredChatLine, in_time, warn_seldom};
use tokio::time::Instant;

use super::MatchTask;
use super::append::CommandError;
use crate::acknowledgement::Acknowledgement;
use crate::chat::{self, ChatAuthor};
use crate::disk_ledger::stored_bytes;

impl MatchTask {
    /// Stores a chat line for all servers, and shows it.
    pub(super) async fn chat(
        &mut self,
        author: ChatAuthor,
        command: CommandId,
        draft: ChatDraft,
    ) -> Result<Acknowledgement, CommandError> {
        self.apply_due_events().await?;
        let account = author.account.clone();
        let (line, old, acknowledgement) = {
            let feed = self.feed.borrow();
            let current = feed.current();
            let content = chat::check(current, draft)?;
            let channel = chat::channel_of(current, author.guest);
            let actor = Actor::Guest(author.guest);
            let mut acknowledgement = Acknowledgement::new(current, actor, current.version());
            if feed.chat.has(channel, author.guest, &command) {
                acknowledgement = acknowledgement.again();
            } else {
                let is_spectator = channel == ChatChannel::Spectators;
                let spectated = is_spectator.then(|| current.id());
                let rates = &self.env().chat_rates;
                rates.take(&author, spectated, Instant::now())?;
            }
            let at = self.env().clock.now();
            let line = StoredChatLine {
                channel,
                command: command.clone(),
                line: ChatLine {
                    number: at.0,
                    at,
                    guest: author.guest,
                    name: author.name,
                    content,
                },
            };
            (line, feed.chat.surplus(channel), acknowledgement)
        };
        let id = self.id();
        let stored = in_time(self.env().store.add_chat_line(id, &line, &old)).await;
        let stored = stored.map_err(|error| {
            warn_seldom!(%id, %error, "cannot store a chat line");
            account.give_back(Spent::Talk, Instant::now());
            Refusal::Unavailable
        })?;
        if stored.line.content != line.line.content {
            return Err(Refusal::IdReused(command).into());
        }
        let owner = account.address();
        self.env().disk.charge(Some(owner), stored_bytes(&line));
        let number = stored.line.number;
        self.env().cluster.hint(|| Hint::Chat(id, number));
        self.read_chat().await?;
        Ok(acknowledgement)
    }

    /// Reads the chat lines that are not known yet.
    pub(super) async fn read_chat(&mut self) -> Result<(), Refusal> {
        let id = self.id();
        let known = self.feed.borrow().chat.newest();
        let lines = in_time(self.env().store.chat_lines(id, known)).await;
        let lines = lines.map_err(|error| {
            warn_seldom!(%id, %error, "cannot read a match's chat from the store");
            Refusal::Unavailable
        })?;
        if !lines.is_empty() {
            self.change_feed(|feed| lines.into_iter().for_each(|line| feed.chat.take(line)));
            self.wake_viewers();
        }
        Ok(())
    }
}
