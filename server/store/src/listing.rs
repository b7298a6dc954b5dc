//! Lists of matches, as an engine reads them from its index.

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Timestamp};
use uuid::Uuid;

/// The place before all matches.
pub const BEGINNING: MatchPlace = MatchPlace {
    created_at: Timestamp(0),
    match_id: MatchId(Uuid::nil()),
};

/// The matches that are asked for, and their order.
#[derive(Clone, Debug)]
pub enum Listing {
    /// The match that has this code.
    OfCode(Code),
    /// The matches that are neither over nor closed and come after a place, oldest first.
    Unfinished {
        /// The place.
        after: MatchPlace,
        /// Only those in which something may happen by itself up to this instant.
        due_by: Timestamp,
    },
    /// The matches in which a guest has a seat, newest first.
    OfGuest {
        /// The guest.
        guest: GuestId,
        /// The part of them that is asked for.
        which: GuestMatches,
        /// Only matches before this place.
        before: Option<MatchPlace>,
    },
    /// All matches after this one, in the order of ids. No id is nil.
    After(MatchId),
}

impl Listing {
    /// All matches that are neither over nor closed, from the first one on.
    pub const UNFINISHED: Self = Self::Unfinished {
        after: BEGINNING,
        due_by: Timestamp(u64::MAX),
    };
}

/// Some of a guest's matches, by their phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestMatches {
    /// Those that are open or in play.
    Unfinished,
    /// Those with a winner, and those that were closed without one.
    Finished,
}

impl GuestMatches {
    /// Returns the names of the phases.
    pub fn phases(self) -> [&'static str; 2] {
        match self {
            Self::Unfinished => ["open", "playing"],
            Self::Finished => ["over", "closed"],
        }
    }
}
