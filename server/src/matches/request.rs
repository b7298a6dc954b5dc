//! What may be asked of a match task, and what it answers.

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{
    Accepted, Actor, Chat, ChatDraft, Code, Command, CommandId, GuestId, Match, MatchId, MatchRef,
    Record, Refusal, Seat, Terms, Version,
};
use tokio::sync::{oneshot, watch};

use super::feed::{Feed, Gap, Missed};
use super::roll::{Attendance, Roll};
use super::talk::{Speaker, TalkBook};

/// Where an answer goes. Dropped unanswered, it says: look the match up again. Dropped by a panic, it
/// says that too, but to the client: what made one task panic might do so to the next.
pub(super) struct Reply<T>(Option<oneshot::Sender<Result<T, Refusal>>>);

impl<T> Reply<T> {
    /// A reply, and where its answer arrives.
    pub(super) fn new() -> (Self, oneshot::Receiver<Result<T, Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Some(sender)), receiver)
    }

    /// Answers. Nobody waiting any more is no fault: what was stored is stored.
    pub(super) fn send(mut self, answer: Result<T, Refusal>) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(answer);
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(sender) = self.0.take()
        {
            let _ = sender.send(Err(Refusal::Unavailable));
        }
    }
}

/// One request in a match's inbox.
pub(super) enum Request {
    /// Make the match, unless that has been done.
    Create {
        guest: GuestId,
        command: CommandId,
        terms: Box<Terms>,
        reply: Reply<Answer>,
    },
    /// Make the match as another one's rematch, unless that has been done.
    Succeed {
        terms: Box<Terms>,
        reply: Reply<Code>,
    },
    /// Act in the match.
    Act {
        actor: Actor,
        command: CommandId,
        wish: Wish,
        reply: Reply<Answer>,
    },
    /// Say something to those in the same room.
    Say {
        speaker: Speaker,
        command: CommandId,
        words: ChatDraft,
        reply: Reply<Answer>,
    },
    /// Look at the match once.
    Look { reply: Reply<Looked> },
    /// Watch the match, having seen it up to `since`.
    Follow {
        guest: GuestId,
        since: Version,
        reply: Reply<Following>,
    },
}

/// What somebody wants to do in a match.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    /// What the match machine can decide alone.
    Do(Command),
    /// Have the match because the opponent is away.
    Claim,
    /// Go on in another match, which has to be made first.
    AcceptRematch,
    /// Go away; that takes back a match of one's own that nobody has joined.
    Leave,
}

/// What became of a request that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub id: MatchId,
    pub code: Code,
    pub version: Version,
    pub seat: Option<Seat>,
    pub next: Option<MatchRef>,
}

impl Answer {
    /// The message that tells it to the client whose command it answers.
    pub(crate) fn accepted(self, command: CommandId) -> Accepted {
        Accepted {
            id: command,
            match_id: Some(self.id),
            code: Some(self.code),
            version: Some(self.version),
            seat: self.seat,
            next: self.next,
        }
    }
}

/// A match and its log, as they were at one moment.
pub(crate) struct Looked {
    pub live: Match,
    pub records: Vec<Record>,
}

/// A view of a match that goes on as long as it is held, and as the match is in memory.
pub(crate) struct Following {
    /// The match as it was when following began.
    pub answer: Answer,
    pub(super) feed: watch::Receiver<Feed>,
    pub(super) presence: watch::Receiver<Utf8Bytes>,
    pub(super) talk: watch::Receiver<TalkBook>,
    pub(super) guest: GuestId,
    pub(super) roll: Roll,
    pub(super) _attendance: Attendance,
}

/// Something to look at in a followed match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// There may be new events.
    Events,
    /// Somebody came or went.
    Presence,
    /// Somebody said something.
    Chat,
}

/// Waits for changes of a followed match.
pub(crate) struct Changes {
    feed: watch::Receiver<Feed>,
    presence: watch::Receiver<Utf8Bytes>,
    talk: watch::Receiver<TalkBook>,
}

impl Following {
    /// What a viewer at `since` has not seen, or the first `most` frames of it.
    pub(crate) fn missed(&self, since: Version, most: usize) -> Missed {
        let feed = self.feed.borrow();
        feed.missed(since, most, || self.roll.spectators(feed.live()))
    }

    /// How far behind a viewer at `since` is.
    pub(crate) fn gap(&self, since: Version) -> Gap {
        self.feed.borrow().gap(since)
    }

    /// Who is there, as a message.
    pub(crate) fn presence(&self) -> Utf8Bytes {
        self.presence.borrow().clone()
    }

    /// What a viewer who has heard everything up to `heard` has not; none if that is nothing.
    pub(crate) fn unheard(&self, heard: u64) -> Option<Chat> {
        let feed = self.feed.borrow();
        self.talk.borrow().unheard(feed.live(), self.guest, heard)
    }

    /// Tells of everything that is new from now on, of who is there now, and of what was said
    /// before.
    pub(crate) fn changes(&self) -> Changes {
        let (feed, mut presence) = (self.feed.clone(), self.presence.clone());
        let mut talk = self.talk.clone();
        presence.mark_changed();
        if self.unheard(0).is_some() {
            talk.mark_changed();
        }
        Changes {
            feed,
            presence,
            talk,
        }
    }
}

impl Changes {
    /// The next change; none when the match has left memory.
    pub(crate) async fn next(&mut self) -> Option<Change> {
        tokio::select! {
            biased;
            changed = self.feed.changed() => changed.ok().map(|()| Change::Events),
            changed = self.presence.changed() => changed.ok().map(|()| Change::Presence),
            changed = self.talk.changed() => changed.ok().map(|()| Change::Chat),
        }
    }
}
