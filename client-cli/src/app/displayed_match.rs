//! A followed match, as received so far.
//!
//! Holds the state and the user's seat; display is elsewhere.

use std::collections::VecDeque;

use fibfob_client::MatchUpdate;
use fibfob_games::{Level, MoveSet, Position};
use fibfob_protocol::{
    Away, Code, Event, GuestId, MatchId, MatchView, PhaseName, PhaseView, Player, Players,
    Presence, Seat, TimedEvent, Timestamp, Version,
};

use crate::coach;

/// The most positions that are kept, to look back at.
const POSITIONS_KEPT: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayedMatch {
    pub id: MatchId,
    pub code: Code,
    pub version: Version,
    /// The public state, with the newest names.
    pub view: MatchView,
    /// The players with the names of the time when they took their seats.
    players: Players,
    /// The user's seat; none for a spectator.
    pub seat: Option<Seat>,
    /// The newest positions, oldest first. A position that the rules here do not lead to has an empty text.
    positions: VecDeque<String>,
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
            positions: VecDeque::from([update.state.start.clone()]),
            presence: None,
        };
        followed.apply(update, me);
        followed
    }

    /// Applies an update. A match is sent from its first event, so the guest may take a seat in any update.
    pub fn apply(&mut self, update: &MatchUpdate, me: Option<GuestId>) {
        self.seat = me.and_then(|me| update.seat_of(me));
        for timed in &update.events {
            match &timed.event {
                Event::Moved { text, .. } => {
                    let after = self.position_after(text);
                    self.positions.push_back(after.unwrap_or_default());
                }
                Event::TakenBack { plies, .. } => {
                    let back = usize::try_from(*plies).unwrap_or(usize::MAX);
                    let left = self.positions.len().saturating_sub(back);
                    self.positions.truncate(left);
                }
                _ => {}
            }
            if self.positions.len() > POSITIONS_KEPT {
                self.positions.pop_front();
            }
        }
        if !update.unknown.is_empty() {
            // What such an event of a newer server did is not known.
            self.positions.clear();
        }
        self.view = update.state.clone();
        // Where the rules here differ, the server's count.
        self.positions.pop_back();
        self.positions.push_back(self.view.position.clone());
        self.version = update.version;
        self.players = update.state.players.clone();
        self.show_names();
    }

    /// Returns true if an update should call the user: the other player did something that waits for an
    /// answer or was waited for, or the match has ended.
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

    fn position_after(&self, ply: &str) -> Option<String> {
        let position = Position::read(self.view.game, self.positions.back()?).ok()?;
        Some(coach::after(&position, ply)?.to_string())
    }

    /// The position before so many of the newest moves; none if it is not kept.
    pub fn position_before(&self, moves: usize) -> Option<&str> {
        let kept = self.positions.iter().rev().nth(moves)?;
        Some(kept.as_str()).filter(|position| !position.is_empty())
    }

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

    /// Returns the deadline for the first move of the player to move. The match closes at this instant.
    pub fn first_move_until(&self) -> Option<Timestamp> {
        match self.view.phase {
            PhaseView::Playing {
                first_move_until, ..
            } => first_move_until,
            _ => None,
        }
    }

    /// The effect of a claim in the present state, in words.
    pub fn claim_effect(&self) -> &'static str {
        match self.first_move_until().is_some() {
            true => "ends the match",
            false => "wins the match",
        }
    }

    /// Returns true if the match has ended, or will never be played.
    pub fn is_over(&self) -> bool {
        let phase = self.view.phase.name();
        matches!(phase, PhaseName::Over | PhaseName::Closed)
    }

    /// Returns true if the players choose who begins, or play.
    pub fn is_to_be_played(&self) -> bool {
        let phase = self.view.phase.name();
        matches!(phase, PhaseName::Choosing | PhaseName::Playing)
    }

    pub fn is_our_turn(&self) -> bool {
        self.seat.is_some() && self.turn() == self.seat
    }

    /// Returns the absent player of a match to be played: a player's opponent, or for spectators the first one.
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

/// Lists an update's events, each with the number of moves made by then. The update may hold only the newest events.
pub fn number_events(update: &MatchUpdate) -> Vec<(&TimedEvent, u64)> {
    let mut after = update.state.plies;
    let from_the_end = update.events.iter().rev().map(|event| {
        let number = after;
        match &event.event {
            Event::Moved { .. } => after = after.saturating_sub(1),
            Event::TakenBack { plies, .. } => after = after.saturating_add(*plies),
            _ => {}
        }
        (event, number)
    });
    let mut numbered: Vec<_> = from_the_end.collect();
    numbered.reverse();
    numbered
}
