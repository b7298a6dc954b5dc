//! Walks through the matches of a store.

use std::vec::IntoIter;

use fibfob_protocol::{GuestId, MatchId, MatchPlace};
use fibfob_store::{BEGINNING, GuestMatches, Listing, Store, StoreError, in_time};

use crate::limits::INDEX_PAGE;

/// All kinds of a guest's matches.
pub(crate) const OF_GUEST: [GuestMatches; 2] = [GuestMatches::Unfinished, GuestMatches::Finished];

/// A walk through the matches of a store, page by page.
pub(crate) struct Way {
    /// The next page.
    listing: Listing,
    page: IntoIter<MatchPlace>,
}

impl Way {
    /// Walks through all matches, in the order of ids.
    pub(crate) fn all() -> Self {
        Self::through(Listing::After(BEGINNING.match_id))
    }

    /// Walks through the matches after this one.
    pub(crate) fn after(id: MatchId) -> Self {
        Self::through(Listing::After(id))
    }

    /// Walks through matches that are open or in play, oldest first.
    pub(crate) fn unfinished() -> Self {
        Self::through(Listing::UNFINISHED)
    }

    /// Walks through a guest's matches, newest first.
    pub(crate) fn of_guest(guest: GuestId, which: GuestMatches) -> Self {
        Self::through(Listing::OfGuest {
            guest,
            which,
            before: None,
        })
    }

    fn through(listing: Listing) -> Self {
        let page = IntoIter::default();
        Self { listing, page }
    }

    /// The next match; none at the end.
    pub(crate) async fn next(&mut self, store: &Store) -> Result<Option<MatchPlace>, StoreError> {
        if self.page.as_slice().is_empty() {
            let page = in_time(store.list(self.listing.clone(), INDEX_PAGE)).await?;
            if let Some(last) = page.last() {
                match &mut self.listing {
                    Listing::Unfinished { after, .. } => *after = *last,
                    Listing::OfGuest { before, .. } => *before = Some(*last),
                    Listing::After(id) => *id = last.match_id,
                    Listing::OfCode(_) => {}
                }
            }
            self.page = page.into_iter();
        }
        Ok(self.page.next())
    }
}
