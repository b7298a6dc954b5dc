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
    /// The matches that are neither over nor closed and come after this place, oldest first.
    UnfinishedAfter(MatchPlace),
    /// The matches in which a guest has a seat, newest first.
    OfGuest {
        /// The guest.
        guest: GuestId,
        /// Those of them that are asked for.
        which: GuestMatches,
        /// Only those before this place.
        before: Option<MatchPlace>,
    },
    /// All matches after this one, in the order of ids. No id is nil.
    After(MatchId),
}

/// A match as its index row has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedMatch {
    /// Its place in the order of creation and id.
    pub place: MatchPlace,
    /// The time at which it closes by itself, if it is open.
    pub open_until: Option<Timestamp>,
}

/// Some of a guest's matches, by their phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestMatches {
    /// Those that are open or in play.
    Unfinished,
    /// Those that are over.
    Over,
    /// Those that were closed without a winner.
    Closed,
}

impl GuestMatches {
    /// The names of the phases.
    pub fn phases(self) -> &'static [&'static str] {
        match self {
            Self::Unfinished => &["open", "playing"],
            Self::Over => &["over"],
            Self::Closed => &["closed"],
        }
    }
}
