//! The messages of PROTOCOL.md: JSON objects told apart by `type`, one a text frame.

pub(crate) mod client;
mod devices;
mod learning;
mod matches;
mod programs;
mod server;

pub use client::{ClientMessage, Hello, MoveForm, Request, RequestBody, Unreadable};
pub use devices::{CallAddress, DeviceCode, Identity};
pub use learning::{
    FlightState, IdeaCount, InvalidMark, Mark, OwnFlight, Progress, RecordPage, RecordedMatch,
    Today,
};
pub use matches::{GuestMatch, MatchPlace, MatchesChange, MatchesPage};
pub use programs::{Offer, ProgramEntry, ProgramGame};
pub use server::{
    Accepted, Away, Frame, GamesAnswer, Goodbye, LegalMoves, LobbyChange, LobbyEntry, LobbyList,
    PastEvent, Presence, Preview, QueryResult, Refused, RenamedPlayer, ServerMessage, Snapshot,
    TimedEvent, Welcome,
};
