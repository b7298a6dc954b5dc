//! The seeded scheduler: of all tasks that could go on, the dice say which one does.
//!
//! All tasks of a world are polled here, inside one task of tokio's, which is left the passing
//! of (virtual) time and nothing else. So the order in which tokio wakes those who wait for the
//! same thing, which it decides by dice of its own, has no consequence: whoever was woken stands
//! in an ordered set, and is drawn from there.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::{BoxFuture, poll_fn};
use tokio::time::sleep;

use super::dice::Dice;
use crate::tasks;

/// Turns of all tasks together in one world; a world that needs more spins.
const TURNS_MAX: u64 = 5_000_000;
/// The longest that a thought takes, in milliseconds.
const THOUGHT_MS_MAX: u64 = 400;

/// What a task runs on; a host that crashes takes its tasks with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Host {
    /// People, lines, and the world itself.
    World,
    /// Where the store writes.
    Disk,
    /// A server; a restarted one is another.
    Server(u64),
}

#[derive(Clone)]
pub(super) struct Scheduler(Arc<Mutex<State>>);

struct State {
    tasks: BTreeMap<u64, Task>,
    ready: BTreeSet<u64>,
    dice: Dice,
    style: Style,
    begun: u64,
    turns: u64,
    runner: Waker,
}

struct Task {
    host: Host,
    /// Away while it is polled.
    work: Option<BoxFuture<'static, ()>>,
    waker: Waker,
    /// For [`Style::Unfair`]: the greatest goes first.
    rank: u64,
}

/// How the next task is drawn. Different faults show under each.
enum Style {
    /// Each with the same chance.
    Fair,
    /// By rank, so that some tasks starve as long as others have anything to do; the ranks
    /// change now and then.
    Unfair,
}

struct Alarm {
    task: u64,
    scheduler: Scheduler,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        let mut state = self.scheduler.state();
        state.ready.insert(self.task);
        state.runner.wake_by_ref();
    }
}

impl Scheduler {
    pub(super) fn new(dice: Dice) -> Self {
        let style = if dice.permille(500) {
            Style::Fair
        } else {
            Style::Unfair
        };
        Self(Arc::new(Mutex::new(State {
            tasks: BTreeMap::new(),
            ready: BTreeSet::new(),
            dice,
            style,
            begun: 0,
            turns: 0,
            runner: Waker::noop().clone(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn spawn(&self, host: Host, work: impl Future<Output = ()> + Send + 'static) {
        let mut state = self.state();
        state.begun += 1;
        let task = state.begun;
        let alarm = Alarm {
            task,
            scheduler: self.clone(),
        };
        let rank = state.dice.number(0..=u64::MAX);
        let begun = Task {
            host,
            work: Some(Box::pin(work)),
            waker: Arc::new(alarm).into(),
            rank,
        };
        state.tasks.insert(task, begun);
        state.ready.insert(task);
        state.runner.wake_by_ref();
    }

    /// Lets everything happen until `main` has come to its end; what else runs then is dropped.
    pub(super) async fn run(&self, main: impl Future<Output = ()> + Send + 'static) {
        let (done, mut ended) = tokio::sync::oneshot::channel();
        self.spawn(Host::World, async move {
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
                self.turn(task);
            }
        })
        .await;
        for host in self.hosts() {
            self.kill(host);
        }
    }

    fn turn(&self, task: u64) {
        let taken = {
            let mut state = self.state();
            let found = state.tasks.get_mut(&task);
            found.and_then(|found| Some((found.work.take()?, found.waker.clone())))
        };
        // It has been killed, and was woken before or afterwards.
        let Some((mut work, waker)) = taken else {
            return;
        };
        // What the work drops at its end may come back here: the lock is free.
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
                // It has killed its own host.
                None => {
                    drop(state);
                    drop(work);
                }
            }
        }
    }

    /// Drops all tasks of a host where they stand.
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

    /// How many tasks run on a host.
    pub(super) fn running_on(&self, host: Host) -> usize {
        self.state().on(host).count()
    }

    /// How many turns all tasks have had together.
    pub(super) fn turns(&self) -> u64 {
        self.state().turns
    }

    fn hosts(&self) -> BTreeSet<Host> {
        self.state().tasks.values().map(|task| task.host).collect()
    }

    /// What a server needs to run on this host.
    pub(super) fn host(&self, host: Host, dice: Dice) -> Arc<dyn tasks::Scheduler> {
        Arc::new(Hosted {
            scheduler: self.clone(),
            host,
            dice,
        })
    }
}

impl State {
    fn on(&self, host: Host) -> impl Iterator<Item = u64> {
        let on_it = self.tasks.iter().filter(move |(_, task)| task.host == host);
        on_it.map(|(id, _)| *id)
    }

    fn next(&mut self) -> Option<u64> {
        self.turns += 1;
        assert!(self.turns < TURNS_MAX, "the world spins: {TURNS_MAX} turns");
        if self.ready.is_empty() {
            return None;
        }
        let chosen = match self.style {
            Style::Fair => {
                let place = self.dice.below(self.ready.len());
                self.ready.iter().nth(place).copied()
            }
            Style::Unfair => {
                let rank = |id: &&u64| self.tasks.get(*id).map_or(0, |task| task.rank);
                let chosen = self.ready.iter().max_by_key(rank).copied();
                if self.dice.permille(100)
                    && let Some(task) = chosen.and_then(|id| self.tasks.get_mut(&id))
                {
                    task.rank = self.dice.number(0..=u64::MAX);
                }
                chosen
            }
        }?;
        self.ready.remove(&chosen);
        Some(chosen)
    }
}

/// The scheduler as one server sees it.
struct Hosted {
    scheduler: Scheduler,
    host: Host,
    dice: Dice,
}

impl tasks::Scheduler for Hosted {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.scheduler.spawn(self.host, task);
    }

    fn thinking(&self) -> BoxFuture<'static, ()> {
        Box::pin(sleep(self.dice.mostly_short(THOUGHT_MS_MAX)))
    }
}
