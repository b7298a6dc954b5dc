//! The public views of a match: state, frame, snapshot, lobby row.

use fibfob_games::{MoveSet, Position};
use serde_json::{Map, Value, json};

use crate::action::Actor;
use crate::change::StateChange;
use crate::event::{Event, Record};
use crate::ids::{GuestId, Timestamp, Version};
use crate::message::{
    Frame, GuestMatch, LegalMoves, LobbyEntry, MatchPlace, PastEvent, Snapshot, TimedEvent,
};
use crate::seat::Seat;
use crate::time::ClocksView;
use crate::view::{MatchView, PhaseView, Players};

use super::evolve::Transition;
use super::{CorruptLog, Match, Phase, mover_after};

impl Match {
    /// Returns the public state of the match, as a spectator sees it.
    #[must_use]
    pub fn view(&self, spectators: usize) -> MatchView {
        self.view_in(&self.phase, &self.position, self.moves.len(), spectators)
    }

    /// Returns the public state once the match is in this phase and position, after `plies` moves.
    fn view_in(
        &self,
        phase: &Phase,
        position: &Position,
        plies: usize,
        spectators: usize,
    ) -> MatchView {
        let last = plies.checked_sub(1).and_then(|last| self.moves.get(last));
        MatchView {
            game: self.terms.game,
            start: self.terms.start.clone(),
            position: position.to_string(),
            plies: plies as u64,
            first: match phase {
                Phase::Playing { first, .. } | Phase::Over { first, .. } => (*first).into(),
                _ => self.terms.first,
            },
            time: self.terms.time,
            clocks: shown_clocks(phase),
            grace_ms: self.terms.grace_ms,
            players: Players {
                creator: self.terms.creator.clone(),
                joiner: phase.joiner().or(self.joiner()).cloned(),
            },
            visibility: self.terms.visibility,
            learning: self.terms.learning,
            last: last.cloned(),
            rematch_of: self.terms.rematch_of,
            spectators,
            phase: shown_phase(phase, plies),
        }
    }

    /// Returns the public state as `viewer` sees it: the player to move gets the legal moves.
    #[must_use]
    pub fn view_for(&self, viewer: Option<Seat>, spectators: usize) -> MatchView {
        let mut view = self.view(spectators);
        if let PhaseView::Playing { turn, legal, .. } = &mut view.phase
            && viewer == Some(*turn)
        {
            *legal = Some(self.position.legal_moves());
        }
        view
    }

    /// Returns the legal moves now; none unless the match is in play.
    #[must_use]
    pub fn legal(&self) -> LegalMoves {
        LegalMoves {
            version: self.version,
            legal: match self.turn() {
                Some(_) => self.position.legal_moves(),
                None => MoveSet::default(),
            },
        }
    }

    /// Returns the frame of the match's next event, `newest`, as spectators get it.
    #[must_use]
    pub fn next_frame(&self, newest: &Record, transition: &Transition) -> Frame {
        debug_assert_eq!(newest.version, self.version.next());
        Frame {
            match_id: self.id,
            timed: TimedEvent::from(newest),
            change: self.next_change(&newest.event, transition),
        }
    }

    fn next_change(&self, event: &Event, transition: &Transition) -> StateChange {
        let (phase, plies) = (transition.phase(), self.plies_after(event));
        let position = transition.position.as_ref().unwrap_or(&self.position);
        let between = || {
            let before = self.view(0);
            let mut change =
                StateChange::between(&before, &self.view_in(phase, position, plies, 0));
            if let Event::Moved { .. } = event {
                // They follow from the event.
                change.0.shift_remove("plies");
                change.0.shift_remove("last");
            }
            // The frame goes to spectators. For the player to move, the legal moves are added to the end of its text.
            if matches!(before.phase, PhaseView::Playing { .. }) && change.changes_legal_moves() {
                change.0.insert("legal".to_owned(), Value::Null);
            }
            change
        };
        match self.change_of_turn(event, phase, position) {
            Some(change) => {
                debug_assert_eq!(change, between());
                change
            }
            None => between(),
        }
    }

    /// Returns the change by a move that only passes the turn; none of any other event. Nearly all events are such moves,
    /// and comparing two whole states takes thirty times as long.
    fn change_of_turn(
        &self,
        event: &Event,
        phase: &Phase,
        position: &Position,
    ) -> Option<StateChange> {
        let plies = self.moves.len();
        let (
            Event::Moved { .. },
            PhaseView::Playing {
                first_move_until,
                takeback: None,
                ..
            },
            PhaseView::Playing {
                turn,
                first_move_until: until,
                takeback: None,
                ..
            },
        ) = (
            event,
            shown_phase(&self.phase, plies),
            shown_phase(phase, plies + 1),
        )
        else {
            return None;
        };
        let mut change = Map::with_capacity(4);
        change.insert("position".to_owned(), position.to_string().into());
        let clocks = shown_clocks(phase);
        if clocks != shown_clocks(&self.phase) {
            change.insert("clocks".to_owned(), json!(clocks));
        }
        change.insert("turn".to_owned(), json!(turn));
        change.insert("legal".to_owned(), Value::Null);
        (first_move_until == until).then_some(StateChange(change))
    }

