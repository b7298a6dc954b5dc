//! What a panic says, for the one line of the log that tells of it. Every task that serves a match or a
//! connection is caught where it is started, so that a fault in it ends nothing else.

use std::any::Any;

/// The words of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let words = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    words.or_else(owned).unwrap_or("without words")
}
