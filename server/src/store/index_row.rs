//! The row that the index keeps for a match: derived from its log, which decides in any doubt.

use fibfob_protocol::{
    Code, GuestId, LobbyEntry, Match, Phase, Player, Seat, Timestamp, Visibility,
};

/// The index row of a match, written in one transaction with the event that changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow {
    /// The match's short name; no two matches share one.
    pub code: Code,
    /// The phase's name; `playing` as soon as both seats are taken.
    pub phase: &'static str,
    /// The time of the match's first event.
    pub created_at: Timestamp,
    /// The match's row in the lobby, if it is listed there.
    pub lobby: Option<LobbyRow>,
    /// The guests whose seats count towards their limits; none once the match is over or closed.
    pub seated: Vec<(Seat, GuestId)>,
    /// The time at which an open match closes by itself.
    pub open_until: Option<Timestamp>,
}

/// The lobby row of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyRow {
    /// A match with a free seat, listed until it expires.
    Open {
        /// The time at which it expires.
        expires_at: Timestamp,
        /// The entry sent to clients.
        entry: LobbyEntry,
    },
    /// A match in play, open to spectators.
    Playing {
        /// The entry sent to clients.
        entry: LobbyEntry,
    },
}

impl IndexRow {
    /// Returns whether the match still belongs to [`Store::unfinished_matches`].
    ///
    /// [`Store::unfinished_matches`]: super::Store::unfinished_matches
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !matches!(self.phase, "over" | "closed")
    }

    /// The index row of a match whose first event happened at `created_at`.
    #[must_use]
    pub fn of(state: &Match, created_at: Timestamp) -> Self {
        let terms = state.terms();
        let public = terms.visibility == Visibility::Public;
        let entry = || state.lobby_entry(created_at);
        Self {
            code: terms.code,
            phase: match state.phase() {
                // Both seats are taken: the lobby lists it as in play.
                Phase::Choosing { .. } => "playing",
                phase => phase.name(),
            },
            created_at,
            lobby: match state.phase() {
                Phase::Open if public && terms.seat_listed => Some(LobbyRow::Open {
                    expires_at: terms.expires_at,
                    entry: entry(),
                }),
                Phase::Choosing { .. } | Phase::Playing { .. } if public => {
                    Some(LobbyRow::Playing { entry: entry() })
                }
                _ => None,
            },
            seated: seated(state),
            open_until: matches!(state.phase(), Phase::Open).then_some(terms.expires_at),
        }
    }
}

fn seated(state: &Match) -> Vec<(Seat, GuestId)> {
    if matches!(state.phase(), Phase::Over { .. } | Phase::Closed { .. }) {
        return Vec::new();
    }
    let players = [
        (Seat::Creator, Some(&state.terms().creator)),
        (Seat::Joiner, state.joiner()),
    ];
    let guest = |(seat, player)| match player {
        Some(&Player::Human { guest, .. }) => Some((seat, guest)),
        _ => None,
    };
    players.into_iter().filter_map(guest).collect()
}
