//! The protocol between clients and servers, and the meaning of its messages.
//!
//! Two halves: the *messages* (`message`, `refusal`, `view`), which are the wire of PROTOCOL.md, and the
//! *match machine* (`machine`), which decides what a command does. Nothing here knows a socket, a disk or a
//! clock: time is an argument, the next deadline a return value.

#![warn(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    clippy::use_self
)]

mod action;
mod analysis;
mod change;
mod chat;
mod duration;
mod event;
mod friendly_name;
mod ids;
mod limits;
mod machine;
mod message;
mod name;
mod program;
mod refusal;
#[cfg(feature = "schema")]
mod schema;
mod seat;
mod setup;
mod skeleton;
mod time;
mod view;
mod visibility;
mod visible;

pub use action::{Action, ActionContext, Actor, MoveOrder};
pub use analysis::{Analysis, LeftOut, PositionAnalysis, Review, ReviewedPly, Study, Verdict};
pub use change::{StateChange, UnfitChange, apply_frame};
pub use chat::{
    Chat, ChatChannel, ChatContent, ChatDraft, ChatLine, ChatPhrase, ChatText, InvalidChat,
};
pub use duration::{DurationText, InvalidDuration, durations_within, millis};
pub use event::{Event, MatchRef, Record, Terms};
pub use friendly_name::{FRIENDLY_WORDS, guest_name};
pub use ids::{Code, CommandId, GuestId, InvalidId, MatchId, Timestamp, Version};
pub use limits::{
    AUTHOR_CHARS_MAX, CHAT_CHARS_MAX, CHOOSE_WITHIN_MS, CLOCK_MS, CODE_LENGTH, COMMAND_ID_MAX,
    EVENTS_MAX, GRACE_MS, INCREMENT_MS_MAX, LISTED_MOVES_MAX, Limits, MARK_BYTES_MAX, MARKS_MAX,
    MESSAGE_BYTES_MAX, NAME_CHARS_MAX, PROGRAM_URL_CHARS_MAX, RESUMES_MAX, REVIEW_BYTES_MAX,
    STUDY_BYTES_MAX, SUBPROTOCOL, TAKEBACK_OFFERS_MAX,
};
pub use machine::{BotStep, Clocks, CorruptLog, LastRun, Match, Phase, Transition};
pub use message::{
    Accepted, Away, CallAddress, ClientMessage, DeviceCode, FlightState, Frame, GamesAnswer,
    Goodbye, GuestMatch, Hello, IdeaCount, Identity, InvalidMark, LegalMoves, LobbyChange,
    LobbyEntry, LobbyList, Mark, MatchPlace, MatchesChange, MatchesPage, MoveForm, Notice,
    OwnFlight, PastEvent, Presence, Preview, Progress, QueryResult, RecordPage, RecordedMatch,
    Refused, RenamedPlayer, Request, RequestBody, ServerMessage, Snapshot, TimedEvent, Today,
    Unreadable, Welcome,
};
pub use name::{InvalidName, PlayerName};
pub use program::{InvalidProgram, Program};
pub use refusal::{Refusal, RefusalReason, SpeedLimit};
pub use seat::{FirstMove, FirstMover, Player, Seat};
pub use setup::{FirstMoveRule, MatchSetup, Opponent, ServerDefaults, Start};
pub use time::{ClocksView, TimeControl};
pub use view::{
    CloseReason, EndReason, LastMove, MatchView, PhaseName, PhaseView, Players, RematchView,
};
pub use visibility::Visibility;
pub use visible::{escaped, made_visible};
