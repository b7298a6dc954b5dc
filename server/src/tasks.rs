//! Where the server's own work runs: its tasks, and thoughts that take the processor.
//!
//! A server has one of these. A simulation puts its own scheduler in the runtime's place, so
//! that one seed decides the order of everything.

use std::future::Future;

use tokio_util::task::TaskTracker;

#[cfg(test)]
use futures_util::future::BoxFuture;
#[cfg(test)]
use std::sync::Arc;

/// The running tasks of one server. Cheap to clone; clones are the same tasks.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    place: Place,
}

#[derive(Clone, Default)]
enum Place {
    #[default]
    Runtime,
    #[cfg(test)]
    Simulation(Arc<dyn Scheduler>),
}

/// What a simulation runs tasks on.
#[cfg(test)]
pub(crate) trait Scheduler: Send + Sync {
    /// Runs a task.
    fn spawn(&self, task: BoxFuture<'static, ()>);
    /// As long as a thought takes; it is thought afterwards, where it was asked for.
    fn thinking(&self) -> BoxFuture<'static, ()>;
}

impl Tasks {
    /// Tasks that run on `scheduler`.
    #[cfg(test)]
    pub(crate) fn simulated(scheduler: Arc<dyn Scheduler>) -> Self {
        Self {
            tracker: TaskTracker::new(),
            place: Place::Simulation(scheduler),
        }
    }

    /// Runs a task.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        match &self.place {
            Place::Runtime => drop(self.tracker.spawn(task)),
            #[cfg(test)]
            Place::Simulation(scheduler) => {
                scheduler.spawn(Box::pin(self.tracker.track_future(task)));
            }
        }
    }

    /// What a thought comes to, thought where it keeps no task waiting. None if it panics.
    pub(crate) async fn think<T: Send + 'static>(
        &self,
        thought: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match &self.place {
            Place::Runtime => tokio::task::spawn_blocking(thought).await.ok(),
            #[cfg(test)]
            Place::Simulation(scheduler) => {
                scheduler.thinking().await;
                Some(thought())
            }
        }
    }

    /// Waits until all tasks have ended; more can be begun meanwhile.
    pub(crate) async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}