    /// Returns the seat to move and its legal moves, if the change that led to this state changed them.
    #[must_use]
    pub fn legal_after(&self, change: &StateChange) -> Option<(Seat, MoveSet)> {
        let turn = self.turn()?;
        let changes = change.changes_legal_moves();
        changes.then(|| (turn, self.position.legal_moves()))
    }

    /// Returns the match as `viewer` sees it, with the events of its `log` after `since`.
    ///
    /// # Errors
    /// [`CorruptLog`] if the log is not this match's.
    pub fn snapshot(
        &self,
        log: &[Record],
        since: Version,
        viewer: Option<Seat>,
        spectators: usize,
    ) -> Result<Snapshot, CorruptLog> {
        Ok(Snapshot {
            match_id: self.id,
            code: self.terms.code,
            version: self.version,
            events: self.past_events(log, since)?,
            state: self.view_for(viewer, spectators),
        })
    }

    fn past_events(&self, log: &[Record], since: Version) -> Result<Vec<PastEvent>, CorruptLog> {
        let missed = log.get(usize::try_from(since.0).unwrap_or(usize::MAX)..);
        let missed = missed.unwrap_or_default();
        let changes_position =
            |record: &Record| matches!(record.event, Event::Moved { .. } | Event::TakenBack { .. });
        let past = |record: &Record, position| PastEvent {
            timed: TimedEvent::from(record),
            position,
        };
        // A viewer who has missed no move needs no positions, so nothing is replayed.
        if !missed.iter().any(changes_position) {
            return Ok(missed.iter().map(|record| past(record, None)).collect());
        }
        let mut events = Vec::with_capacity(missed.len());
        Self::replay_each(self.id, log, |state, record| {
            if record.version > since {
                let position = changes_position(record).then(|| state.position.to_string());
                events.push(past(record, position));
            }
        })?;
        Ok(events)
    }

    /// Returns the match's row in the lobby once it is in `phase`.
    #[must_use]
    pub fn lobby_entry_in(&self, phase: &Phase, created_at: Timestamp) -> LobbyEntry {
        LobbyEntry {
            code: self.terms.code,
            game: self.terms.game.to_string(),
            start: self.terms.start.clone(),
            creator: self.terms.creator.clone(),
            joiner: phase.joiner().cloned(),
            first: self.terms.first,
            time: self.terms.time,
            learning: self.terms.learning,
            programs: self.terms.programs,
            created_at,
            round: 0,
        }
    }

    /// Returns the match's entry in the list of `guest`'s own matches; none without a seat in it.
    #[must_use]
    pub fn guest_match(
        &self,
        guest: GuestId,
        created_at: Timestamp,
        newest_at: Timestamp,
    ) -> Option<GuestMatch> {
        let seat = self.seat_of(Actor::Guest(guest))?;
        let opponent = match seat {
            Seat::Creator => self.joiner(),
            Seat::Joiner => Some(&self.terms.creator),
        };
        Some(GuestMatch {
            place: MatchPlace {
                created_at,
                match_id: self.id,
            },
            code: self.terms.code,
            game: self.terms.game.to_string(),
            seat,
            opponent: opponent.cloned(),
            version: self.version,
            at: newest_at,
            plies: self.moves.len() as u64,
            clocks: shown_clocks(&self.phase),
            phase: shown_phase(&self.phase, self.moves.len()),
        })
    }
}

fn shown_clocks(phase: &Phase) -> Option<ClocksView> {
    match phase {
        Phase::Playing { clocks, .. } | Phase::Over { clocks, .. } => {
            clocks.as_ref().map(|clocks| clocks.view)
        }
        _ => None,
    }
}

/// Returns the phase as it is shown after `plies` moves, without the legal moves.
fn shown_phase(phase: &Phase, plies: usize) -> PhaseView {
    match phase {
        Phase::Open => PhaseView::Open,
        Phase::Choosing { chooser, until, .. } => PhaseView::Choosing {
            chooser: *chooser,
            until: *until,
        },
        Phase::Playing {
            first,
            clocks,
            takeback,
            joiner: _,
        } => PhaseView::Playing {
            turn: mover_after(*first, plies),
            first_move_until: clocks.and_then(|clocks| clocks.first_move_until),
            takeback: takeback.map(|offer| offer.by),
            legal: None,
        },
        Phase::Over {
            winner,
            reason,
            rematch,
            ..
        } => PhaseView::Over {
            winner: *winner,
            reason: *reason,
            rematch: rematch.clone(),
        },
        Phase::Closed { reason, .. } => PhaseView::Closed { reason: *reason },
    }
}
