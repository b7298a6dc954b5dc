//! The clock. The rest of the server reads the time of day from it, so that a test can set it.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the time of day is read"
)]

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fibfob_protocol::Timestamp;

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
