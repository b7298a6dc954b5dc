//! The message of a caught panic, for the log. Every task that serves a match or a connection is
//! wrapped where it is started, so that a panic in it ends nothing else.

use std::any::Any;

#[cfg(test)]
thread_local! {
    /// The number of panics caught on this thread, which a simulation must not overlook.
    pub(crate) static CAUGHT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The message of a caught panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    #[cfg(test)]
    CAUGHT.set(CAUGHT.get() + 1);
    let message = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    message.or_else(owned).unwrap_or("no message")
}
