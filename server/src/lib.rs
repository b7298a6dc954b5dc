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

mod app;
mod chance;
mod clock;
mod http;
mod identity;
pub mod limits;
mod lobby;
mod matches;
mod net;
pub mod ops;
mod run;
mod session;
#[cfg(test)]
mod simulation;
pub mod store;
mod tasks;

pub use chance::Chance;
pub use clock::Clock;
pub use identity::ServerKey;
pub use net::client_address::{InvalidProxy, TrustedProxy};
pub use net::endpoints::{Doors, InvalidMetricsAt, MetricsAt, MetricsDoor};
pub use net::origin::{InvalidOrigin, Origin};
pub use net::tls::{Tls, TlsError};
pub use ops::config::{Bounds, Config, Rate};
pub use run::run;
pub use store::{
    AppendError, Engine, FailureKind, IndexRow, InvalidStoreUrl, LobbyRow, Log, Memory, Sqlite,
    Store, StoreError, StoreUrl,
};
pub use tokio_util::sync::CancellationToken;
