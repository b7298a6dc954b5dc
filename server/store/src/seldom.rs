//! Warnings that could come many times a second. Each is logged at most once a minute, with the number of
//! those left out before it.

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

    /// Counts a reason to warn. If it is to be logged now, returns how many were left out since the last one.
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
