//! The kinds of violation, at least one for each promise.

use std::fmt;

use fibfob_protocol::{Code, CommandId, GuestId, MatchId, RefusalReason, Seat, Version};
use thiserror::Error;

/// The version of a match at which an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The match.
    pub id: MatchId,
    /// The version that the event made.
    pub version: Version,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {} of {}", self.version, self.id)
    }
}

/// A broken promise and its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each variant is documented by its message")]
pub enum Violation {
    #[error(
        "LOST: {client}'s command {command} was acknowledged as version {version} of {id}, where \
         the log has {found}"
    )]
    LostAnswer {
        client: String,
        id: MatchId,
        command: CommandId,
        version: Version,
        found: String,
    },
    #[error("LOST: {client} was shown version {version} of {id}, whose log ends at {end}")]
    LostShown {
        client: String,
        id: MatchId,
        version: Version,
        end: Version,
    },
    #[error("LOST: {client} was told of match {id}, which has no log")]
    LostMatch { client: String, id: MatchId },
    #[error("TWICE: the command {command} stands in the logs at {first}, and again at {second}")]
    CountedTwice {
        command: CommandId,
        first: Location,
        second: Location,
    },
    #[error("{client}'s command {command} was refused as {reason:?} and yet made {location}")]
    RefusedAndCounted {
        client: String,
        command: CommandId,
        reason: RefusalReason,
        location: Location,
    },
    #[error("{client}'s command {command} was answered with {first}, and then with {second}")]
    AnswersDiffer {
        client: String,
        command: CommandId,
        first: String,
        second: String,
    },
    #[error("{client}'s command {command} was accepted without naming the event it made")]
    NamesNoEvent { client: String, command: CommandId },
    #[error(
        "{client}'s command {command} had been accepted, and its repeat was refused: {reason:?}"
    )]
    RefusedRepeat {
        client: String,
        command: CommandId,
        reason: RefusalReason,
    },
    #[error("{client} received an answer to {command}, which waited for none")]
    UnsolicitedAnswer { client: String, command: String },
    #[error("{client}'s {request} was refused for a reason that it cannot have: {reason:?}")]
    UnexpectedRefusal {
        client: String,
        request: String,
        reason: RefusalReason,
    },
    #[error("{client} received another guest than the one of its token, or a second welcome")]
    OtherGuest { client: String },
    #[error("the guest {guest} was given to {first} and to {second}")]
    SharedGuest {
        guest: GuestId,
        first: String,
        second: String,
    },
    #[error("{location} holds the command {command}, which the {seat} had not sent by then")]
    Unrequested {
        location: Location,
        command: CommandId,
        seat: Seat,
    },
    #[error("{location} is {event}, which the request {request} does not mean")]
    OtherMeaning {
        location: Location,
        request: String,
        event: String,
    },
    #[error("{location} is {event}, which needs a command and has none of its own")]
    NoCommand { location: Location, event: String },
    #[error("{id} and its rematch {next} do not name each other")]
    NoSuchRematch { id: MatchId, next: MatchId },
    #[error(
        "{id}: version {later} was answered before the command of version {earlier} was first sent"
    )]
    OrderOfCommands {
        id: MatchId,
        earlier: Version,
        later: Version,
    },
    #[error("GAP: {client} was shown version {found} of {id} where {expected} was next")]
    Gap {
        client: String,
        id: MatchId,
        found: Version,
        expected: Version,
    },
    #[error("ORDER: {client} was shown version {found} of {id} when {seen} had been shown")]
    OutOfOrder {
        client: String,
        id: MatchId,
        found: Version,
        seen: Version,
    },
    #[error("{client} was shown frames of {id}, which that connection did not follow")]
    NotFollowed { client: String, id: MatchId },
    #[error(
        "EVENT: {client} was shown another event as version {version} of {id} than the log has"
    )]
    OtherEvent {
        client: String,
        id: MatchId,
        version: Version,
    },
    #[error(
        "STATE: {client} was shown a state after version {version} of {id} that the log does not \
         replay to: {shown} where it is {replayed}"
    )]
    OtherState {
        client: String,
        id: MatchId,
        version: Version,
        shown: String,
        replayed: String,
    },
    #[error("{client} was shown a chat message of {id} twice: number {number}")]
    ChatTwice {
        client: String,
        id: MatchId,
        number: u64,
    },
    #[error("WINNERS: {id} was shown with more than one winner")]
    TwoWinners { id: MatchId },
    #[error("WINNER: {id} ends with {found}, and by its moves with {expected}")]
    OtherWinner {
        id: MatchId,
        found: String,
        expected: String,
    },
    #[error("WINNER: {id} is not over, and no move is left")]
    NoWinner { id: MatchId },
    #[error("{id} has more events or moves than a match can have")]
    TooLong { id: MatchId },
    #[error("the perfect bot gave a won position away with {location}, from {position}")]
    GivenAway {
        location: Location,
        position: String,
    },
    #[error(
        "TIME: in {id} the {seat} had {allowed} ms and lost on time after {spent} ms of uptime"
    )]
    DowntimeCharged {
        id: MatchId,
        seat: Seat,
        allowed: u64,
        spent: u64,
    },
    #[error(
        "TIME: the clocks after version {version} of {id} are {found}, and by its log {expected}"
    )]
    OtherClocks {
        id: MatchId,
        version: Version,
        found: String,
        expected: String,
    },
    #[error("TIME: version {version} of {id} charges {spent} ms, of which a server ran {ran} ms")]
    ChargedTooMuch {
        id: MatchId,
        version: Version,
        spent: u64,
        ran: u64,
    },
    #[error(
        "TIME: version {version} of {id} charges {spent} ms, where the last server ran at least \
         {known} ms"
    )]
    ChargedTooLittle {
        id: MatchId,
        version: Version,
        spent: u64,
        known: u64,
    },
    #[error("{id} was abandoned after {idle} ms in which a server ran, not {abandoned_after} ms")]
    AbandonedTooEarly {
        id: MatchId,
        idle: u64,
        abandoned_after: u64,
    },
    #[error("{id} was abandoned while {client}, who plays it, was connected")]
    AbandonedWhileConnected { client: String, id: MatchId },
    #[error("{id} was claimed of {client}, who was connected and followed it")]
    ClaimedWhileConnected { client: String, id: MatchId },
    #[error("the log of {id} goes back in time at version {version}")]
    BackInTime { id: MatchId, version: Version },
    #[error("{first} and {second} have the same code {code}")]
    SharedCode {
        code: Code,
        first: MatchId,
        second: MatchId,
    },
    #[error("the log of {id} cannot be replayed: {reason}")]
    Corrupt { id: MatchId, reason: String },
    #[error("a late viewer was shown another log of {id} than the store has, from {version} on")]
    LateViewDiffers { id: MatchId, version: Version },
    #[error(
        "a late viewer was not shown the log of {id} from {version} on, which was stored before"
    )]
    LateViewBehind { id: MatchId, version: Version },
    #[error("{client} was shown something that is no message: {reason}")]
    Unreadable { client: String, reason: String },
    #[error("UNSETTLED: after the last restart {client} waits in vain for {awaited}")]
    Unsettled { client: String, awaited: String },
}
