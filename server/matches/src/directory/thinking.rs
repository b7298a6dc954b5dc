//! Computations off the runtime: for bots, and for questions. Questions take neither the bots' time nor each
//! other's.

use std::sync::Arc;

use fibfob_net::address_guard::AddressAccount;
use fibfob_net::turns::TurnOffer;
use fibfob_protocol::{Refusal, Review};
use fibfob_store::QueueFill;
use tokio::time::Instant;

use super::Directory;
use crate::feed::Inspection;
use crate::limits::{COMPUTATIONS_MAX, QUESTIONS_MAX};

impl Directory {
    /// Answers a question off the runtime when it is its address's turn, and charges the time that it takes.
    ///
    /// # Errors
    /// `Busy` if too many questions of the address wait; `Unavailable` if the computation panics.
    pub async fn answer<T: Send + 'static>(
        &self,
        asker: &AddressAccount,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = match self.questions.take(asker.address()) {
            TurnOffer::Now(turn) => turn,
            TurnOffer::Later(turn) => turn.await.map_err(|_| Refusal::Unavailable)?,
            TurnOffer::Full => return Err(Refusal::Busy),
        };
        self.env.metrics.computed();
        let asker = asker.clone();
        let computed = self.env.tasks.compute(move || {
            let start = Instant::now();
            let result = computation();
            // Charged even if the asker has gone meanwhile.
            asker.computed(start.elapsed(), Instant::now());
            drop(turn);
            result
        });
        computed.await.ok_or(Refusal::Unavailable)
    }

    /// Returns the review of this match, computed once for each version.
    ///
    /// # Errors
    /// As [`Self::answer`] and [`Match::review`](fibfob_protocol::Match::review).
    pub async fn review(
        &self,
        asker: &AddressAccount,
        inspected: Inspection,
    ) -> Result<Arc<Review>, Refusal> {
        let place = (inspected.current.id(), inspected.current.version());
        let make = || async {
            let review = self.answer(asker, move || inspected.current.review(&inspected.records));
            review.await?.map(Arc::new)
        };
        self.reviews.of(place, make).await
    }

    /// Runs a bot's computation off the runtime, within the bound on concurrent ones; none if it
    /// panics.
    pub async fn compute<T: Send + 'static>(
        &self,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.computing).acquire_owned().await.ok()?;
        let computed = self.env.tasks.compute(move || {
            let _permit = permit;
            computation()
        });
        computed.await
    }

    /// Returns the queue of computations, of bots and of questions.
    pub fn computations(&self) -> QueueFill {
        let bots = COMPUTATIONS_MAX.saturating_sub(self.computing.available_permits());
        QueueFill {
            length: bots + self.questions.busy(),
            capacity: COMPUTATIONS_MAX + QUESTIONS_MAX,
        }
    }
}
