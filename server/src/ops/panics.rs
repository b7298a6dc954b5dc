//! The message of a caught panic, for the log. Every task that serves a match or a connection is
//! wrapped where it is started, so that a panic in it ends nothing else.

use std::any::Any;

/// The message of a caught panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let message = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    message.or_else(owned).unwrap_or("no message")
}
