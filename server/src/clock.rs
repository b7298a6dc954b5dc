//! The clock, from which the rest of the server reads the time of day, so that a test can set it,
//! and the timer of a task's loop.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the time of day is read"
)]

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fibfob_protocol::{Timestamp, millis};
use fibfob_store::limits::CORRECTION_LOGGED_FROM;
use fibfob_store::warn_seldom;
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::limits::{HEARTBEAT_EVERY, HEARTBEAT_GAP, LATENESS_PROBED_EVERY, SERVER_LATE_MAX};

/// A source of the time of day. Cheap to clone; clones agree.
#[derive(Clone)]
pub struct Clock(Arc<CorrectedSource>);

struct CorrectedSource {
    source: Source,
    /// The milliseconds by which the clock is set forward, or back.
    correction: AtomicI64,
    probe: Probe,
}

/// The lateness at which the runtime wakes its tasks, as far as it is known.
struct Probe {
    /// The next wake-up, in milliseconds on the clock before its correction.
    due: AtomicU64,
    /// The lateness of the newest one, in milliseconds.
    late: AtomicU64,
}

enum Source {
    Steady(SteadyClock),
    Given(Box<dyn Fn() -> Timestamp + Send + Sync>),
}

/// A clock that is set from the machine's once and then follows its monotonic one, so that nobody is
/// charged for a machine whose clock is set. It stands still while the process does.
struct SteadyClock {
    /// The time that has passed since the clock was made.
    elapsed: Box<dyn Fn() -> Duration + Send + Sync>,
    state: Mutex<SteadyState>,
}

struct SteadyState {
    /// The time at the beginning.
    started: Timestamp,
    /// The newest reading.
    seen: Duration,
    /// The time in which the process stood still.
    lost: Duration,
    /// Whether something reads the clock regularly, so that a gap means that the process stood still.
    is_beating: bool,
}

impl Clock {
    /// The machine's clock, as it is now.
    #[must_use]
    pub fn system() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 is not worth an error path.
        let started = Timestamp(millis(since.unwrap_or_default()));
        let start = std::time::Instant::now();
        Self::steady(started, move || start.elapsed())
    }

    /// A clock that is at `started` now, and follows `elapsed` from there.
    fn steady(started: Timestamp, elapsed: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let state = SteadyState {
            started,
            seen: elapsed(),
            lost: Duration::ZERO,
            is_beating: false,
        };
        Self::of(Source::Steady(SteadyClock {
            elapsed: Box::new(elapsed),
            state: Mutex::new(state),
        }))
    }

    /// A clock whose time is the result of `read`.
    #[must_use]
    pub fn from_fn(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self::of(Source::Given(Box::new(read)))
    }

    fn of(source: Source) -> Self {
        Self(Arc::new(CorrectedSource {
            source,
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
        match &self.0.source {
            Source::Steady(steady) => steady.now(),
            Source::Given(read) => read(),
        }
    }

    fn corrected(&self, read: Timestamp) -> Timestamp {
        let correction = self.0.correction.load(Ordering::Relaxed);
        Timestamp(read.0.saturating_add_signed(correction))
    }

    /// Returns the instant at which what is read now may have arrived: earlier than now by the
    /// lateness of the runtime. No client has a say in it.
    pub(crate) fn arrival(&self) -> Timestamp {
        let (read, probe) = (self.read(), &self.0.probe);
        let overdue = read.0.saturating_sub(probe.due.load(Ordering::Relaxed));
        let late = overdue.max(probe.late.load(Ordering::Relaxed));
        let late = late.min(millis(SERVER_LATE_MAX));
        self.corrected(Timestamp(read.0.saturating_sub(late)))
    }

    /// Measures how late the runtime wakes its tasks, until the result is dropped.
    pub(crate) async fn probe(&self) {
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

    /// Sets the clock by another one, which showed `there` between the instant `asked` of this clock
    /// and now. A clock that is not surely wrong is left as it is.
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
                "this machine's clock differs from the database's, by which all players' time is counted; \
                 keep both set"
            );
        }
        self.0.correction.fetch_add(correction, Ordering::Relaxed);
    }

    /// Reads the clock regularly until the result is dropped, so that a time in which the process
    /// stood still is noticed, and not counted.
    pub(crate) fn beat(&self) -> Heartbeat {
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
        if let Source::Steady(steady) = &self.0.source {
            steady.now();
            steady.state.lock().is_beating = is_beating;
        }
    }
}

impl SteadyClock {
    fn now(&self) -> Timestamp {
        let mut state = self.state.lock();
        // Read under the lock, so that no reading seems older than the one before.
        let elapsed = (self.elapsed)();
        let gap = elapsed.saturating_sub(state.seen);
        state.seen = state.seen.max(elapsed);
        if state.is_beating && gap >= HEARTBEAT_GAP {
            state.lost += gap;
            let seconds = gap.as_secs_f32();
            tracing::warn!(
                seconds,
                "the process stood still; that is charged to nobody"
            );
        }
        let passed = state.seen.saturating_sub(state.lost);
        state.started.after(passed)
    }
}

/// The thread that reads a clock regularly, ended by the drop.
pub(crate) struct Heartbeat {
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

/// The timer of a loop that asks at each turn for the time of its next wake-up. A loop that is
/// woken by messages and only moves that time forward sets no timer of the runtime at most turns.
#[derive(Default)]
pub(crate) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    /// The time at which the runtime's timer wakes this task.
    set: Option<(Instant, Waker)>,
}

impl Timer {
    /// Waits until `then`, or until an earlier time that was asked for before: the caller then
    /// finds nothing due, and asks again. Cancel safe.
    pub(crate) async fn wait(&mut self, then: Instant) {
        poll_fn(|context| self.poll(then, context)).await;
    }

    /// Polls [`Self::wait`].
    pub(crate) fn poll(&mut self, then: Instant, context: &mut Context<'_>) -> Poll<()> {
        if let Some((at, waker)) = &self.set
            && then >= *at
            && waker.will_wake(context.waker())
            && Instant::now() < *at
        {
            return Poll::Pending;
        }
        let sleep = self
            .sleep
            .get_or_insert_with(|| Box::pin(sleep_until(then)));
        if then < sleep.deadline() || sleep.is_elapsed() {
            sleep.as_mut().reset(then);
        }
        let polled = sleep.as_mut().poll(context);
        let at = sleep.deadline();
        self.set = polled.is_pending().then(|| (at, context.waker().clone()));
        polled
    }

    /// Returns the output of `future`, or none if it is not there by `then`.
    pub(crate) async fn limit<T>(
        &mut self,
        then: Instant,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
            while self.poll(then, context).is_ready() {
                if Instant::now() >= then {
                    return Poll::Ready(None);
                }
            }
            Poll::Pending
        })
        .await
    }
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

#[cfg(test)]
mod tests {

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
    fn a_process_that_stood_still_is_charged_to_nobody() {
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
    fn a_clock_is_set_by_another_one_as_far_as_it_is_surely_wrong() {
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
    async fn what_is_read_late_may_have_arrived_earlier_by_as_much_as_the_runtime_is_late() {
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
        let clock = Clock::system();
        let beating = clock.beat();
        let started = clock.now();
        std::thread::sleep(2 * HEARTBEAT_EVERY);
        assert!(clock.now() > started);
        drop(beating);
    }
}
