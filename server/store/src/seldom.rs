//! Warnings that could come many times a second: each is logged at most once a minute, with the number
//! of those before it that were not.

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::limits::SELDOM_LOGGED_EVERY;

/// The times of one warning.
#[derive(Debug, Default)]
pub struct Seldom(Mutex<(Option<Instant>, u64)>);

impl Seldom {
    /// A warning that was never logged.
    pub const fn new() -> Self {
        Self(Mutex::new((None, 0)))
    }

    /// Notes that there is a reason to warn. Returns the number of those since the last warning if this
    /// one is to be logged.
    pub fn note(&self) -> Option<u64> {
        let now = Instant::now();
        let mut state = self.0.lock();
        let (logged, unlogged) = &mut *state;
        if logged.is_some_and(|at| now.duration_since(at) < SELDOM_LOGGED_EVERY) {
            *unlogged += 1;
            return None;
        }
        *logged = Some(now);
        Some(std::mem::take(unlogged))
    }
}

/// `tracing::warn!`, at most once a minute for each place in the code.
#[macro_export]
macro_rules! warn_seldom {
    ($($arguments:tt)*) => {{
        static SELDOM: $crate::Seldom = $crate::Seldom::new();
        if let Some(unlogged) = SELDOM.note() {
            tracing::warn!(unlogged, $($arguments)*);
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_warning_is_logged_once_a_minute_with_the_number_of_the_others() {
        let seldom = Seldom::new();
        assert_eq!(seldom.note(), Some(0));
        assert_eq!([seldom.note(), seldom.note()], [None, None]);
        tokio::time::advance(SELDOM_LOGGED_EVERY).await;
        assert_eq!(seldom.note(), Some(2));
        tokio::time::advance(SELDOM_LOGGED_EVERY).await;
        assert_eq!(seldom.note(), Some(0));
    }
}
