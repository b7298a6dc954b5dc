//! Panics: counted and logged by a hook, and the message of a caught one. Every task that serves a match or
//! a connection is wrapped where it is started, so that a panic in it ends nothing else.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts and logs every panic from now on, where the default writes a text of its own between the
/// lines of the log.
pub fn log_panics() {
    set_hook(Box::new(note));
}

fn note(panic: &PanicHookInfo<'_>) {
    PANICS.fetch_add(1, Ordering::Relaxed);
    let place = panic.location().map(tracing::field::display);
    let text = panic_text(panic.payload());
    tracing::error!(
        place,
        panic = text,
        "a fault of this program: please report it"
    );
}

pub(crate) fn count() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// The message of a caught panic.
pub fn panic_text(panic: &dyn Any) -> &str {
    let message = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    message.or_else(owned).unwrap_or("no message")
}
