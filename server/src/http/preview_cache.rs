//! The pictures of matches that were asked for lately.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

use axum::body::Bytes;
use fibfob_protocol::{MatchId, Version};

use crate::limits::PREVIEWS_KEPT;

/// The newest pictures, so that one is drawn once for each version of a match.
#[derive(Default)]
pub(crate) struct Previews {
    of_matches: Mutex<VecDeque<(MatchId, Version, Bytes)>>,
    /// That of the start page, once somebody has asked for it.
    of_start_page: OnceLock<Bytes>,
}

impl Previews {
    /// The picture of a match at this version, if it is kept.
    pub(super) fn of(&self, id: MatchId, version: Version) -> Option<Bytes> {
        let kept = self
            .of_matches
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut kept = kept.iter();
        let found = kept.find(|(kept, at, _)| (*kept, *at) == (id, version));
        found.map(|(_, _, picture)| picture.clone())
    }

    /// Keeps a picture in place of the oldest one.
    pub(super) fn keep(&self, id: MatchId, version: Version, picture: Bytes) {
        let mut kept = self
            .of_matches
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // An older version is not asked for again.
        kept.retain(|(kept, ..)| *kept != id);
        kept.push_back((id, version, picture));
        while kept.len() > PREVIEWS_KEPT {
            kept.pop_front();
        }
    }

    /// The picture of the start page, drawn once.
    pub(super) fn of_start_page(&self, draw: impl FnOnce() -> Bytes) -> Bytes {
        self.of_start_page.get_or_init(draw).clone()
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::GuestId;

    use super::*;

    #[test]
    fn the_newest_pictures_are_kept_one_for_each_match() {
        let previews = Previews::default();
        let ids: Vec<_> = (0..=PREVIEWS_KEPT)
            .map(|_| MatchId(GuestId::fresh().0))
            .collect();
        for id in &ids {
            previews.keep(*id, Version(1), Bytes::new());
        }
        assert!(
            previews.of(ids[0], Version(1)).is_none() && previews.of(ids[1], Version(1)).is_some()
        );
        previews.keep(ids[1], Version(2), Bytes::new());
        assert!(
            previews.of(ids[1], Version(1)).is_none() && previews.of(ids[1], Version(2)).is_some()
        );
    }
}
