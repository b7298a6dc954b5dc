//! Whether a source may have something. When something else wakes a session, the session does not touch its
//! socket and the layers in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Whether a look at one source may find something.
pub(super) struct Readiness(Arc<ReadinessFlag>);

struct ReadinessFlag {
    may_be_ready: AtomicBool,
    /// The task that looks at it.
    task: AtomicWaker,
}

impl Wake for ReadinessFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.may_be_ready.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl Readiness {
    /// The readiness of a source at which nobody has looked.
    pub(super) fn new() -> Self {
        Self(Arc::new(ReadinessFlag {
            may_be_ready: AtomicBool::new(true),
            task: AtomicWaker::new(),
        }))
    }

    /// Polls the source by `look`, unless it was pending and has not woken its task since.
    pub(super) fn poll<T>(
        &self,
        context: &mut Context<'_>,
        look: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if !self.0.may_be_ready.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        // Both before the look, so that no wake-up is missed.
        self.0.task.register(context.waker());
        self.0.may_be_ready.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&self.0));
        let found = look(&mut Context::from_waker(&waker));
        if found.is_ready() {
            self.0.may_be_ready.store(true, Ordering::Release);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use futures_util::task::noop_waker_ref;

    use super::*;

    /// Counts the wake-ups of a task.
    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_source_is_looked_at_again_only_after_it_has_woken_its_task() {
        let wakes = Arc::new(Wakes::default());
        let task = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&task);
        let readiness = Readiness::new();
        let mut source = noop_waker_ref().clone();
        let mut looks = 0;

        for _ in 0..3 {
            let found = readiness.poll(&mut context, |context| {
                source = context.waker().clone();
                looks += 1;
                Poll::<()>::Pending
            });
            assert!(found.is_pending());
        }
        assert_eq!(looks, 1);

        source.wake_by_ref();
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
        for _ in 0..2 {
            let found = readiness.poll(&mut context, |_| {
                looks += 1;
                Poll::Ready(())
            });
            assert!(found.is_ready(), "until there is nothing left");
        }
        assert_eq!(looks, 3);
    }

    #[test]
    fn a_wake_up_during_a_look_leads_to_another_one() {
        let readiness = Readiness::new();
        let mut context = Context::from_waker(noop_waker_ref());
        let found = readiness.poll(&mut context, |context| {
            context.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        assert!(found.is_pending());
        assert!(readiness.poll(&mut context, |_| Poll::Ready(())).is_ready());
    }
}
