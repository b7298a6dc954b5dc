//! What is said beside a match: two short memories, one for each room.
//!
//! No event: nothing of it is stored, and a match that leaves memory forgets it.

use std::collections::VecDeque;

use fibfob_protocol::{
    Actor, Chat, ChatChannel, ChatContent, ChatDraft, ChatLine, ChatText, CommandId, GuestId,
    Match, PlayerName, Refusal, Timestamp, Visibility,
};

use crate::limits::TALK_KEPT;

/// The newest things said in a match, room by room.
#[derive(Default)]
pub(super) struct TalkBook {
    players: VecDeque<Line>,
    spectators: VecDeque<Line>,
    newest: u64,
}

/// One thing that was said, and the command that said it, so that a repeat counts once.
struct Line {
    command: CommandId,
    said: ChatLine,
}

/// Somebody who speaks.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub guest: GuestId,
    pub name: PlayerName,
}

/// The room in which this guest speaks and hears.
fn room_of(live: &Match, guest: GuestId) -> ChatChannel {
    match live.seat_of(Actor::Guest(guest)) {
        Some(_) => ChatChannel::Players,
        None => ChatChannel::Spectators,
    }
}

/// What may be said in this match.
pub(super) fn may_say(live: &Match, words: ChatDraft) -> Result<ChatContent, Refusal> {
    match words {
        ChatDraft::Phrase(phrase) => Ok(ChatContent::Phrase(phrase)),
        ChatDraft::Text(_) if live.terms().visibility == Visibility::Public => {
            Err(Refusal::PhrasesOnly)
        }
        ChatDraft::Text(text) => Ok(ChatContent::Text(ChatText::try_from(text)?)),
    }
}

impl TalkBook {
    /// Notes what was said, unless this command has said it before.
    pub(super) fn note(
        &mut self,
        live: &Match,
        speaker: Speaker,
        command: CommandId,
        content: ChatContent,
        now: Timestamp,
    ) {
        // Grows over restarts too, as the time does, so that a listener's place stays right.
        let number = now.0.max(self.newest + 1);
        let lines = self.lines_mut(room_of(live, speaker.guest));
        let same = |line: &Line| line.command == command && line.said.guest == speaker.guest;
        if lines.iter().any(same) {
            return;
        }
        lines.push_back(Line {
            command,
            said: ChatLine {
                number,
                at: now,
                guest: speaker.guest,
                name: speaker.name,
                content,
            },
        });
        while lines.len() > TALK_KEPT {
            lines.pop_front();
        }
        self.newest = number;
    }

    /// What a guest who has heard everything up to `heard` has not; none if that is nothing.
    pub(super) fn unheard(&self, live: &Match, guest: GuestId, heard: u64) -> Option<Chat> {
        let channel = room_of(live, guest);
        let lines = match channel {
            ChatChannel::Players => &self.players,
            ChatChannel::Spectators => &self.spectators,
        };
        let news = lines.iter().filter(|line| line.said.number > heard);
        let lines: Vec<_> = news.map(|line| line.said.clone()).collect();
        let match_id = live.id();
        (!lines.is_empty()).then_some(Chat {
            match_id,
            channel,
            lines,
        })
    }

    fn lines_mut(&mut self, channel: ChatChannel) -> &mut VecDeque<Line> {
        match channel {
            ChatChannel::Players => &mut self.players,
            ChatChannel::Spectators => &mut self.spectators,
        }
    }
}
