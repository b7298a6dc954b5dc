//! The pace of a load: a thread that lets each match make its next ply at its time.
//!
//! A thread and no timers of the runtime: those wake at whole milliseconds, so that several plies
//! would come at once, and the server would look better than at an even pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// The longest sleep of the thread until it looks whether the run has ended.
const SLEEP_MAX: Duration = Duration::from_millis(100);

/// Permits for plies, one semaphore for each match. The thread ends with its last permit or when
/// this is dropped.
pub(crate) struct Pace {
    permits: Vec<Arc<Semaphore>>,
    ended: Arc<AtomicBool>,
}

impl Pace {
    /// Lets `matches` make `plies` each, in turn, at this rate of all together.
    pub(crate) fn start(matches: usize, plies: usize, per_second: f64) -> Self {
        let permits: Vec<_> = (0..matches).map(|_| Arc::new(Semaphore::new(0))).collect();
        let ended = Arc::new(AtomicBool::new(false));
        let pace = Self {
            permits: permits.clone(),
            ended: Arc::clone(&ended),
        };
        std::thread::spawn(move || {
            let start = Instant::now();
            for number in 0..matches * plies {
                let due = start + Duration::from_secs_f64(number as f64 / per_second);
                loop {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let left = due.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    std::thread::sleep(left.min(SLEEP_MAX));
                }
                permits[number % matches].add_permits(1);
            }
        });
        pace
    }

    /// The permits of one match.
    pub(crate) fn of_match(&self, number: usize) -> Arc<Semaphore> {
        Arc::clone(&self.permits[number])
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}
