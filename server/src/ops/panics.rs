//! What a panic says, for the one line of the log that tells of it. Every task that serves a match or a
//! connection is caught where it is started, so that a fault in it ends nothing else.

use std::any::Any;

#[cfg(test)]
thread_local! {
    /// How many panics were caught on this thread: a simulation must not overlook one.
    pub(crate) static CAUGHT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The words of a panic that was caught.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    #[cfg(test)]
    CAUGHT.set(CAUGHT.get() + 1);
    let words = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    words.or_else(owned).unwrap_or("without words")
}
