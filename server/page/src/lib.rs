//! The web page as a server sends it: its files, embedded from `server/web`, and those of its sentences that
//! are needed without it, in a call and in a link.
//!
//! Knows HTTP caching and compression, and no connection, no match in memory and no store.

mod bundle;
mod page;
mod preview;
mod static_file;
mod words;

pub use page::{INDEX, View, WebPage, version};
pub use preview::LinkText;
pub use static_file::{JPEG, REVALIDATE, StaticFile};
pub use words::Words;
