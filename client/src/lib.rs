#![doc = include_str!("../README.md")]

mod address;
mod backoff;
mod client;
mod connection;
mod endpoint;
mod event;
mod incoming;
mod outbox;
mod silence;
mod state;
mod task;
mod trust;

pub use address::{InvalidAddress, InvalidMatchLink, MatchLink, ServerUrl};
pub use client::{Client, ClientConfig, RequestError};
pub use connection::{Connection, ConnectionError};
pub use endpoint::{ConnectError, Endpoint};
pub use event::{ClientEvent, MatchLost, MatchUpdate, StopReason};
pub use trust::{CertificateFileError, Trust};

/// The games: rules, positions, moves and perfect play.
pub use fibfob_games as games;
/// The protocol: the messages and all of their types.
pub use fibfob_protocol as protocol;

pub use fibfob_games::{Level, Position, choose_move};
pub use fibfob_protocol::{
    Action, Code, GuestId, MatchId, MatchSetup, Opponent, PhaseView, RequestBody, ServerMessage,
};
