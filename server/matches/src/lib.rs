//! Matches of one server: the task that owns each match, the directory that finds it, the lobby that
//! lists it, and what viewers see of it.
//!
//! Knows the store, clocks and metrics, but no socket and no HTTP type: sessions, bots and tests
//! reach a match through the same [`Directory`].

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod absence;
mod absence_ledger;
mod acknowledgement;
mod bot;
mod chat;
mod chat_rates;
pub mod clock;
mod cluster;
mod directory;
pub mod disk_ledger;
pub mod encoded;
mod env;
pub mod errands;
mod feed;
pub mod flights;
mod guests;
mod hints;
pub mod limits;
mod live_memory;
pub mod lobby;
pub mod metrics;
mod own_matches;
pub mod panics;
mod presence;
mod presence_set;
pub mod process;
pub mod random;
mod request;
pub mod results;
pub mod scheduler;
mod seat_limits;
pub mod service;
mod stored;
mod subscription;
mod sweep;
mod task;
pub mod tasks;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use acknowledgement::Acknowledgement;
pub use chat::ChatAuthor;
pub use cluster::Cluster;
pub use directory::Directory;
pub use env::{MatchEnv, MatchSettings, Seams};
pub use feed::{Gap, Inspection, Missed};
pub use guests::{ConnectedGuest, ConnectedGuests};
pub use hints::{follow_cluster, tell};
pub use own_matches::{WatchedMatches, players};
pub use request::NewMatch;
pub use stored::append_in_time;
pub use subscription::{Change, Subscription};
pub use sweep::sweep;

/// Makes the directory of a server's matches. It runs until `stop`.
#[must_use]
pub fn directory(env: MatchEnv, stop: CancellationToken) -> Arc<Directory> {
    Directory::new(env, stop, |directory, id, requests, charge| {
        Box::pin(task::run(directory, id, requests, charge))
    })
}
