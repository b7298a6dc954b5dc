//! The seeded scheduler: of all tasks that are ready, it draws the one that is polled next.
//!
//! All tasks of a run are polled here, inside one task of tokio's, which only advances the
//! (virtual) time. So the order in which tokio wakes tasks that wait for the same event, which it
//! randomises itself, has no effect: woken tasks are in an ordered set and are drawn from there.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::{BoxFuture, poll_fn};
use tokio::time::sleep;

use fibfob_server::Executor;

use crate::seeded_rng::SeededRng;

/// Polls of all tasks together in one run; a run that needs more is a livelock.
const POLLS_MAX: u64 = 5_000_000;
/// The longest duration of a computation, in milliseconds.
const COMPUTATION_MS_MAX: u64 = 400;

/// The host of a task; a host that crashes takes its tasks with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Host {
    /// Clients, connections, and the run itself.
    Harness,
    /// The store's writes for one process.
    Store(usize),
    /// A server; a restarted one is another.
    Server(u64),
}

#[derive(Clone)]
pub(super) struct Scheduler(Arc<Mutex<SchedulerState>>);

struct SchedulerState {
    tasks: BTreeMap<u64, Task>,
    ready: BTreeSet<u64>,
    /// Hosts whose tasks are not polled.
    paused: BTreeSet<Host>,
    rng: SeededRng,
    order: PollOrder,
    started: u64,
    polls: u64,
    runner: Waker,
}

struct Task {
    host: Host,
    /// Away while it is polled.
    work: Option<BoxFuture<'static, ()>>,
    waker: Waker,
    /// For [`PollOrder::Ranked`]: the greatest is polled first.
    rank: u64,
}

/// The way in which the next task is drawn. Each reveals other defects.
enum PollOrder {
    /// Each with the same probability.
    Fair,
    /// By rank, so that some tasks starve as long as others are ready; the ranks change now
    /// and then.
    Ranked,
}

struct TaskWaker {
    task: u64,
    scheduler: Scheduler,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        let mut state = self.scheduler.state();
        state.ready.insert(self.task);
        state.runner.wake_by_ref();
    }
}

