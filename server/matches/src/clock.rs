//! The clock of the whole server, which a test can set, and the timer of a task's loop.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the time of day is read"
)]

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fibfob_protocol::{Timestamp, millis};
use fibfob_store::limits::CORRECTION_LOGGED_FROM;
use fibfob_store::warn_seldom;
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::limits::{HEARTBEAT_EVERY, HEARTBEAT_GAP, LATENESS_PROBED_EVERY, SERVER_LATE_MAX};

/// A source of the time of day. Cheap to clone; clones agree.
///
/// It stops while the process does not run.
#[derive(Clone)]
pub struct Clock(Arc<CorrectedSource>);

struct CorrectedSource {
    /// The time at the beginning.
    started: Timestamp,
    /// Returns the time that has passed since then.
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    readings: Mutex<Readings>,
    /// The milliseconds by which the clock is set forward or back.
    correction: AtomicI64,
    probe: Probe,
}

#[derive(Default)]
struct Readings {
    /// The newest one.
    seen: Duration,
    /// The time in which the process did not run.
    lost: Duration,
    /// Whether something reads the clock regularly. Only then a gap means that the process did not run.
    is_beating: bool,
}

/// The delay with which the runtime wakes its tasks, as last measured.
struct Probe {
    /// The next wake-up, in milliseconds on the clock before its correction.
    due: AtomicU64,
    /// The delay of the newest wake-up, in milliseconds.
    late: AtomicU64,
}

impl Clock {
    /// Makes a clock that follows `read`; while it beats, gaps are left out.
    #[must_use]
    pub fn from_fn(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self::steady(Timestamp(0), move || Duration::from_millis(read().0))
    }

    /// Makes a clock that is at `started` now, and follows `elapsed` from there.
    fn steady(started: Timestamp, elapsed: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(CorrectedSource {
            started,
            elapsed: Box::new(elapsed),
            readings: Mutex::default(),
            correction: AtomicI64::new(0),
            probe: Probe {
                due: AtomicU64::new(u64::MAX),
                late: AtomicU64::new(0),
            },
        }))
    }

    /// Returns the time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.corrected(self.read())
    }

    fn read(&self) -> Timestamp {
        let mut readings = self.0.readings.lock();
        // Read under the lock, so that no reading seems older than the one before.
        let elapsed = (self.0.elapsed)();
        let gap = elapsed.saturating_sub(readings.seen);
        readings.seen = elapsed;
        if readings.is_beating && gap >= HEARTBEAT_GAP {
            readings.lost += gap;
            let seconds = gap.as_secs_f32();
            tracing::warn!(
                seconds,
                "the process did not run for a while; no player's clock counts that time"
            );
        }
        self.0.started.after(elapsed.saturating_sub(readings.lost))
    }

    fn corrected(&self, read: Timestamp) -> Timestamp {
        let correction = self.0.correction.load(Ordering::Relaxed);
        Timestamp(read.0.saturating_add_signed(correction))
    }

    /// Returns when a message that is read now may have arrived: now, less the runtime's delay. Clients
    /// cannot influence it.
    pub fn arrival(&self) -> Timestamp {
        let (read, probe) = (self.read(), &self.0.probe);
        let overdue = read.0.saturating_sub(probe.due.load(Ordering::Relaxed));
        let late = overdue.max(probe.late.load(Ordering::Relaxed));
        let late = late.min(millis(SERVER_LATE_MAX));
        self.corrected(Timestamp(read.0.saturating_sub(late)))
    }

    /// Measures how late the runtime wakes its tasks, until the result is dropped.
    pub async fn probe(&self) {
        let probe = &self.0.probe;
        loop {
            let due = self.read().after(LATENESS_PROBED_EVERY);
            probe.due.store(due.0, Ordering::Relaxed);
            sleep(LATENESS_PROBED_EVERY).await;
            let late = self.read().0.saturating_sub(due.0);
            probe.late.store(late, Ordering::Relaxed);
        }
    }

    /// Returns the duration until `then`, zero if it has passed.
    #[must_use]
    pub fn until(&self, then: Timestamp) -> Duration {
        Duration::from_millis(then.0.saturating_sub(self.now().0))
    }

    /// Corrects the clock by another one, which showed `there` at some instant between `asked` and now.
    /// Changes nothing unless this clock is surely wrong.
    pub(crate) fn follow(&self, asked: Timestamp, there: Timestamp) {
        let now = self.now();
        let ahead = i64::try_from(asked.0.saturating_sub(there.0)).unwrap_or(i64::MAX);
        let behind = i64::try_from(there.0.saturating_sub(now.0)).unwrap_or(i64::MAX);
        let correction = behind - ahead;
        if correction == 0 {
            return;
        }
        if correction.unsigned_abs() >= millis(CORRECTION_LOGGED_FROM) {
            let milliseconds = correction;
            warn_seldom!(
                milliseconds,
                "this machine's clock differs from the database's, which counts all players' time; \
                 synchronise both"
            );
        }
        self.0.correction.fetch_add(correction, Ordering::Relaxed);
    }

    /// Reads the clock regularly until the result is dropped. So a time in which the process did not run is
    /// noticed, and not counted.
    pub fn beat(&self) -> Heartbeat {
        let stopped = Arc::new(AtomicBool::new(false));
        let (clock, stop) = (self.clone(), Arc::clone(&stopped));
        clock.set_beating(true);
        let thread = std::thread::Builder::new().name("clock".to_owned());
        let thread = thread.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let _ = clock.now();
                std::thread::park_timeout(HEARTBEAT_EVERY);
            }
            clock.set_beating(false);
        });
        Heartbeat {
            stopped,
            thread: Some(thread.expect("a starting server may have one more thread")),
        }
    }

    fn set_beating(&self, is_beating: bool) {
        self.read();
        self.0.readings.lock().is_beating = is_beating;
    }
}

