//! What the index and the lobby need to know of a match: derived from its log, never the
//! truth itself.

use fibfob_protocol::{
    Code, GuestId, LobbyEntry, Match, Phase, Player, Seat, Timestamp, Visibility,
};

/// A match's row in the index, written in one transaction with the event that changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow {
    /// The match's short name; no two matches share one.
    pub code: Code,
    /// The phase's name; `playing` as soon as both seats are taken.
    pub phase: &'static str,
    /// When the match was made.
    pub created_at: Timestamp,
    /// How the lobby shows it, if it does.
    pub lobby: Option<LobbyRow>,
    /// The guests whose seats in it count, none once it is over or closed. Not in the index: a start
    /// finds them in the log.
    pub seated: Vec<(Seat, GuestId)>,
    /// While it is open: when it closes by itself.
    pub open_until: Option<Timestamp>,
}

/// How the lobby shows a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyRow {
    /// With a free seat, until it expires.
    Open {
        /// When it does.
        expires_at: Timestamp,
        /// What is told of it.
        entry: LobbyEntry,
    },
    /// In play, to be watched.
    Playing {
        /// What is told of it.
        entry: LobbyEntry,
    },
}

impl IndexRow {
    /// The row of `live`, whose first event happened at `created_at`.
    #[must_use]
    pub fn of(live: &Match, created_at: Timestamp) -> Self {
        let terms = live.terms();
        let public = terms.visibility == Visibility::Public;
        let entry = || live.lobby_entry(created_at);
        Self {
            code: terms.code,
            phase: match live.phase() {
                // The seat is taken: for whoever looks for a match, it is in play.
                Phase::Choosing { .. } => "playing",
                phase => phase.name(),
            },
            created_at,
            lobby: match live.phase() {
                Phase::Open if public && terms.seat_listed => Some(LobbyRow::Open {
                    expires_at: terms.expires_at,
                    entry: entry(),
                }),
                Phase::Choosing { .. } | Phase::Playing { .. } if public => {
                    Some(LobbyRow::Playing { entry: entry() })
                }
                _ => None,
            },
            seated: seated(live),
            open_until: matches!(live.phase(), Phase::Open).then_some(terms.expires_at),
        }
    }
}

fn seated(live: &Match) -> Vec<(Seat, GuestId)> {
    if matches!(live.phase(), Phase::Over { .. } | Phase::Closed { .. }) {
        return Vec::new();
    }
    let players = [
        (Seat::Creator, Some(&live.terms().creator)),
        (Seat::Joiner, live.joiner()),
    ];
    let guest = |(seat, player)| match player {
        Some(&Player::Human { guest, .. }) => Some((seat, guest)),
        _ => None,
    };
    players.into_iter().filter_map(guest).collect()
}
