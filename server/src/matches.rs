//! Live matches: the task that owns each match, the directory that finds it, and what viewers see.
//!
//! Knows the store, the lobby and clocks, but no socket and no HTTP type: sessions, bots and tests
//! reach a match through the same [`Directory`].

mod absence;
mod absence_ledger;
mod acknowledgement;
mod bot;
mod chat;
mod chat_rates;
mod cluster;
mod directory;
mod env;
mod feed;
mod guests;
mod hints;
mod live_memory;
mod open_matches;
mod own_matches;
mod presence;
mod presence_set;
mod request;
pub(crate) mod seat_limits;
mod stored;
mod subscription;
mod sweep;
mod task;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub(crate) use absence_ledger::AbsenceLedger;
pub(crate) use acknowledgement::Acknowledgement;
pub(crate) use chat::ChatAuthor;
pub(crate) use chat_rates::ChatRates;
pub(crate) use cluster::Cluster;
pub(crate) use directory::Directory;
pub(crate) use env::MatchEnv;
pub(crate) use feed::{Gap, Inspection, Missed};
pub(crate) use guests::{ConnectedGuest, ConnectedGuests};
pub(crate) use hints::{follow_cluster, tell};
pub(crate) use live_memory::LiveMemory;
pub(crate) use open_matches::OpenMatches;
pub(crate) use own_matches::WatchedMatches;
pub(crate) use request::NewMatch;
pub(crate) use subscription::{Change, Subscription};
pub(crate) use sweep::sweep;

/// The directory of all matches of a server, which runs until `stop`.
pub(crate) fn directory(env: MatchEnv, stop: CancellationToken) -> Arc<Directory> {
    Directory::new(env, stop, |directory, id, requests, charge| {
        Box::pin(task::run(directory, id, requests, charge))
    })
}
