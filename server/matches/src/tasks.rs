//! Starts the server's tasks, and its long computations.
//!
//! Each server has its own. A simulation passes an [`Executor`] that replaces the runtime, so that one seed
//! decides the order of everything.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where tasks are spawned"
)]

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, mpsc};
use std::thread;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

#[cfg(target_os = "linux")]
use crate::limits::LONG_JOB_NICE;

/// The tasks of one server. Cheap to clone; clones are the same tasks.
#[derive(Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    /// Runs the tasks in place of the runtime.
    executor: Option<Arc<dyn Executor>>,
}

/// Lowers the priority of this thread. Other systems than Linux have none for a thread.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Without it, the computation only takes more from the others.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), LONG_JOB_NICE);
}

/// Runs tasks in place of the runtime.
pub trait Executor: Send + Sync {
    /// Runs a task.
    fn spawn(&self, task: BoxFuture<'static, ()>);

    /// Waits as long as a computation would take. The computation itself runs afterwards, at once.
    fn computation(&self) -> BoxFuture<'static, ()>;
}

impl Tasks {
    /// Tasks that run on `executor` in place of the runtime.
    #[must_use]
    pub fn on(executor: Arc<dyn Executor>) -> Self {
        Self {
            tracker: TaskTracker::new(),
            executor: Some(executor),
        }
    }

    /// Runs a task.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        match &self.executor {
            None => drop(self.tracker.spawn(task)),
            Some(executor) => executor.spawn(Box::pin(self.tracker.track_future(task))),
        }
    }

    /// Runs a computation where it blocks no task, and returns its result; none if it panics.
    pub async fn compute<T: Send + 'static>(
        &self,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        match &self.executor {
            None => tokio::task::spawn_blocking(computation).await.ok(),
            Some(executor) => {
                executor.computation().await;
                catch_unwind(AssertUnwindSafe(computation)).ok()
            }
        }
    }

    /// Runs a long computation as [`Self::compute`] does, on a thread of low priority.
    pub async fn compute_behind<T: Send + 'static>(
        &self,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.executor.is_some() {
            return self.compute(computation).await;
        }
        // The thread is not used again, because a lowered priority cannot be raised. The work follows on a channel: if
        // the system has no thread left, the work is still here.
        let (give, work) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let thread = thread::Builder::new().name("long-job".to_owned());
        let spawned = thread.spawn(move || {
            lower_priority();
            if let Ok(work) = work.recv() {
                work();
            }
        });
        let (reply, result) = oneshot::channel();
        let work = move || drop(reply.send(computation()));
        match spawned {
            Ok(_) => drop(give.send(Box::new(work))),
            Err(_) => drop(tokio::task::spawn_blocking(work)),
        }
        result.await.ok()
    }

    /// Runs `work` in a task of its own, and returns the way to its result. What the work holds does not wait for
    /// whoever awaits the result. The work ends when that one drops the result; a panic of it goes on there.
    pub fn apart<T, W>(&self, work: W) -> impl Future<Output = T> + Send + 'static + use<T, W>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let (mut reply, result) = oneshot::channel();
        let work = AssertUnwindSafe(work).catch_unwind();
        let working = async move {
            let done = tokio::select! {
                biased;
                done = work => done,
                () = reply.closed() => return,
            };
            // Dropped at this very moment, it needs no result.
            let _ = reply.send(done);
        };
        self.spawn(working.in_current_span());
        async {
            match result.await {
                Ok(Ok(done)) => done,
                Ok(Err(panic)) => resume_unwind(panic),
                // Only the end of the runtime drops a task before it has answered.
                Err(_) => pending().await,
            }
        }
    }

    /// Waits until all tasks have ended; more can be started meanwhile.
    pub async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;
    use rustix::thread::gettid;

    use super::*;

    #[tokio::test]
    async fn a_long_computation_has_a_low_priority_and_others_keep_theirs() {
        let nice = || getpriority_process(Some(gettid())).unwrap();
        let tasks = Tasks::default();
        assert_eq!(tasks.compute_behind(nice).await, Some(LONG_JOB_NICE));
        assert_eq!(tasks.compute(nice).await, Some(nice()));
        let panics = || -> () { panic!("a test's solver fails") };
        assert_eq!(tasks.compute_behind(panics).await, None);
    }
}
