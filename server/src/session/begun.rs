//! Requests that have no answer yet, and the matches that were left while they were on their way.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_protocol::MatchId;

/// The unanswered requests of one connection, in the order in which they came.
#[derive(Default)]
pub(super) struct Begun {
    newest: u64,
    unanswered: BTreeSet<u64>,
    /// By which request each match was left last; only while an older one is unanswered.
    left: BTreeMap<MatchId, u64>,
}

impl Begun {
    /// A request begins, which leaves this match or none; its number.
    pub(super) fn start(&mut self, leaves: Option<MatchId>) -> u64 {
        self.newest += 1;
        self.unanswered.insert(self.newest);
        self.left.extend(leaves.map(|id| (id, self.newest)));
        self.newest
    }

    /// Whether the match was left after this request had begun.
    pub(super) fn was_left_since(&self, number: u64, id: MatchId) -> bool {
        self.left.get(&id).is_some_and(|by| *by > number)
    }

    /// The request is answered.
    pub(super) fn end(&mut self, number: u64) {
        self.unanswered.remove(&number);
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
    fn an_older_request_knows_that_its_match_was_left_and_a_newer_one_does_not() {
        let (id, other) = (GuestId::fresh().0, GuestId::fresh().0);
        let (id, other) = (MatchId(id), MatchId(other));
        let mut begun = Begun::default();
        let older = begun.start(None);
        let leave = begun.start(Some(id));
        let newer = begun.start(None);
        let asked = [older, leave, newer].map(|number| begun.was_left_since(number, id));
        assert_eq!(asked, [true, false, false]);
        assert!(!begun.was_left_since(older, other));
        begun.end(leave);
        assert!(begun.was_left_since(older, id), "until it is answered");
        begun.end(older);
        assert!(begun.left.is_empty(), "nothing is kept for nobody");
        begun.end(newer);
        assert!(begun.unanswered.is_empty());
    }
}
