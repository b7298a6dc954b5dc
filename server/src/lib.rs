//! The Fib Fob server: sockets, disks and clocks around the match machine of `fibfob-protocol`.
//!
//! ```text
//! listener → http → session ──► directory ──► match task ──► store
//!                      ▲                          │
//!                      └── feed, presence, lobby ◄┘   (pulled, each at its own speed)
//! ```
//!
//! Imports between the rooms go one way, as ARCHITECTURE.md draws it. Connections (`fibfob-net`), the
//! page (`fibfob-page`), matches from the directory on (`fibfob-server-matches`), the store and its
//! engines are crates of their own. [`run()`] is the whole server; the program around it is `main.rs`.
//! No rule of a game or of a match is implemented here.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

#[macro_use]
mod as_text;

pub mod admin;
mod app;
pub mod args;
mod calls;
mod credentials;
mod http;
mod identity;
pub mod limits;
mod moderation;
pub mod ops;
mod outgoing;
mod persons;
mod run;
mod session;

pub use admin::{AdminError, Answer};
pub use calls::{InvalidPushService, PushServices};
pub use fibfob_net::client_address::{InvalidNetwork, Network};
pub use fibfob_net::endpoints::{Endpoints, InvalidMetricsListen, MetricsEndpoint, MetricsListen};
pub use fibfob_net::origin::{InvalidOrigin, Origin};
pub use fibfob_net::tls::{Tls, TlsError};
pub use fibfob_server_matches::clock::Clock;
pub use fibfob_server_matches::panics::log_panics;
pub use fibfob_server_matches::random::Randomness;
pub use fibfob_server_matches::tasks::{Executor, Tasks};
pub use http::paths;
pub use limits::Rate;
pub use ops::config::{Bounds, Config};
pub use run::{Server, run};
pub use session::SessionSocket;
pub use tokio_util::sync::CancellationToken;
