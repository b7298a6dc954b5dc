//! A way through the matches of a store, page by page.

use fibfob_protocol::{GuestId, MatchId, MatchPlace};
use fibfob_store::{GuestMatches, IndexedMatch, Listing, Store, StoreError, in_time};
use uuid::Uuid;

/// All kinds of a guest's matches.
pub(crate) const OF_GUEST: [GuestMatches; 3] = [
    GuestMatches::Unfinished,
    GuestMatches::Over,
    GuestMatches::Closed,
];

/// A way through the matches of a store, with the place where it goes on.
pub(crate) enum Way {
    /// Those that are open or in play, oldest first.
    Unfinished(MatchPlace),
    /// All of them, in the order of ids.
    All(MatchId),
    /// A guest's, newest first.
    OfGuest(GuestId, GuestMatches, Option<MatchPlace>),
}

impl Way {
    /// The way through all matches.
    pub(crate) fn all() -> Self {
        Self::All(MatchId(Uuid::nil()))
    }

    /// The next page, empty at the end.
    pub(crate) async fn next(
        &mut self,
        store: &Store,
        limit: usize,
    ) -> Result<Vec<IndexedMatch>, StoreError> {
        let listing = match *self {
            Self::Unfinished(place) => Listing::UnfinishedAfter(place),
            Self::All(id) => Listing::After(id),
            Self::OfGuest(guest, which, before) => Listing::OfGuest {
                guest,
                which,
                before,
            },
        };
        let page = in_time(store.list(listing, limit)).await?;
        if let Some(last) = page.last() {
            match self {
                Self::Unfinished(place) => *place = last.place,
                Self::All(id) => *id = last.place.match_id,
                Self::OfGuest(_, _, before) => *before = Some(last.place),
            }
        }
        Ok(page)
    }
}
