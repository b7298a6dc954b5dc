//! Counts and logs panics by a hook, and reads the message of a caught one. Every task that serves a match or
//! a connection is wrapped where it starts, so that its panic ends nothing else.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts and logs every panic from now on. The default would write its own text between the lines of the
/// log.
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