/// The thread that reads a clock regularly. Dropping this ends it.
pub struct Heartbeat {
    stopped: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It reads a clock and nothing else, so that it cannot panic.
            let _ = thread.join();
        }
    }
}

/// The timer of a loop that asks for its next wake-up at each turn. While that time only moves forward, most
/// turns set no timer of the runtime.
#[derive(Default)]
pub struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Waits until `then`, or until an earlier time of a previous call; the caller then finds nothing due and
    /// asks again. Cancel safe.
    pub async fn wait(&mut self, then: Instant) {
        poll_fn(|context| self.poll(then, context)).await;
    }

    /// Polls [`Self::wait`].
    pub fn poll(&mut self, then: Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(then)));
        if then < sleep.deadline() || sleep.is_elapsed() {
            sleep.as_mut().reset(then);
        }
        sleep.as_mut().poll(context)
    }
}

impl Default for Clock {
    /// Starts from the machine's clock and follows the monotonic one. So no player is charged when the
    /// machine's clock is set.
    fn default() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 is not worth an error path.
        let started = Timestamp(millis(since.unwrap_or_default()));
        let start = std::time::Instant::now();
        Self::steady(started, move || start.elapsed())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    const BEGUN: Timestamp = Timestamp(1_000_000);

    fn clock() -> (Clock, impl Fn(Duration)) {
        let elapsed = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&elapsed);
        let clock = Clock::steady(BEGUN, move || {
            Duration::from_millis(read.load(Ordering::SeqCst))
        });
        (clock, move |by| {
            elapsed.fetch_add(millis(by), Ordering::SeqCst);
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_fires_at_its_time_however_often_it_is_polled_before() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut timer = Timer::default();
        let mut poll = async |then| poll_fn(|context| Poll::Ready(timer.poll(then, context))).await;
        assert!(poll(at(10)).await.is_pending());
        assert!(poll(at(10)).await.is_pending());
        assert!(poll(at(20)).await.is_pending(), "a later time");
        assert!(poll(at(5)).await.is_pending(), "an earlier one");
        tokio::time::advance(Duration::from_secs(5)).await;
        assert!(poll(at(5)).await.is_ready());
        timer.wait(at(8)).await;
        assert_eq!(Instant::now(), at(8), "the runtime's timer was set again");
    }

    #[test]
    fn time_in_which_the_process_did_not_run_is_charged_to_nobody() {
        let (clock, pass) = clock();
        clock.set_beating(true);
        for _ in 0..40 {
            pass(HEARTBEAT_EVERY);
            let _ = clock.now();
        }
        let before = clock.now();
        assert_eq!(before, BEGUN.after(40 * HEARTBEAT_EVERY));
        pass(Duration::from_secs(9));
        assert_eq!(clock.now(), before, "also for the reading that finds it");
        pass(HEARTBEAT_EVERY);
        assert_eq!(clock.now(), before.after(HEARTBEAT_EVERY));
    }

    #[test]
    fn without_a_heartbeat_a_gap_means_nothing() {
        let (clock, pass) = clock();
        pass(Duration::from_secs(9));
        assert_eq!(clock.now(), BEGUN.after(Duration::from_secs(9)));
    }

    #[test]
    fn a_clock_is_corrected_only_as_far_as_it_is_surely_wrong() {
        let (clock, pass) = clock();
        let asked = clock.now();
        pass(Duration::from_secs(2));
        for there in [BEGUN, BEGUN.after(Duration::from_secs(2))] {
            clock.follow(asked, there);
            assert_eq!(clock.now().0, BEGUN.0 + 2_000, "it may be right");
        }
        clock.follow(asked, Timestamp(BEGUN.0 - 300));
        assert_eq!(clock.now().0, BEGUN.0 + 1_700, "it was ahead");
        clock.follow(clock.now(), Timestamp(8_000_000));
        assert_eq!(clock.now(), Timestamp(8_000_000), "it was behind");
        pass(Duration::from_secs(2));
        assert_eq!(clock.now(), Timestamp(8_002_000));
    }

    #[tokio::test(start_paused = true)]
    async fn arrival_time_is_corrected_by_the_runtimes_delay() {
        let start = Instant::now();
        let clock = Clock::steady(BEGUN, move || start.elapsed());
        let late = || clock.now().0 - clock.arrival().0;
        assert_eq!(late(), 0, "nothing is known");
        let mut probing = pin!(clock.probe());
        let mut probe = async || {
            let polled = poll_fn(|context| Poll::Ready(probing.as_mut().poll(context))).await;
            assert!(polled.is_pending());
        };
        probe().await;
        tokio::time::sleep(LATENESS_PROBED_EVERY).await;
        assert_eq!(late(), 0);
        probe().await;
        let stall = Duration::from_secs(2);
        tokio::time::advance(LATENESS_PROBED_EVERY + stall).await;
        assert_eq!(late(), millis(stall), "the probe is overdue");
        probe().await;
        assert_eq!(late(), millis(stall), "it was");
        tokio::time::sleep(LATENESS_PROBED_EVERY).await;
        probe().await;
        assert_eq!(late(), 0, "it is on time again");
        tokio::time::advance(2 * SERVER_LATE_MAX).await;
        assert_eq!(late(), millis(SERVER_LATE_MAX), "no more is believed");
    }

    #[test]
    fn a_beating_clock_of_the_machine_goes_on() {
        let clock = Clock::default();
        let beating = clock.beat();
        let started = clock.now();
        std::thread::sleep(2 * HEARTBEAT_EVERY);
        assert!(clock.now() > started);
        drop(beating);
    }
}
