//! The messages of PROTOCOL.md: JSON objects told apart by `type`, one a text frame.

mod client;
mod depth;
mod server;

pub use client::{Ask, ClientMessage, Hello, Request, Unreadable};
pub use server::{
    Accepted, Answered, Away, Frame, Goodbye, Happening, Lobby, LobbyEntry, Presence, Preview,
    Refused, ServerMessage, Snapshot, Welcome,
};
