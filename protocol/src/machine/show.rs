//! The public views of a match: state, frame, snapshot, lobby row.

use crate::event::Record;
use crate::ids::Timestamp;
use crate::message::{Frame, LobbyEntry, Snapshot, TimedEvent};
use crate::view::{MatchView, PhaseView, Players, RematchView};

use super::{Clocks, Match, Phase, Rematch, choice_lapses};

impl Match {
    /// The public state of the match.
    #[must_use]
    pub fn view(&self, spectators: usize) -> MatchView {
        MatchView {
            game: self.terms.game,
            start: self.terms.start.clone(),
            position: self.position.to_string(),
            plies: self.moves.len() as u64,
            first: match self.phase {
                Phase::Playing { first, .. } | Phase::Over { first, .. } => first.into(),
                _ => self.terms.first,
            },
            time: self.terms.time,
            clocks: match &self.phase {
                Phase::Playing { clocks, .. } | Phase::Over { clocks, .. } => {
                    clocks.as_ref().map(Clocks::view)
                }
                _ => None,
            },
            grace_ms: self.terms.grace_ms,
            players: Players {
                creator: self.terms.creator.clone(),
                joiner: self.joiner().cloned(),
            },
            visibility: self.terms.visibility,
            learning: self.terms.learning,
            last: self.last_move().cloned(),
            rematch_of: self.terms.rematch_of,
            spectators,
            phase: match &self.phase {
                Phase::Open => PhaseView::Open,
                Phase::Choosing { chooser, since, .. } => PhaseView::Choosing {
                    chooser: *chooser,
                    until: choice_lapses(*since),
                },
                Phase::Playing {
                    first, takeback, ..
                } => PhaseView::Playing {
                    turn: self.mover(*first),
                    takeback: *takeback,
                    legal: self.position.legal_moves(),
                },
                Phase::Over {
                    winner,
                    reason,
                    rematch,
                    ..
                } => PhaseView::Over {
                    winner: *winner,
                    reason: *reason,
                    rematch: match rematch {
                        Rematch::None => None,
                        Rematch::Offered(by) => Some(RematchView::Offered { by: *by }),
                        Rematch::Agreed(next) => Some(RematchView::Agreed { next: next.clone() }),
                    },
                },
                Phase::Closed { reason } => PhaseView::Closed { reason: *reason },
            },
        }
    }

    /// The frame of `newest`, the event that led to this state.
    #[must_use]
    pub fn frame(&self, newest: &Record, spectators: usize) -> Frame {
        debug_assert_eq!(newest.version, self.version);
        Frame {
            match_id: self.id,
            code: self.terms.code,
            timed: TimedEvent::from(newest),
            state: self.view(spectators),
        }
    }

    /// The snapshot for a viewer who has missed all of `missed`.
    #[must_use]
    pub fn snapshot(&self, missed: &[Record], spectators: usize) -> Snapshot {
        debug_assert_eq!(
            missed.last().map_or(self.version, |record| record.version),
            self.version
        );
        Snapshot {
            match_id: self.id,
            code: self.terms.code,
            version: self.version,
            events: missed.iter().map(TimedEvent::from).collect(),
            state: self.view(spectators),
        }
    }

    /// The match's row in the lobby.
    #[must_use]
    pub fn lobby_entry(&self, created_at: Timestamp) -> LobbyEntry {
        LobbyEntry {
            code: self.terms.code,
            game: self.terms.game.to_string(),
            start: self.terms.start.clone(),
            creator: self.terms.creator.clone(),
            joiner: self.joiner().cloned(),
            first: self.terms.first,
            time: self.terms.time,
            learning: self.terms.learning,
            created_at,
        }
    }
}
