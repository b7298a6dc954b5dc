//! A followed match, as received so far.
//!
//! Holds the state and the user's seat; display is elsewhere.

use std::collections::VecDeque;

use fibfob_client::MatchUpdate;
use fibfob_games::{Level, MoveSet, Position};
use fibfob_protocol::{
    Away, Code, Event, GuestId, LastMove, MatchId, MatchView, PhaseView, Player, Players, Presence,
    Seat, TimedEvent, Version,
};

/// The most moves that are kept, to tell the position before the newest one.
const PLIES_KEPT: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayedMatch {
    pub id: MatchId,
    pub code: Code,
    /// The newest event's version.
    pub version: Version,
    /// The public state, with the newest names.
    pub view: MatchView,
    /// The players with the names of the time when they took their seats.
    players: Players,
    /// The user's seat; none for a spectator.
    pub seat: Option<Seat>,
    /// The position before the newest move, if it was received.
    pub came_from: Option<String>,
    /// The newest moves, oldest first.
    plies: VecDeque<String>,
    /// The connected players and spectators, once received.
    pub presence: Option<Presence>,
}

/// A question of the match that the user has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchQuestion {
    /// Move first or second?
    Choice,
    /// Does the opponent get a move back?
    Takeback,
}

impl MatchQuestion {
    /// The two answers, as they are typed.
    pub fn answers(self) -> [&'static str; 2] {
        match self {
            Self::Choice => ["first", "second"],
            Self::Takeback => ["yes", "no"],
        }
    }
}

impl DisplayedMatch {
    /// The match after its first update, as seen by this guest.
    pub fn new(update: &MatchUpdate, me: Option<GuestId>) -> Self {
        let mut followed = Self {
            id: update.match_id,
            code: update.code,
            version: Version(0),
            view: update.state.clone(),
            players: update.state.players.clone(),
            seat: None,
            came_from: None,
            plies: VecDeque::new(),
            presence: None,
        };
        followed.apply(update, me);
        followed
    }

    /// Applies an update. A match is sent from its first event, so the guest may take a seat in any
    /// update.
    pub fn apply(&mut self, update: &MatchUpdate, me: Option<GuestId>) {
        self.seat = me.and_then(|me| update.seat_of(me));
        let events = update.events.iter().map(|timed| &timed.event);
        let steps: Vec<&Event> = events.filter(|event| changes_position(event)).collect();
        for step in &steps {
            match step {
                Event::Moved { text, .. } => self.plies.push_back(text.clone()),
                Event::TakenBack { plies, .. } => {
                    let back = usize::try_from(*plies).unwrap_or(usize::MAX);
                    self.plies.truncate(self.plies.len().saturating_sub(back));
                }
                _ => {}
            }
            if self.plies.len() > PLIES_KEPT {
                self.plies.pop_front();
            }
        }
        let before = std::mem::replace(&mut self.view, update.state.clone());
        match &steps[..] {
            [] => {}
            [Event::Moved { .. }] if self.version > Version(0) => {
                self.came_from = Some(before.position);
            }
            _ => self.came_from = self.position_before(1),
        }
        self.version = update.version;
        self.players = update.state.players.clone();
        self.show_names();
    }

    /// Returns true if the user is to be called because of an update: the other player did something that
    /// waits for an answer or was waited for, or the match has ended.
    pub fn calls(&self, update: &MatchUpdate, was_over: bool) -> bool {
        let (Some(seat), Some(newest)) = (self.seat, update.events.last()) else {
            return false;
        };
        if newest.event.author() == Some(seat) {
            return false;
        }
        let is_awaited = match &newest.event {
            Event::Joined { .. } => seat == Seat::Creator,
            Event::TakebackOffered { .. }
            | Event::TakenBack { .. }
            | Event::TakebackDeclined { .. }
            | Event::RematchOffered { .. }
            | Event::RematchAccepted { .. } => true,
            _ => false,
        };
        is_awaited
            || match self.view.phase {
                PhaseView::Over { .. } => !was_over,
                PhaseView::Choosing { chooser, .. } => chooser == seat,
                PhaseView::Playing { turn, .. } => turn == seat,
                PhaseView::Open | PhaseView::Closed { .. } => false,
            }
    }

    /// The position before so many of the newest moves, from the start; none if there are fewer, or not all moves
    /// are kept.
    pub fn position_before(&self, moves: usize) -> Option<String> {
        let mut position = Position::read(self.view.game, &self.view.start).ok()?;
        let earlier = self.plies.len().checked_sub(moves)?;
        if u64::try_from(self.plies.len()) != Ok(self.view.plies) {
            return None;
        }
        for ply in self.plies.iter().take(earlier) {
            let played = position.read_move(ply).ok()?;
            position = position.play(&played).ok()?;
        }
        Some(position.to_string())
    }

