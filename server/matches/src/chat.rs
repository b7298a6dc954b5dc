//! The chat of a match: the newest lines of each of its two channels.
//!
//! Chat is no event, so no log has it. The store keeps the newest lines for a while, for all servers.

use std::collections::VecDeque;

use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Actor, Chat, ChatChannel, ChatContent, ChatDraft, ChatText, CommandId, GuestId, Match,
    PlayerName, Refusal, Visibility,
};
use fibfob_store::StoredChatLine;
use fibfob_store::limits::TALK_KEPT;

/// The newest chat lines of a match, by channel.
#[derive(Default)]
pub(super) struct ChatLog {
    lines: [VecDeque<StoredChatLine>; 2],
    newest: u64,
}

/// The author of a chat message.
#[derive(Clone)]
pub struct ChatAuthor {
    /// Its author.
    pub guest: GuestId,
    /// The name shown beside it.
    pub name: PlayerName,
    /// The account of the address that its rate counts for.
    pub account: AddressAccount,
}

/// The channel in which this guest writes and reads.
pub(super) fn channel_of(current: &Match, guest: GuestId) -> ChatChannel {
    match current.seat_of(Actor::Guest(guest)) {
        Some(_) => ChatChannel::Players,
        None => ChatChannel::Spectators,
    }
}

/// Checks that a chat message is allowed in this match.
pub(super) fn check(current: &Match, draft: ChatDraft) -> Result<ChatContent, Refusal> {
    match draft {
        ChatDraft::Phrase(phrase) => Ok(ChatContent::Phrase(phrase)),
        ChatDraft::Text(_) if current.terms().visibility == Visibility::Public => {
            Err(Refusal::PhrasesOnly)
        }
        ChatDraft::Text(text) => Ok(ChatContent::Text(ChatText::try_from(text)?)),
    }
}

impl ChatLog {
    /// Returns true if this command of the guest has added a line.
    pub(super) fn has(&self, channel: ChatChannel, guest: GuestId, command: &CommandId) -> bool {
        let mut known = self.lines(channel).iter();
        known.any(|said| said.command == *command && said.line.guest == guest)
    }

    /// The number of the newest line, zero without one.
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    /// Adds a line that was read from a store, where each has its number.
    pub(super) fn take(&mut self, stored: StoredChatLine) {
        if stored.line.number <= self.newest {
            return;
        }
        self.newest = stored.line.number;
        let lines = &mut self.lines[stored.channel as usize];
        lines.push_back(stored);
        while lines.len() > TALK_KEPT {
            lines.pop_front();
        }
    }

    /// Returns the channel's lines that have to go when the next one comes.
    pub(super) fn surplus(&self, channel: ChatChannel) -> Vec<StoredChatLine> {
        let lines = self.lines(channel);
        let surplus = (lines.len() + 1).saturating_sub(TALK_KEPT);
        lines.iter().take(surplus).cloned().collect()
    }

    /// Returns the lines after number `seen` in the guest's channel, if there are any.
    pub(super) fn unseen(&self, current: &Match, guest: GuestId, seen: u64) -> Option<Chat> {
        let channel = channel_of(current, guest);
        let newer = self
            .lines(channel)
            .iter()
            .filter(|logged| logged.line.number > seen);
        let lines: Vec<_> = newer.map(|logged| logged.line.clone()).collect();
        let match_id = current.id();
        (!lines.is_empty()).then_some(Chat {
            match_id,
            channel,
            lines,
        })
    }

    fn lines(&self, channel: ChatChannel) -> &VecDeque<StoredChatLine> {
        &self.lines[channel as usize]
    }
}
