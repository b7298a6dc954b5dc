//! The messages of PROTOCOL.md: JSON objects told apart by `type`, one in each text frame.

pub(crate) mod client;
mod devices;
mod learning;
mod matches;
mod server;

pub use client::*;
pub use devices::*;
pub use learning::*;
pub use matches::*;
pub use server::*;

/// Returns true for the first page or round, which is left out of the text.
fn is_first(number: &u32) -> bool {
    *number == 0
}
