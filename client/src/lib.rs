//! A client of Fib Fob's protocol: what the terminal client, the tests and bots are made on.
//!
//! Two layers:
//!
//! - [`Client`] is a guest of a server. It connects and reconnects with back-off, keeps its
//!   identity, follows several matches at once without a gap, and sends requests again until they
//!   are answered.
//! - [`Connection`] is one WebSocket with typed messages, without any of that.
//!
//! The messages are those of the crate `fibfob_protocol`, described in its `PROTOCOL.md`. Rules and
//! perfect play are in `fibfob_games`; a client without them finds the legal moves in each update.
//! `examples/random_bot.rs` is a complete bot.
//!
//! ```no_run
//! use fibfob_client::{Client, ClientConfig, ClientEvent, ServerUrl};
//! use fibfob_protocol::{RequestBody, PhaseView};
//!
//! # async fn watch() -> Result<(), Box<dyn std::error::Error>> {
//! let server: ServerUrl = "http://127.0.0.1:7171".parse()?;
//! let mut client = Client::connect(ClientConfig::new(server));
//! for code in ["K7M2QX", "T4W9BD"] {
//!     let code = code.to_owned();
//!     client.request(RequestBody::Spectate { code })?;
//! }
//! while let Some(event) = client.next_event().await {
//!     match event {
//!         ClientEvent::Update(update) => {
//!             println!("{}: {}", update.code, update.state.position);
//!             if let PhaseView::Over { winner, .. } = update.state.phase {
//!                 println!("{}: the {winner} has won", update.code);
//!             }
//!         }
//!         ClientEvent::Refused { answer, .. } => println!("refused: {}", answer.message),
//!         ClientEvent::Stopped(reason) => println!("stopped: {reason}"),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A lost connection shows as [`ClientEvent::Disconnected`] and a later
//! [`ClientEvent::Connected`]; nothing need be done about either. Two things are to be requested again
//! after `Connected`: the watch of the lobby, which belongs to a connection, and a muted chat, which a
//! restarted server and another one of the same store do not know.

mod address;
mod backoff;
mod client;
mod connection;
mod endpoint;
mod event;
mod incoming;
mod outbox;
mod state;
mod task;
mod trust;

pub use address::{InvalidAddress, InvalidMatchLink, MatchLink, ServerUrl};
pub use client::{Client, ClientConfig, RequestError};
pub use connection::{Connection, ConnectionError};
pub use endpoint::{ConnectError, Endpoint};
pub use event::{ClientEvent, MatchLost, MatchUpdate, StopReason};
pub use trust::{CertificateFileError, Trust};
