//! The feed of a match: its events, the newest ones as encoded frames, the newest presence message, and the
//! chat.
//!
//! A frame is encoded once for all viewers. Its legal moves are encoded once more for the player to move, in
//! each form that is wanted. Viewers take what they have not seen at their own speed; the feed does not know
//! them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::OnceLock;

use fibfob_games::MoveSet;
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Actor, CorruptLog, Event, Frame, GuestId, GuestMatch, Match, MatchId, MoveForm, Record, Seat,
    ServerMessage, Snapshot, Timestamp, Transition, Version,
};

use super::chat::ChatLog;
use super::presence_set::player;
use crate::encoded::EncodedMessage;
use crate::limits::{EVENT_BYTES, MATCH_BYTES, START_TIMES};

/// A match with its events and frames so far.
pub(crate) struct Feed {
    /// With all events, for snapshots.
    log: Inspection,
    /// The newest frames since the match came into memory, at most `kept`.
    frames: VecDeque<EncodedFrame>,
    /// The newest frame's legal moves as a list, once wanted. Lists for older frames are rarely wanted, and
    /// not kept.
    newest_listed: OnceLock<Box<str>>,
    kept: usize,
    /// The bytes of the kept frames.
    frame_bytes: usize,
    /// True if this server has stored the newest event.
    stored_here: bool,
    /// True if the store has changed the match's persons or chat. Then the feed has to end.
    is_rewritten: bool,
    /// The newest presence message, and its number, from 1.
    presence: (EncodedMessage, u64),
    /// The newest chat lines.
    pub(super) chat: ChatLog,
    /// The address of the creator, once they have created or followed the match here. Bots are its creators'
    /// opponents, and compute for this address.
    pub(super) player_at: Option<AddressAccount>,
}

/// The frame of one event, without the match's id.
struct EncodedFrame {
    public: EncodedMessage,
    /// The person to move, and the legal moves that their frame also has: families, as JSON.
    legal: Option<(Seat, Box<str>)>,
}

/// A match and its log at one moment.
#[derive(Clone)]
pub struct Inspection {
    /// The match.
    pub current: Match,
    /// Its log.
    pub records: Vec<Record>,
}

impl Inspection {
    /// The time of the first event.
    pub(super) fn created_at(&self) -> Timestamp {
        let first = self.records.first();
        first.expect("a match has its first event").at
    }

    /// The time of the newest event.
    pub fn newest_at(&self) -> Timestamp {
        let newest = self.records.last();
        newest.expect("a match has its first event").at
    }

    /// Returns the match as an entry in this guest's list.
    #[must_use]
    pub fn own_of(&self, guest: GuestId) -> Option<GuestMatch> {
        let (created_at, newest_at) = (self.created_at(), self.newest_at());
        self.current.guest_match(guest, created_at, newest_at)
    }
}

/// The events that a viewer has not seen.
pub enum Missed {
    /// There are none.
    Nothing,
    /// The next frames, without the match's id, and the version of the last one.
    Frames(Vec<EncodedMessage>, Version),
    /// More events are missing than frames are kept.
    Snapshot(Box<Snapshot>),
}

/// The events that a viewer lacks, in the form in which they can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// No event is missing.
    None,
    /// The missing events are the kept frames from this index on.
    Frames(usize),
    /// More events are missing than frames are kept.
    Snapshot,
}

impl Feed {
    /// Replays a log into a feed; none for an empty log.
    pub(super) fn replay(
        id: MatchId,
        records: Vec<Record>,
        kept: usize,
    ) -> Result<Option<Self>, CorruptLog> {
        if records.is_empty() {
            return Ok(None);
        }
        let current = Match::replay(id, &records)?;
        Ok(Some(Self::new(current, records, kept, false)))
    }

    /// Makes the feed of a match that has only its first event.
    pub(super) fn begin(id: MatchId, first: Record, kept: usize) -> Result<Self, CorruptLog> {
        let current = Match::begin(id, &first)?;
        Ok(Self::new(current, vec![first], kept, true))
    }

    fn new(current: Match, records: Vec<Record>, kept: usize, stored_here: bool) -> Self {
        Self {
            log: Inspection { current, records },
            frames: VecDeque::new(),
            newest_listed: OnceLock::new(),
            kept,
            frame_bytes: 0,
            stored_here,
            is_rewritten: false,
            presence: Default::default(),
            chat: ChatLog::default(),
            player_at: None,
        }
    }

    /// Publishes the `newest` event with its transition. It was stored here or by another server.
    pub(super) fn push(&mut self, newest: Record, transition: Transition, stored_here: bool) {
        self.stored_here = stored_here;
        let frame = self.log.current.next_frame(&newest, &transition);
        self.log.current.apply(&newest, transition);
        let frame = EncodedFrame::new(&self.log.current, frame);
        self.frame_bytes += frame.len();
        self.frames.push_back(frame);
        self.newest_listed = OnceLock::new();
        while self.frames.len() > self.kept {
            let oldest = self.frames.pop_front();
            self.frame_bytes -= oldest.map_or(0, |frame| frame.len());
        }
        self.log.records.push(newest);
    }

    /// The newest presence message.
    pub(super) fn presence(&self) -> EncodedMessage {
        self.presence.0.clone()
    }

