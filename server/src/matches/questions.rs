//! The computations for questions: one at a time, in turn for each address, so that they take
//! neither the bots' time nor each other's; and the reviews of matches that were asked for lately.
//!
//! Bots have permits of their own. A question that waits costs only the one who asked it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{MatchId, Refusal, Review, Version};
use tokio::sync::{OnceCell, oneshot};

use crate::limits::{QUESTIONS_MAX, QUESTIONS_WAITING_MAX, REVIEWS_KEPT};
use crate::net::client_address::ClientAddress;

/// The turns of those who ask.
#[derive(Default)]
pub(super) struct QuestionTurns {
    state: Mutex<TurnState>,
}

#[derive(Default)]
struct TurnState {
    busy: usize,
    /// The addresses that wait, each once, in the order of their next turns.
    order: VecDeque<ClientAddress>,
    waiting: HashMap<ClientAddress, VecDeque<oneshot::Sender<Turn>>>,
}

/// The right to compute an answer, until this is dropped.
pub(super) struct Turn(Option<Arc<QuestionTurns>>);

impl QuestionTurns {
    /// Waits for the next turn of this address, or of the widest network that it is counted in.
    ///
    /// # Errors
    /// `Busy`, if too many questions of the address wait.
    pub(super) async fn next(self: &Arc<Self>, address: ClientAddress) -> Result<Turn, Refusal> {
        let address = address.widest();
        let turn = {
            let mut state = self.state();
            if state.busy < QUESTIONS_MAX {
                state.busy += 1;
                return Ok(Turn(Some(Arc::clone(self))));
            }
            let waiting = state.waiting.entry(address).or_default();
            if waiting.len() >= QUESTIONS_WAITING_MAX {
                return Err(Refusal::Busy);
            }
            let (sender, turn) = oneshot::channel();
            waiting.push_back(sender);
            if waiting.len() == 1 {
                state.order.push_back(address);
            }
            turn
        };
        turn.await.map_err(|_| Refusal::Unavailable)
    }

    /// The computations under way.
    pub(super) fn busy(&self) -> usize {
        self.state().busy
    }

    fn pass_on(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state();
                let Some(address) = state.order.pop_front() else {
                    state.busy -= 1;
                    return;
                };
                let waiting = state.waiting.entry(address).or_default();
                let next = waiting.pop_front();
                if waiting.is_empty() {
                    state.waiting.remove(&address);
                } else {
                    state.order.push_back(address);
                }
                next
            };
            let turn = Turn(Some(Arc::clone(self)));
            match next.map(|next| next.send(turn)) {
                // Who asked has gone; the turn is the next one's, and not passed on by its own end.
                Some(Err(mut turn)) => turn.0 = None,
                Some(Ok(())) => return,
                None => {}
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        // Every change is complete before anything in it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

/// A review that is computed once, by the first who asks; the others wait for it.
pub(super) type SharedReview = Arc<OnceCell<Arc<Review>>>;

/// The newest reviews, so that one is computed once for each version of a match.
#[derive(Default)]
pub(super) struct Reviews(Mutex<VecDeque<(MatchId, Version, SharedReview)>>);

impl Reviews {
    /// The review of a match at this version, kept in place of the one that was not asked for the
    /// longest.
    pub(super) fn of(&self, id: MatchId, version: Version) -> SharedReview {
        let mut kept = self.kept();
        let is_it = |found: &(MatchId, Version, _)| (found.0, found.1) == (id, version);
        let place = kept.iter().position(is_it);
        let found = place.and_then(|place| kept.remove(place));
        let found = found.unwrap_or_else(|| (id, version, SharedReview::default()));
        let review = Arc::clone(&found.2);
        kept.push_back(found);
        while kept.len() > REVIEWS_KEPT {
            kept.pop_front();
        }
        review
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(MatchId, Version, SharedReview)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use fibfob_protocol::GuestId;
    use futures_util::FutureExt;

    use super::*;

    fn address(last: u8) -> ClientAddress {
        IpAddr::from([192, 0, 2, last]).into()
    }

    #[tokio::test]
    async fn addresses_take_turns_however_many_questions_one_of_them_asks() {
        let turns = Arc::new(QuestionTurns::default());
        let under_way = turns.next(address(1)).await.unwrap();
        let mut greedy: Vec<_> = (0..QUESTIONS_WAITING_MAX)
            .map(|_| Box::pin(turns.next(address(1))))
            .collect();
        assert!(greedy.iter_mut().all(|turn| turn.now_or_never().is_none()));
        let mut one_more = Box::pin(turns.next(address(1)));
        assert_eq!(
            one_more.as_mut().now_or_never().unwrap().err(),
            Some(Refusal::Busy)
        );
        let mut modest = Box::pin(turns.next(address(2)));
        assert!(modest.as_mut().now_or_never().is_none());
        drop(under_way);
        let first = greedy[0].as_mut().now_or_never().unwrap().ok().unwrap();
        assert!(greedy[1].as_mut().now_or_never().is_none());
        drop(first);
        let second = modest.as_mut().now_or_never().unwrap().ok().unwrap();
        // Who has gone takes no turn.
        drop(greedy);
        drop(second);
        assert_eq!(turns.busy(), 0);
        assert!(turns.next(address(1)).now_or_never().unwrap().is_ok());
        assert_eq!(turns.busy(), 0);
    }

    #[test]
    fn the_newest_reviews_are_kept() {
        let reviews = Reviews::default();
        let ids: Vec<_> = (0..=REVIEWS_KEPT)
            .map(|_| MatchId(GuestId::fresh().0))
            .collect();
        let is_computed = |id, version| reviews.of(id, Version(version)).initialized();
        for id in &ids {
            let review = Arc::new(Review { plies: Vec::new() });
            reviews.of(*id, Version(3)).set(review).unwrap();
            assert!(is_computed(ids[0], 3), "it is asked for");
        }
        assert!(is_computed(ids[2], 3) && !is_computed(ids[2], 4));
        assert!(!is_computed(ids[1], 3), "others took its place");
    }
}
