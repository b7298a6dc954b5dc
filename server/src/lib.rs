//! The Fib Fob server: sockets, disks and clocks around the match machine of
//! `fibfob-protocol`.
//!
//! ```text
//! accept → http → session ──► directory ──► match task ──► store
//!                    ▲                          │
//!                    └── feed, presence, lobby ◄┘   (pulled, each at its own speed)
//! ```
//!
//! [`run()`] is the whole server; the program around it is `main.rs`. Nothing here knows a rule
//! of a game or of a match.

mod accept;
mod app;
pub mod args;
mod chance;
mod clock;
mod config;
mod http;
mod identity;
pub mod limits;
mod listing;
mod lobby;
mod matches;
mod origin;
mod run;
mod session;
#[cfg(test)]
mod simulation;
mod store;
mod tasks;
pub mod upkeep;

pub use chance::Chance;
pub use clock::Clock;
pub use config::{Config, Rate};
pub use identity::ServerKey;
pub use listing::{Listing, Shown};
pub use origin::{InvalidOrigin, Origin};
pub use run::run;
pub use store::{
    Ailment, AppendError, Backup, BackupError, Checked, Damage, Fault, InvalidStoreUrl, Log, Store,
    StoreError, StoreUrl, Written,
};
pub use tokio_util::sync::CancellationToken;