    /// The number of the newest presence message; zero before the first.
    pub(super) fn presence_number(&self) -> u64 {
        self.presence.1
    }

    /// Publishes a presence message, unless it repeats the newest one. Returns whether it did.
    pub(super) fn show_presence(&mut self, message: EncodedMessage) -> bool {
        let (newest, number) = &mut self.presence;
        let changes = *newest != message;
        if changes {
            *newest = message;
            *number += 1;
        }
        changes
    }

    /// The event that made this version.
    pub(super) fn event(&self, version: Version) -> Option<&Event> {
        let record = self.log.records.get(seen(version).checked_sub(1)?)?;
        Some(&record.event)
    }

    /// Ends the feed for its followers, because the store has changed the match's persons or chat.
    pub(super) fn end_rewritten(&mut self) {
        self.is_rewritten = true;
    }

    /// Returns true if viewers must be sent the whole match once this feed has ended.
    pub(super) fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Returns true if this server has stored the newest event.
    pub(super) fn is_stored_here(&self) -> bool {
        self.stored_here
    }

    /// The current state of the match.
    pub(super) fn current(&self) -> &Match {
        &self.log.current
    }

    /// The match and its log.
    pub(super) fn log(&self) -> &Inspection {
        &self.log
    }

    /// The estimated memory of the match, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let start = self.log.current.terms().start.len();
        let listed = self.newest_listed.get().map_or(0, |listed| listed.len());
        let events = EVENT_BYTES * self.log.records.len();
        MATCH_BYTES + START_TIMES * start + events + self.frame_bytes + listed
    }

    /// Returns the events after `since` for this viewer: at most `most` frames, or one snapshot if more
    /// events are missing than frames are kept.
    pub(super) fn missed(
        &self,
        since: Version,
        most: usize,
        (viewer, form): (Actor, MoveForm),
        spectators: impl FnOnce() -> usize,
    ) -> Missed {
        let from = match self.gap(since) {
            Gap::None => return Missed::Nothing,
            Gap::Snapshot => return self.snapshot(since, viewer, spectators()),
            Gap::Frames(from) => from,
        };
        let seat = self.log.current.seat_of(viewer);
        let kept = self.frames.iter().enumerate();
        let missed = kept.skip(from).take(most);
        let frames: Vec<_> = missed
            .map(|(index, frame)| match &frame.legal {
                Some((turn, legal)) if seat == Some(*turn) => {
                    frame.with_legal(&self.in_form(form, index, legal))
                }
                _ => frame.public.clone(),
            })
            .collect();
        let upto = Version(since.0 + frames.len() as u64);
        Missed::Frames(frames, upto)
    }

    /// Returns the legal moves of the kept frame with this index in the wanted form. `families` is what is
    /// kept.
    fn in_form<'a>(&'a self, form: MoveForm, index: usize, families: &'a str) -> Cow<'a, str> {
        let list = || Frame::list_legal(families);
        match form {
            MoveForm::Families => Cow::Borrowed(families),
            MoveForm::List if index + 1 == self.frames.len() => {
                Cow::Borrowed(self.newest_listed.get_or_init(list))
            }
            MoveForm::List => Cow::Owned(list().into()),
        }
    }

    /// The match as this viewer sees it now, with the events after `since`.
    pub(super) fn snapshot(&self, since: Version, viewer: Actor, spectators: usize) -> Missed {
        let viewer = self.log.current.seat_of(viewer);
        let log = &self.log;
        let snapshot = log
            .current
            .snapshot(&log.records, since, viewer, spectators);
        let snapshot = snapshot.expect("the match is what its records replay to");
        Missed::Snapshot(Box::new(snapshot))
    }

    /// Returns how far a viewer at `since` is behind the newest event.
    pub(super) fn gap(&self, since: Version) -> Gap {
        let behind = self.log.records.len().saturating_sub(seen(since));
        if behind == 0 {
            return Gap::None;
        }
        let from = self.frames.len().checked_sub(behind);
        from.map_or(Gap::Snapshot, Gap::Frames)
    }
}

/// The number of events that a viewer at this version has seen.
fn seen(since: Version) -> usize {
    usize::try_from(since.0).unwrap_or(usize::MAX)
}

impl EncodedFrame {
    /// Encodes the frame that led to `current`.
    fn new(current: &Match, frame: Frame) -> Self {
        let is_person = |(seat, _): &(Seat, MoveSet)| {
            let player = player(current, *seat);
            player.is_some_and(|player| player.guest().is_some())
        };
        let legal = current.legal_after(&frame.change).filter(is_person);
        Self {
            public: EncodedMessage::from(&ServerMessage::Frame(Box::new(frame))),
            legal: legal.map(|(seat, legal)| (seat, Frame::write_legal(&legal))),
        }
    }

    fn len(&self) -> usize {
        let legal = self.legal.as_ref();
        self.public.len() + legal.map_or(0, |(_, legal)| legal.len())
    }

    /// Returns the frame with these legal moves added.
    fn with_legal(&self, legal: &str) -> EncodedMessage {
        Frame::with_legal(&self.public, legal).into()
    }
}

#[cfg(test)]
mod tests;
