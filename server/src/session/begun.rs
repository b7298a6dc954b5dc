//! Requests that have no answer yet, and the matches that were left while they were on their way.

use std::collections::BTreeSet;

use fibfob_protocol::MatchId;

/// The unanswered requests of one connection, by the order in which they came.
#[derive(Default)]
pub(super) struct Begun {
    newest: u64,
    unanswered: BTreeSet<u64>,
    /// Matches that were left, and by which request; only as long as an older one is unanswered.
    left: Vec<(MatchId, u64)>,
}

impl Begun {
    /// The number of the next request.
    pub(super) fn start(&mut self) -> u64 {
        self.newest += 1;
        self.unanswered.insert(self.newest);
        self.newest
    }

    /// The request that comes next leaves this match.
    pub(super) fn leave(&mut self, id: MatchId) {
        self.left.push((id, self.newest + 1));
    }

    /// Request `number` has its answer; was the match left since it came?
    pub(super) fn finish(&mut self, number: u64, id: Option<MatchId>) -> bool {
        self.unanswered.remove(&number);
        let left = self.left.iter();
        let was_left = left
            .filter(|(left, _)| Some(*left) == id)
            .any(|(_, by)| *by > number);
        let oldest = self.unanswered.first().copied();
        self.left
            .retain(|(_, by)| oldest.is_some_and(|oldest| oldest < *by));
        was_left
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::GuestId;

    use super::*;

    #[test]
    fn who_leaves_does_not_come_back_by_an_older_request_but_by_a_newer_one() {
        let id = MatchId(GuestId::fresh().0);
        let mut begun = Begun::default();
        let older = begun.start();
        begun.leave(id);
        let leave = begun.start();
        let newer = begun.start();
        assert!(!begun.finish(leave, Some(id)));
        assert!(!begun.finish(newer, Some(id)));
        assert!(begun.finish(older, Some(id)));
        assert!(begun.left.is_empty(), "nothing is kept for nobody");
    }
}
