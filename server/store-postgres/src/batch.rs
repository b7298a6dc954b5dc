//! The choice of the appends that one statement stores: at most one of each match, sorted, and only
//! those that somebody waits for.

use std::collections::{HashSet, VecDeque};

use fibfob_store::QueuedAppend;
use fibfob_store::limits::BATCH_MAX;

/// Takes a batch out of `waiting`, sorted by match, so that two batches of different processes
/// never wait for each other in a circle. A second append of a match stays for a later batch: the
/// database tells which match it has stored, and one answer must not acknowledge two appends.
pub(super) fn take(waiting: &mut VecDeque<QueuedAppend>) -> Vec<QueuedAppend> {
    let mut matches = HashSet::new();
    let mut batch = Vec::new();
    for append in std::mem::take(waiting) {
        if append.reply.is_closed() {
            // Its caller has given up, and may be in here again.
            continue;
        }
        if batch.len() < BATCH_MAX && matches.insert(append.id) {
            batch.push(append);
        } else {
            waiting.push_back(append);
        }
    }
    batch.sort_unstable_by_key(|append| (append.id, append.version));
    batch
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{MatchId, Timestamp, Version};
    use fibfob_store::AppendError;
    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::*;

    type Answer = oneshot::Receiver<Result<(), AppendError>>;

    fn append(id: u128, version: u64) -> (QueuedAppend, Answer) {
        let (reply, answer) = oneshot::channel();
        let append = QueuedAppend {
            id: MatchId(Uuid::from_u128(id)),
            version: Version(version),
            at: Timestamp(0),
            record: String::new(),
            row: None,
            reply,
        };
        (append, answer)
    }

    fn keys(batch: &[QueuedAppend]) -> Vec<(u128, u64)> {
        let key = |append: &QueuedAppend| (append.id.0.as_u128(), append.version.0);
        batch.iter().map(key).collect()
    }

    #[test]
    fn a_batch_is_sorted_and_has_one_append_of_a_match() {
        let queued = [(9, 1), (3, 5), (9, 2), (3, 5), (1, 8)].map(|(id, at)| append(id, at));
        let (appends, _answers): (Vec<_>, Vec<_>) = queued.into_iter().unzip();
        let mut waiting = VecDeque::from(appends);
        assert_eq!(keys(&take(&mut waiting)), [(1, 8), (3, 5), (9, 1)]);
        assert_eq!(keys(&take(&mut waiting)), [(3, 5), (9, 2)]);
        assert!(take(&mut waiting).is_empty());
    }

    #[test]
    fn an_append_that_nobody_waits_for_makes_room_for_the_one_that_came_again() {
        let ((first, given_up), (again, _answer)) = (append(3, 5), append(3, 5));
        drop(given_up);
        let mut waiting = VecDeque::from([first, again]);
        let batch = take(&mut waiting);
        assert_eq!(batch.len(), 1);
        assert!(!batch[0].reply.is_closed());
        assert!(waiting.is_empty());
    }

    #[test]
    fn a_batch_is_bounded_and_the_rest_keeps_its_order() {
        let count = BATCH_MAX as u128 + 2;
        let queued = (0..count).rev().map(|id| append(id, 1));
        let (appends, _answers): (Vec<_>, Vec<_>) = queued.unzip();
        let mut waiting = VecDeque::from(appends);
        assert_eq!(take(&mut waiting).len(), BATCH_MAX);
        let rest: Vec<_> = waiting.iter().map(|append| append.id.0.as_u128()).collect();
        assert_eq!(rest, [1, 0]);
    }
}
