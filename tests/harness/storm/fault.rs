//! What can be wrong after a storm, one kind for each promise that was broken.

use fibfob_protocol::{CommandId, MatchId, RefusalReason, Seat, Version};
use thiserror::Error;

/// A broken promise, and where it shows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each says what it means in its own message")]
pub enum Fault {
    #[error(
        "LOST: {who}'s command {command} was acknowledged as version {version} of {id}, where the \
         log has {found}"
    )]
    LostAnswer {
        who: String,
        id: MatchId,
        command: CommandId,
        version: Version,
        found: String,
    },
    #[error("LOST: {who} was shown version {version} of {id}, whose log ends at {end}")]
    LostShown {
        who: String,
        id: MatchId,
        version: Version,
        end: Version,
    },
    #[error("LOST: {who} was told of match {id}, which has no log")]
    LostMatch { who: String, id: MatchId },
    #[error("TWICE: the command {command} stands in the logs at {first}, and again at {second}")]
    CountedTwice {
        command: CommandId,
        first: String,
        second: String,
    },
    #[error("{who}'s command {command} was refused as {reason:?} and yet made {place}")]
    RefusedAndCounted {
        who: String,
        command: CommandId,
        reason: RefusalReason,
        place: String,
    },
    #[error("{who}'s command {command} was answered with version {first}, and then with {second}")]
    AnswersDiffer {
        who: String,
        command: CommandId,
        first: Version,
        second: Version,
    },
    #[error("{place} holds the command {command}, which the {seat} had not sent by then")]
    Unasked {
        place: String,
        command: CommandId,
        seat: Seat,
    },
    #[error(
        "{id}: version {later} was answered before the command of version {earlier} was first sent"
    )]
    OrderOfCommands {
        id: MatchId,
        earlier: Version,
        later: Version,
    },
    #[error("GAP: {who} was shown version {found} of {id} where {expected} was next")]
    Gap {
        who: String,
        id: MatchId,
        found: Version,
        expected: Version,
    },
    #[error("ORDER: {who} was shown version {found} of {id} when {seen} had been shown")]
    OutOfOrder {
        who: String,
        id: MatchId,
        found: Version,
        seen: Version,
    },
    #[error("{who} was shown frames of {id}, which that connection did not follow")]
    NotFollowed { who: String, id: MatchId },
    #[error("EVENT: {who} was shown another event as version {version} of {id} than is in the log")]
    OtherEvent {
        who: String,
        id: MatchId,
        version: Version,
    },
    #[error(
        "STATE: {who} was shown a state after version {version} of {id} that the log does not \
         replay to: {shown} where it is {replayed}"
    )]
    OtherState {
        who: String,
        id: MatchId,
        version: Version,
        shown: String,
        replayed: String,
    },
    #[error("WINNERS: {id} was shown with more than one winner")]
    TwoWinners { id: MatchId },
    #[error("the log of {id} cannot be replayed: {why}")]
    Corrupt { id: MatchId, why: String },
    #[error("a late viewer was told another log of {id} than the store holds, from {version} on")]
    ToldOtherwise { id: MatchId, version: Version },
    #[error("{who} was shown something that is no message: {why}")]
    Unreadable { who: String, why: String },
    #[error("UNSETTLED: after the last restart {who} waits in vain: {what}")]
    Unsettled { who: String, what: String },
}
