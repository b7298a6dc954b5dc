//! The clock, from which the rest of the server reads the time of day, so that a test can set it,
//! and the timer of a task's loop.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the time of day is read"
)]

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fibfob_protocol::Timestamp;
use tokio::time::{Instant, Sleep, sleep_until};

/// A source of the time of day. Cheap to clone; clones agree.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::from_fn(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            // A clock before 1970 is not worth an error path.
            let millis = since.unwrap_or_default().as_millis();
            Timestamp(u64::try_from(millis).unwrap_or(u64::MAX))
        })
    }

    /// A clock whose time is the result of `read`.
    #[must_use]
    pub fn from_fn(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns the time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }

    /// Returns the duration until `then`, zero if it has passed.
    #[must_use]
    pub fn until(&self, then: Timestamp) -> Duration {
        Duration::from_millis(then.0.saturating_sub(self.now().0))
    }
}

/// The timer of a loop that asks at each turn for the time of its next wake-up. A loop that is
/// woken by messages and only moves that time forward sets no timer of the runtime at most turns.
#[derive(Default)]
pub(crate) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Waits until `then`, or until an earlier time that was asked for before: the caller then
    /// finds nothing due, and asks again. Cancel safe.
    pub(crate) async fn wait(&mut self, then: Instant) {
        poll_fn(|context| self.poll(then, context)).await;
    }

    /// Polls [`Self::wait`].
    pub(crate) fn poll(&mut self, then: Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(then)));
        if then < sleep.deadline() || sleep.is_elapsed() {
            sleep.as_mut().reset(then);
        }
        sleep.as_mut().poll(context)
    }
}

/// Returns the time `by` after `from`.
#[must_use]
pub(crate) fn later(from: Timestamp, by: Duration) -> Timestamp {
    Timestamp(from.0.saturating_add(millis(by)))
}

/// Converts a duration to milliseconds, the unit of the wire.
#[must_use]
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
