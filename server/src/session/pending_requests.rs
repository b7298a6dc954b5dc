//! The pending requests of a session, and the matches left while they were pending.

use std::collections::BTreeMap;

use fibfob_protocol::MatchId;

/// The unanswered requests of one session, in the order of their arrival.
#[derive(Default)]
pub(super) struct PendingRequests {
    newest: u64,
    /// Their numbers, ascending.
    unanswered: Vec<u64>,
    /// The last request that left each match. Kept while an older request is pending.
    left: BTreeMap<MatchId, u64>,
}

impl PendingRequests {
    /// Adds a request, which may leave a match, and returns its number.
    pub(super) fn start(&mut self, leaves: Option<MatchId>) -> u64 {
        self.newest += 1;
        self.unanswered.push(self.newest);
        self.left.extend(leaves.map(|id| (id, self.newest)));
        self.newest
    }

    /// Returns true if a later request than this one has left the match.
    pub(super) fn was_left_since(&self, number: u64, id: MatchId) -> bool {
        self.left.get(&id).is_some_and(|by| *by > number)
    }

    /// Removes an answered request.
    pub(super) fn end(&mut self, number: u64) {
        self.unanswered.retain(|unanswered| *unanswered != number);
        let oldest = self.unanswered.first().copied();
        self.left
            .retain(|_, by| oldest.is_some_and(|oldest| oldest < *by));
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::GuestId;

    use super::*;

    #[test]
    fn only_requests_older_than_a_leave_find_the_match_left() {
        let (id, other) = (GuestId::fresh().0, GuestId::fresh().0);
        let (id, other) = (MatchId(id), MatchId(other));
        let mut pending = PendingRequests::default();
        let older = pending.start(None);
        let leave = pending.start(Some(id));
        let newer = pending.start(None);
        let left = [older, leave, newer].map(|number| pending.was_left_since(number, id));
        assert_eq!(left, [true, false, false]);
        assert!(!pending.was_left_since(older, other));
        pending.end(leave);
        assert!(pending.was_left_since(older, id), "until it is answered");
        pending.end(older);
        assert!(pending.left.is_empty(), "no older request is pending");
        pending.end(newer);
        assert!(pending.unanswered.is_empty());
    }
}