    /// Applies who is connected, and the names that players have taken since.
    pub fn apply_presence(&mut self, presence: Presence) {
        self.presence = Some(presence);
        self.show_names();
    }

    fn show_names(&mut self) {
        self.view.players = self.players.clone();
        for renamed in self.presence.iter().flat_map(|it| &it.renamed) {
            self.view.players.rename(renamed.seat, &renamed.name);
        }
    }

    /// The newest move, if the other player made it.
    pub fn answered_move(&self) -> Option<&LastMove> {
        let last = self.view.last.as_ref();
        last.filter(|last| self.seat.is_some() && self.seat != Some(last.seat))
    }

    /// The level of the bot that the user plays against, if there is one.
    pub fn bot(&self) -> Option<Level> {
        match self.view.players.get(self.seat?.other())? {
            Player::Bot { level } => Some(*level),
            _ => None,
        }
    }

    /// The legal moves: the server sends them to the player to move; for others the rules are here.
    pub fn legal_moves(&self) -> MoveSet {
        match &self.view.phase {
            PhaseView::Playing {
                legal: Some(legal), ..
            } => legal.clone(),
            _ => self
                .position()
                .map_or_else(MoveSet::new, |it| it.legal_moves()),
        }
    }

    pub fn question(&self) -> Option<MatchQuestion> {
        let seat = self.seat?;
        match self.view.phase {
            PhaseView::Choosing { chooser, .. } if chooser == seat => Some(MatchQuestion::Choice),
            PhaseView::Playing {
                takeback: Some(by), ..
            } if by != seat => Some(MatchQuestion::Takeback),
            _ => None,
        }
    }

    /// The seat to move, while the match is in play.
    pub fn turn(&self) -> Option<Seat> {
        match self.view.phase {
            PhaseView::Playing { turn, .. } => Some(turn),
            _ => None,
        }
    }

    /// Returns true if the match is in play and its clocks begin when both players are here.
    pub fn awaits_players(&self) -> bool {
        self.turn().is_some() && self.view.clocks.is_none() && !self.view.time.is_none()
    }

    /// The effect of a claim in the present state, in words.
    pub fn claim_effect(&self) -> &'static str {
        match self.awaits_players() {
            true => "ends the match",
            false => "wins the match",
        }
    }

    /// Returns true if the match has ended, or will never be played.
    pub fn is_over(&self) -> bool {
        matches!(
            self.view.phase,
            PhaseView::Over { .. } | PhaseView::Closed { .. }
        )
    }

    /// Returns true if the players choose who begins, or play.
    pub fn is_to_be_played(&self) -> bool {
        matches!(
            self.view.phase,
            PhaseView::Choosing { .. } | PhaseView::Playing { .. }
        )
    }

    pub fn is_our_turn(&self) -> bool {
        self.seat.is_some() && self.turn() == self.seat
    }

    /// The absent player of a match to be played: for a player the opponent, for spectators the
    /// first one.
    pub fn away(&self) -> Option<Away> {
        let presence = self.presence.as_ref().filter(|_| self.is_to_be_played())?;
        let mut away = presence.away.iter();
        away.find(|away| self.seat != Some(away.seat)).copied()
    }

    /// The position; none if its game is unknown.
    pub fn position(&self) -> Option<Position> {
        Position::read(self.view.game, &self.view.position).ok()
    }

    pub fn spectators(&self) -> usize {
        match &self.presence {
            Some(presence) => presence.spectators,
            None => self.view.spectators,
        }
    }

    /// Returns true if the seat's player is connected; none if that is unknown.
    pub fn is_connected(&self, seat: Seat) -> Option<bool> {
        let presence = self.presence.as_ref()?;
        Some(presence.connected.contains(&seat))
    }
}

pub fn changes_position(event: &Event) -> bool {
    matches!(event, Event::Moved { .. } | Event::TakenBack { .. })
}

/// The events of an update; a move with its number, from 1. The update may hold only the newest
/// events.
pub fn numbered(update: &MatchUpdate) -> impl Iterator<Item = (&TimedEvent, Option<u64>)> {
    let (mut made, mut undone) = (0, 0);
    for event in &update.events {
        match &event.event {
            Event::Moved { .. } => made += 1,
            Event::TakenBack { plies, .. } => undone += plies,
            _ => {}
        }
    }
    let mut number = (update.state.plies + undone).saturating_sub(made);
    update.events.iter().map(move |event| match &event.event {
        Event::Moved { .. } => {
            number += 1;
            (event, Some(number))
        }
        Event::TakenBack { plies, .. } => {
            number = number.saturating_sub(*plies);
            (event, None)
        }
        _ => (event, None),
    })
}
