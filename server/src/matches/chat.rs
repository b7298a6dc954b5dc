//! The chat of a match: the newest lines of each of its two channels.
//!
//! Chat is no event: no log has it, and a match that leaves memory forgets it, unless several servers
//! share the store, which then keeps the lines of all of them.

use std::collections::VecDeque;

use fibfob_protocol::{
    Actor, Chat, ChatChannel, ChatContent, ChatDraft, ChatLine, ChatText, CommandId, GuestId,
    Match, PlayerName, Refusal, Timestamp, Visibility,
};

use crate::limits::TALK_KEPT;
use crate::net::client_address::ClientAddress;
use crate::store::StoredChatLine;

/// The newest chat lines of a match, by channel.
#[derive(Default)]
pub(super) struct ChatLog {
    players: VecDeque<LoggedLine>,
    spectators: VecDeque<LoggedLine>,
    newest: u64,
}

/// A chat line with the command that sent it, so that a repeated command adds no line.
struct LoggedLine {
    command: CommandId,
    line: ChatLine,
}

/// The author of a chat message.
#[derive(Clone, Debug)]
pub(crate) struct ChatAuthor {
    pub guest: GuestId,
    pub name: PlayerName,
    pub address: ClientAddress,
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

impl LoggedLine {
    fn is_of(&self, author: &ChatAuthor, command: &CommandId) -> bool {
        self.command == *command && self.line.guest == author.guest
    }
}

impl ChatLog {
    /// The content of the line that this command has added; none if it has added none.
    pub(super) fn said(
        &self,
        current: &Match,
        author: &ChatAuthor,
        command: &CommandId,
    ) -> Option<&ChatContent> {
        let mut known = self.lines(channel_of(current, author.guest)).iter();
        let own = known.find(|logged| logged.is_of(author, command));
        own.map(|logged| &logged.line.content)
    }

    /// Adds a line, unless the same command has added it before.
    pub(super) fn add(
        &mut self,
        current: &Match,
        author: ChatAuthor,
        command: CommandId,
        content: ChatContent,
        now: Timestamp,
    ) {
        if self.said(current, &author, &command).is_some() {
            return;
        }
        // Follows the clock, so that numbers also grow across restarts and cursors stay valid.
        let number = now.0.max(self.newest + 1);
        let lines = self.lines_mut(channel_of(current, author.guest));
        lines.push_back(LoggedLine {
            command,
            line: ChatLine {
                number,
                at: now,
                guest: author.guest,
                name: author.name,
                content,
            },
        });
        while lines.len() > TALK_KEPT {
            lines.pop_front();
        }
        self.newest = number;
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
        let lines = self.lines_mut(stored.channel);
        lines.push_back(LoggedLine {
            command: stored.command,
            line: stored.line,
        });
        while lines.len() > TALK_KEPT {
            lines.pop_front();
        }
    }

    /// The lines after number `seen` in the guest's channel; none if there are none.
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

    fn lines(&self, channel: ChatChannel) -> &VecDeque<LoggedLine> {
        match channel {
            ChatChannel::Players => &self.players,
            ChatChannel::Spectators => &self.spectators,
        }
    }

    fn lines_mut(&mut self, channel: ChatChannel) -> &mut VecDeque<LoggedLine> {
        match channel {
            ChatChannel::Players => &mut self.players,
            ChatChannel::Spectators => &mut self.spectators,
        }
    }
}
