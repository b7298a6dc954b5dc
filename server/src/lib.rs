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
mod address;
mod addresses;
mod app;
pub mod args;
mod clock;
mod config;
mod credits;
mod doors;
mod http;
mod identity;
pub mod limits;
mod listing;
mod lobby;
mod matches;
mod metrics;
mod origin;
mod panics;
mod run;
mod seats;
mod session;
mod store;
mod throttle;
mod tls;
pub mod upkeep;

pub use address::{InvalidProxy, TrustedProxy};
pub use clock::Clock;
pub use config::{Bounds, Config, Rate};
pub use doors::{Doors, InvalidMetricsAt, MetricsAt, MetricsDoor};
pub use identity::ServerKey;
pub use listing::{Listing, Shown};
pub use origin::{InvalidOrigin, Origin};
pub use run::run;
pub use store::{
    Ailment, AppendError, Backup, BackupError, Beginning, Checked, Damage, Fault, InvalidStoreUrl,
    Log, Store, StoreError, StoreUrl, Written,
};
pub use tls::{Tls, TlsError};
pub use tokio_util::sync::CancellationToken;
