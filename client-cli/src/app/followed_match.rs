//! A match as this client has seen it so far.
//!
//! Knows what happened and who we are, and nothing of how either is shown.

use std::collections::VecDeque;

use fibfob_games::Position;
use fibfob_protocol::{
    Away, Code, Event, GuestId, MatchId, MatchView, PhaseView, Presence, Seat, Version,
};

use fibfob_client::MatchUpdate;

/// The most plies that are remembered for the screen.
const PLIES_KEPT: usize = 256;

/// One match, followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedMatch {
    /// The match.
    pub id: MatchId,
    /// Its short name.
    pub code: Code,
    /// The newest event's version.
    pub version: Version,
    /// What everybody may see of it.
    pub view: MatchView,
    /// Our own seat; none for a spectator.
    pub seat: Option<Seat>,
    /// The position before the newest move, if we have seen it.
    pub came_from: Option<String>,
    /// The newest moves, oldest first.
    pub plies: VecDeque<PlayedMove>,
    /// Who is connected, once it was told.
    pub presence: Option<Presence>,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// Its number, from 1.
    pub number: u64,
    /// Who made it.
    pub seat: Seat,
    /// The move.
    pub text: String,
}

impl FollowedMatch {
    /// The match as the first update tells it, seen by this guest.
    pub fn new(update: &MatchUpdate, me: Option<GuestId>) -> Self {
        let mut followed = Self {
            id: update.match_id,
            code: update.code,
            version: Version(0),
            view: update.state.clone(),
            seat: None,
            came_from: None,
            plies: VecDeque::new(),
            presence: None,
        };
        followed.apply(update, me);
        followed
    }

    /// Goes on with the match. Events that led to our taking a seat are told from the first, so
    /// the seat may become ours at any of them.
    pub fn apply(&mut self, update: &MatchUpdate, me: Option<GuestId>) {
        self.seat = me.and_then(|me| update.seat_of(me));
        let (mut made, mut undone) = (0, 0);
        for event in &update.events {
            match &event.event {
                Event::Moved { .. } => made += 1,
                Event::TakenBack { plies, .. } => undone += plies,
                _ => {}
            }
        }
        // The plies told may be only the newest of all.
        let mut number = (update.state.plies + undone).saturating_sub(made);
        for event in &update.events {
            match &event.event {
                Event::Moved { seat, text } => {
                    number += 1;
                    self.push(PlayedMove {
                        number,
                        seat: *seat,
                        text: text.clone(),
                    });
                }
                Event::TakenBack { plies, .. } => {
                    number = number.saturating_sub(*plies);
                    self.plies.retain(|ply| ply.number <= number);
                }
                _ => {}
            }
        }
        match (made, undone) {
            (0, 0) => {}
            (1, 0) if self.version > Version(0) => {
                self.came_from = Some(self.view.position.clone());
            }
            _ => self.came_from = None,
        }
        self.version = update.version;
        self.view = update.state.clone();
    }

    fn push(&mut self, ply: PlayedMove) {
        if self.plies.len() == PLIES_KEPT {
            self.plies.pop_front();
        }
        self.plies.push_back(ply);
    }

    /// Whose turn it is, while the match is in play.
    pub fn turn(&self) -> Option<Seat> {
        match self.view.phase {
            PhaseView::Playing { turn, .. } => Some(turn),
            _ => None,
        }
    }

    /// Whether it has ended, or will never be played.
    pub fn is_over(&self) -> bool {
        matches!(
            self.view.phase,
            PhaseView::Over { .. } | PhaseView::Closed { .. }
        )
    }

    /// Whether it is our turn.
    pub fn is_our_turn(&self) -> bool {
        self.seat.is_some() && self.turn() == self.seat
    }

    /// Who is away in a match to be played: for a player the other one, for others the first of
    /// them.
    pub fn away(&self) -> Option<Away> {
        let to_be_played = matches!(
            self.view.phase,
            PhaseView::Choosing { .. } | PhaseView::Playing { .. }
        );
        let presence = self.presence.as_ref().filter(|_| to_be_played)?;
        let mut away = presence.away.iter();
        away.find(|away| self.seat != Some(away.seat)).copied()
    }

    /// The position, for the rules to look at.
    pub fn position(&self) -> Option<Position> {
        Position::read(self.view.game, &self.view.position).ok()
    }

    /// How many only watch.
    pub fn spectators(&self) -> usize {
        match &self.presence {
            Some(presence) => presence.spectators,
            None => self.view.spectators,
        }
    }

    /// Whether a seat's player is connected, as far as it is known.
    pub fn is_connected(&self, seat: Seat) -> Option<bool> {
        let presence = self.presence.as_ref()?;
        Some(presence.connected.contains(&seat))
    }
}