impl Scheduler {
    pub(super) fn new(rng: SeededRng) -> Self {
        let order = if rng.permille(500) {
            PollOrder::Fair
        } else {
            PollOrder::Ranked
        };
        Self(Arc::new(Mutex::new(SchedulerState {
            tasks: BTreeMap::new(),
            ready: BTreeSet::new(),
            paused: BTreeSet::new(),
            rng,
            order,
            started: 0,
            polls: 0,
            runner: Waker::noop().clone(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, SchedulerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn spawn(&self, host: Host, work: impl Future<Output = ()> + Send + 'static) {
        let mut state = self.state();
        state.started += 1;
        let id = state.started;
        let waker = TaskWaker {
            task: id,
            scheduler: self.clone(),
        };
        let rank = state.rng.number(0..=u64::MAX);
        let task = Task {
            host,
            work: Some(Box::pin(work)),
            waker: Arc::new(waker).into(),
            rank,
        };
        state.tasks.insert(id, task);
        state.ready.insert(id);
        state.runner.wake_by_ref();
    }

    /// Polls all tasks until `main` has ended; the other ones are dropped then.
    pub(super) async fn run(&self, main: impl Future<Output = ()> + Send + 'static) {
        let (done, mut ended) = tokio::sync::oneshot::channel();
        self.spawn(Host::Harness, async move {
            main.await;
            let _ = done.send(());
        });
        poll_fn(|context| {
            self.state().runner.clone_from(context.waker());
            loop {
                if ended.try_recv().is_ok() {
                    return Poll::Ready(());
                }
                let Some(task) = self.state().next() else {
                    return Poll::Pending;
                };
                self.poll(task);
            }
        })
        .await;
        for host in self.hosts() {
            self.kill(host);
        }
    }

    fn poll(&self, task: u64) {
        let taken = {
            let mut state = self.state();
            let found = state.tasks.get_mut(&task);
            found.and_then(|found| Some((found.work.take()?, found.waker.clone())))
        };
        // It was killed, and woken before or afterwards.
        let Some((mut work, waker)) = taken else {
            return;
        };
        // Dropping the work may come back here: the lock is free.
        if work
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
        {
            drop(work);
            self.state().tasks.remove(&task);
        } else {
            let mut state = self.state();
            match state.tasks.get_mut(&task) {
                Some(found) => found.work = Some(work),
                // It killed its own host.
                None => {
                    drop(state);
                    drop(work);
                }
            }
        }
    }

    /// Drops all tasks of a host, each at the point that it has reached.
    pub(super) fn kill(&self, host: Host) {
        let dead: Vec<Task> = {
            let mut state = self.state();
            let dead: Vec<u64> = state.on(host).collect();
            dead.iter()
                .filter_map(|task| state.tasks.remove(task))
                .collect()
        };
        drop(dead);
    }

    /// Returns the number of tasks on a host.
    pub(super) fn running_on(&self, host: Host) -> usize {
        self.state().on(host).count()
    }

    /// Returns the number of polls of all tasks.
    pub(super) fn polls(&self) -> u64 {
        self.state().polls
    }

    fn hosts(&self) -> BTreeSet<Host> {
        self.state().tasks.values().map(|task| task.host).collect()
    }

    /// Pauses or continues a host: the time goes on, and its tasks do not.
    pub(super) fn pause(&self, host: Host, paused: bool) {
        let mut state = self.state();
        if paused {
            state.paused.insert(host);
        } else {
            state.paused.remove(&host);
        }
        state.runner.wake_by_ref();
    }

    /// Returns the executor of a server on this host.
    pub(super) fn executor(&self, host: Host, rng: SeededRng) -> Arc<dyn Executor> {
        Arc::new(HostExecutor {
            scheduler: self.clone(),
            host,
            rng,
        })
    }
}

impl SchedulerState {
    fn on(&self, host: Host) -> impl Iterator<Item = u64> {
        let on_it = self.tasks.iter().filter(move |(_, task)| task.host == host);
        on_it.map(|(id, _)| *id)
    }

    fn may_run(&self, id: u64) -> bool {
        let task = self.tasks.get(&id);
        task.is_none_or(|task| !self.paused.contains(&task.host))
    }

    fn next(&mut self) -> Option<u64> {
        self.polls += 1;
        assert!(self.polls < POLLS_MAX, "a livelock: {POLLS_MAX} polls");
        let ready: Vec<u64> = match self.paused.is_empty() {
            true => self.ready.iter().copied().collect(),
            false => self
                .ready
                .iter()
                .copied()
                .filter(|id| self.may_run(*id))
                .collect(),
        };
        if ready.is_empty() {
            return None;
        }
        let chosen = match self.order {
            PollOrder::Fair => Some(ready[self.rng.below(ready.len())]),
            PollOrder::Ranked => {
                let rank = |id: &u64| self.tasks.get(id).map_or(0, |task| task.rank);
                let chosen = ready.iter().copied().max_by_key(rank);
                if self.rng.permille(100)
                    && let Some(task) = chosen.and_then(|id| self.tasks.get_mut(&id))
                {
                    task.rank = self.rng.number(0..=u64::MAX);
                }
                chosen
            }
        }?;
        self.ready.remove(&chosen);
        Some(chosen)
    }
}

/// The executor of one server.
struct HostExecutor {
    scheduler: Scheduler,
    host: Host,
    rng: SeededRng,
}

impl Executor for HostExecutor {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.scheduler.spawn(self.host, task);
    }

    fn computation(&self) -> BoxFuture<'static, ()> {
        Box::pin(sleep(self.rng.mostly_short(COMPUTATION_MS_MAX)))
    }
}
