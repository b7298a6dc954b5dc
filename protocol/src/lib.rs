//! What may be said between a client and a server, and what it means.
//!
//! Two halves: the *messages* (`message`, `refusal`, `view`), which are the wire of
//! PROTOCOL.md, and the *match machine* (`machine`), which decides what a command does.
//! Nothing here knows a socket, a disk or a clock: time is an argument, the next deadline a
//! return value.

mod analysis;
mod command;
mod event;
mod explanation;
mod ids;
mod legal;
mod limits;
mod machine;
mod message;
mod name;
mod opening;
mod refusal;
mod seat;
mod talk;
mod text;
mod time;
mod view;

pub use analysis::{Analysis, OutcomeView, Review, ReviewedPly};
pub use command::{Actor, Command};
pub use event::{Event, MatchRef, Record, Terms};
pub use explanation::{ExplanationView, StepView, TermView};
pub use ids::{Code, CommandId, GuestId, InvalidId, MatchId, Timestamp, Version};
pub use legal::{LegalFamily, LegalMoves, LegalSlot};
pub use limits::{
    CHOOSE_WITHIN_MS, CLOCK_MS, CODE_LENGTH, COMMAND_ID_MAX, EVENTS_MAX, GRACE_MS,
    INCREMENT_MS_MAX, JSON_DEPTH_MAX, Limits, MESSAGE_BYTES_MAX, NAME_CHARS_MAX, RESUMES_MAX,
    SUBPROTOCOL, TAKEBACK_OFFERS_MAX, TALK_CHARS_MAX,
};
pub use machine::{Clocks, Corrupt, Match, Phase, Rematch};
pub use message::{
    Accepted, Answered, Ask, Away, ClientMessage, Frame, Goodbye, Happening, Hello, Lobby,
    LobbyEntry, Presence, Preview, Refused, Request, ServerMessage, Snapshot, Unreadable, Welcome,
};
pub use name::{InvalidName, PlayerName};
pub use opening::{Against, Begins, HouseRules, Opening, Start, Visibility};
pub use refusal::{Reason, Refusal};
pub use seat::{Beginner, FirstMove, Player, Seat};
pub use talk::{FreeText, InvalidTalk, Phrase, Room, Said, Saying, Talk, Words};
pub use time::{ClocksView, TimeControl};
pub use view::{CloseReason, EndReason, LastMove, PhaseView, Players, RematchView, View};
