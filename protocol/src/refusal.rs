//! Refusals of requests. A refusal is sent to one client, never stored, and leaves everything as it was.

use std::time::{Duration, UNIX_EPOCH};

use fibfob_games::{
    IllegalMove, NoSuchPuzzle, NotationError, RangesError, StartError, UnknownGame, UnknownReasoner,
};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray, VariantNames};
use thiserror::Error;

use crate::chat::InvalidChat;
use crate::ids::{CommandId, InvalidId, Timestamp, Version};
use crate::limits::{
    BUSY_RETRY_MS, CLOCK_MS, GRACE_MS, INCREMENT_MS_MAX, MARKS_MAX, REVIEW_BYTES_MAX,
    STUDY_BYTES_MAX, SUBPROTOCOL, TAKEBACK_OFFERS_MAX,
};
use crate::name::InvalidName;
use crate::seat::Seat;

/// A reason to refuse a request. The text says what was wrong and what was expected. Its name on the wire is
/// the variant's, or the one beside it.
#[derive(Clone, Debug, PartialEq, Eq, Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum Refusal {
    /// Not JSON, or a known type with a missing or wrong field.
    #[error("this is no message of {SUBPROTOCOL}: {0}")]
    Malformed(String),
    #[error("unknown type `{found}`; known are hello, {known}")]
    UnknownType {
        /// The type that was sent, shortened.
        found: String,
        known: String,
    },
    #[error("protocol `{found}` is not spoken here; supported: {SUBPROTOCOL}")]
    UnsupportedVersion {
        /// The version that was asked for, shortened.
        found: String,
    },
    #[error("say `hello` first; nothing else is answered before it")]
    HelloFirst,
    #[error("this connection has said `hello`; open another one to be somebody else")]
    HelloAgain,
    #[error(
        "this token was not given by this server; say `hello` without one to get a new identity"
    )]
    BadToken,
    #[error(
        "this device was signed out from another one; ask there for a device code, or say `hello` \
         without a token to get a new identity"
    )]
    SignedOut,
    /// The operator keeps the guest, or its address, from the server for a while.
    #[error(
        "the operator of this server has banned you, or your address, until {}",
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(until.0))
    )]
    Banned {
        until: Timestamp,
        /// The time until then, in milliseconds.
        retry_after_ms: u64,
    },
    #[error(
        "this identity was forgotten here, and is nobody's any more; say `hello` without a token"
    )]
    Forgotten,
    #[error("this is no device code, or it was used, or its time is over; ask for a new one")]
    NoSuchDeviceCode,
    #[error(
        "this server does not call that push service; its operator can allow one (--push-service)"
    )]
    NoSuchPushService,
    #[error(
        "as many guests of your address as may have asked to be called today; try again tomorrow"
    )]
    #[strum(serialize = "too-many-called")]
    AddressTooManyCalled,
    #[error(transparent)]
    #[strum(serialize = "bad-name")]
    Name(#[from] InvalidName),
    #[error(transparent)]
    #[strum(serialize = "bad-id")]
    Id(#[from] InvalidId),
    /// The id of an earlier command with another content.
    #[error("you have used the id `{0}` for another command; use a fresh one for each")]
    IdReused(CommandId),
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    #[error(transparent)]
    #[strum(serialize = "bad-notation")]
    Notation(#[from] NotationError),
    #[error(transparent)]
    #[strum(serialize = "illegal-move")]
    Illegal(#[from] IllegalMove),
    #[error(transparent)]
    #[strum(serialize = "bad-start")]
    Start(#[from] StartError),
    #[error(transparent)]
    #[strum(serialize = "bad-start")]
    Ranges(#[from] RangesError),
    /// `choose` with a start that the creator knew before.
    #[error("a start to choose on is drawn by the server; ask for a random one")]
    #[strum(serialize = "bad-start")]
    ChoiceNeedsDrawnStart,
    #[error(
        "a clock begins with {} to {} ms and gets back at most {INCREMENT_MS_MAX} ms for a move",
        CLOCK_MS.start(),
        CLOCK_MS.end()
    )]
    #[strum(serialize = "bad-time")]
    Time,
    #[error("the grace for who is away is {} to {} ms", GRACE_MS.start(), GRACE_MS.end())]
    #[strum(serialize = "bad-time")]
    Grace,
    #[error("there is no match {0}; ask for a code that somebody gave you or that the lobby lists")]
    NoSuchMatch(String),
    #[error("you have no seat in this match; spectators cannot act in it")]
    NotAPlayer,
    #[error("you are this match's {0} already; `resume` it instead")]
    AlreadySeated(Seat),
    #[error("the seat is taken; `spectate` is still possible")]
    SeatTaken,
    #[error(
        "the open seat of this match is for people; a program may take one whose creator said \
         `\"programs\": true`, or gave it the code of a match for a friend"
    )]
    NotForPrograms,
    /// The move answers an older (or no) version.
    #[error(
        "your move answers version {found}, the match is at version {current}; look at the newest position first"
    )]
    Stale { found: Version, current: Version },
    #[error("it is the {0}'s turn; wait for their move")]
    NotYourTurn(Seat),
    #[error("the match is {0}; this needs a match in play")]
    NotInPlay(&'static str),
    #[error("the match is {0}; this needs a match whose other seat is free")]
    NotOpen(&'static str),
    #[error("the match is {0}; a rematch needs a finished one")]
    NotOver(&'static str),
    #[error("the match is {0}; this needs a match in which it is still to be chosen who begins")]
    NotChoosing(&'static str),
    #[error("it is for the {0} to choose who begins; wait for them")]
    NotYourChoice(Seat),
    #[error(
        "the {seat} has been away for {away_ms} ms; after {grace_ms} ms you may claim the match"
    )]
    NotAwayLongEnough {
        seat: Seat,
        /// For how long they have been away, in milliseconds; 0 while they are connected.
        away_ms: u64,
        /// The grace period, in milliseconds.
        grace_ms: u64,
    },
    #[error("you have made no move yet that could be taken back")]
    NothingToTakeBack,
    #[error("the {0} has asked for a move back already; that is to be answered first")]
    TakebackOffered(Seat),
    #[error("the other player has not asked for a move back")]
    NoTakebackOffered,
    #[error("you have asked for {TAKEBACK_OFFERS_MAX} moves back in this match, the most you may")]
    TooManyTakebacks,
    /// Free words where only fixed phrases are said.
    #[error("in a public match only the fixed phrases are said; free text is for private ones")]
    PhrasesOnly,
    #[error(transparent)]
    #[strum(serialize = "bad-chat")]
    Chat(#[from] InvalidChat),
    #[error(
        "too much talk; {who} may say at most {burst} things at once and one in {every_ms} ms after that"
    )]
    ChatTooFast {
        /// The group that shares the rate: `you`, or more of the sender's address.
        who: &'static str,
        burst: u32,
        /// In the long run, one in so many milliseconds.
        every_ms: u64,
    },
    #[error("a rematch was offered by the {0} already; the other player may accept it")]
    RematchOffered(Seat),
    #[error("the other player has offered no rematch; offer one yourself")]
    NoRematchOffered,
    #[error("the other player is a former one, whom nobody can reach any more")]
    FormerPlayer,
    #[error("the rematch was agreed already; go to match {0}")]
    RematchAgreed(crate::ids::Code),
    #[error("this match is not for learning; it can be analysed when it is over")]
    NotForLearning,
    #[error(
        "the positions of this match are {0} bytes long, more than the {REVIEW_BYTES_MAX} of a review; analyse single ones"
    )]
    ReviewTooLong(usize),
    #[error("this position is {0} bytes long, more than the {STUDY_BYTES_MAX} that can be studied")]
    PositionTooLong(usize),
    #[error(transparent)]
    #[strum(serialize = "no-such-puzzle")]
    UnknownGrade(#[from] UnknownReasoner),
    #[error(transparent)]
    NoSuchPuzzle(#[from] NoSuchPuzzle),
    #[error("you would have {0} marks, more than the {MARKS_MAX} that are kept; remove some")]
    TooManyMarks(usize),
    #[error("the match is at version {current}; there is no version {found} to look at")]
    NoSuchVersion { found: Version, current: Version },
    #[error("this connection follows {0} matches, the most it may; `leave` one first")]
    FollowsTooMany(usize),
    /// The client left the match while its request to follow it was waiting.
    #[error("you have left this match since you asked to follow it; ask again to come back")]
    LeftMeanwhile,
    #[error("{0} commands wait for their answer, the most there may be; wait for one")]
    TooManyInFlight(usize),
    #[error("{limit}")]
    TooFast {
        limit: SpeedLimit,
        /// The time until the next one is allowed, in milliseconds.
        retry_after_ms: u64,
    },
    #[error(
        "your address has asked for too many device codes; ask again when the first of them has \
         ended, in some minutes"
    )]
    #[strum(serialize = "too-many-device-codes")]
    AddressTooManyDeviceCodes,
    /// The address has stored as much in the last day as one may.
    #[error(
        "your address has stored {} MiB in a day, the most it may; matches that run go on, and a new one has to wait",
        most >> 20
    )]
    #[strum(serialize = "too-much-stored")]
    AddressStoredTooMuch {
        /// The bound, in bytes.
        most: u64,
        /// The time until enough of it is older than a day, in milliseconds.
        retry_after_ms: u64,
    },
    /// Room is scarce, and the address is among those that have stored the most in the last day.
    #[error(
        "the disk of this server fills, and your address has stored {used} bytes in a day, more than most; matches \
         that run go on, and a new one has to wait"
    )]
    #[strum(serialize = "too-much-stored")]
    DiskFills {
        /// The bytes of the last day.
        used: u64,
        /// The time until it has stored no more than its part, in milliseconds.
        retry_after_ms: u64,
    },
    #[error("the connections of your address follow as many matches as they may; leave one first")]
    #[strum(serialize = "follows-too-many")]
    AddressFollowsTooMany,
    #[error(
        "{0} matches of your address wait for a second player, the most there may be; \
         withdraw one first"
    )]
    #[strum(serialize = "too-many-matches")]
    AddressTooManyMatches(usize),
    #[error("this match has {0} spectators, the most it may; come back when somebody has left")]
    TooManySpectators(usize),
    #[error(
        "{0} matches of yours are open or in play, the most there may be; end one of them first"
    )]
    TooManyMatches(u32),
    #[error(
        "you have {0} seats in matches that are not over, the most there may be; end one first"
    )]
    TooManySeats(u32),
    #[error("the match is busy; send the same command again, with the same id, a little later")]
    Busy,
    /// The match's log cannot be read as a match.
    #[error("the log of this match is damaged; the operator of this server can look into it")]
    Damaged,
    /// The store did not answer: the command may have been stored.
    #[error(
        "the store did not answer; send the same command again, with the same id: it counts once"
    )]
    Unavailable,
    #[error("the server is shutting down; reconnect in a moment")]
    ShuttingDown,
}

/// A limit on how much a connection or its address may ask for, or be sent, in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum SpeedLimit {
    #[error("too many messages; send at most {0} a second")]
    Messages(u32),
    #[error(
        "too many messages from your address; its {who} together may send {per_second} a second"
    )]
    AddressMessages {
        /// The group that shares the rate, such as `spectators`.
        who: &'static str,
        per_second: u32,
    },
    #[error(
        "too many new matches from your address; it may make {burst} at once, and {per_second} a second"
    )]
    NewMatches { burst: u32, per_second: u32 },
    #[error("too much was sent to your address; it may receive {0} bytes a second")]
    Bytes(u32),
    #[error("the questions of your address take too much time; they may take {0} µs a second")]
    Questions(u32),
    #[error(
        "too many marks from your address; {burst} changes at once and {per_second} a second are kept"
    )]
    Marks { burst: u32, per_second: u32 },
    #[error(
        "too many requests about devices from your address; {burst} at once and {per_second} a \
         second are answered"
    )]
    Devices { burst: u32, per_second: u32 },
}

/// A refusal's name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(strum::Display, IntoStaticStr, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the refusal of the same name")]
#[non_exhaustive]
pub enum RefusalReason {
    Malformed,
    UnknownType,
    UnsupportedVersion,
    HelloFirst,
    HelloAgain,
    BadToken,
    SignedOut,
    Banned,
    Forgotten,
    NoSuchDeviceCode,
    TooManyDeviceCodes,
    NoSuchPushService,
    TooManyCalled,
    BadName,
    BadId,
    IdReused,
    UnknownGame,
    BadNotation,
    IllegalMove,
    BadStart,
    NoSuchMatch,
    NotAPlayer,
    AlreadySeated,
    SeatTaken,
    NotForPrograms,
    Stale,
    NotYourTurn,
    NotInPlay,
    NotOpen,
    NotOver,
    RematchOffered,
    NoRematchOffered,
    FormerPlayer,
    RematchAgreed,
    NotForLearning,
    ReviewTooLong,
    PositionTooLong,
    NoSuchPuzzle,
    TooManyMarks,
    NoSuchVersion,
    BadTime,
    NotChoosing,
    NotYourChoice,
    NotAwayLongEnough,
    NothingToTakeBack,
    TakebackOffered,
    NoTakebackOffered,
    TooManyTakebacks,
    PhrasesOnly,
    BadChat,
    ChatTooFast,
    FollowsTooMany,
    LeftMeanwhile,
    TooManyInFlight,
    TooFast,
    TooMuchStored,
    TooManySpectators,
    TooManyMatches,
    TooManySeats,
    Busy,
    Damaged,
    Unavailable,
    ShuttingDown,
    /// A reason of a newer server.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

impl Refusal {
    /// The refusal's name on the wire.
    #[must_use]
    pub fn reason(&self) -> RefusalReason {
        let name: &str = self.into();
        let mut all = RefusalReason::VARIANTS.iter().copied();
        let named = all.find(|reason| name == <&str>::from(*reason));
        named.unwrap_or(RefusalReason::Other)
    }

    /// The time after which the same command may succeed, in milliseconds, where it is known.
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::TooFast { retry_after_ms, .. }
            | Self::Banned { retry_after_ms, .. }
            | Self::AddressStoredTooMuch { retry_after_ms, .. }
            | Self::DiskFills { retry_after_ms, .. } => Some(*retry_after_ms),
            Self::Busy => Some(BUSY_RETRY_MS),
            _ => None,
        }
    }

    /// Returns true if the same command, sent again a little later, may succeed. A client may wait for that. One
    /// that would have to wait for hours is told so instead, by `retry_after_ms` alone.
    #[must_use]
    pub fn retry(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::Unavailable
                | Self::ShuttingDown
                | Self::TooFast { .. }
                | Self::ChatTooFast { .. }
                | Self::TooManyInFlight(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_reason_and_every_reason_a_refusal() {
        let names = <Refusal as VariantNames>::VARIANTS;
        let reasons = RefusalReason::VARIANTS.iter().copied();
        let reasons: Vec<&str> = reasons
            .filter(|reason| *reason != RefusalReason::Other)
            .map(<&str>::from)
            .collect();
        for name in names {
            assert!(reasons.contains(name), "{name}");
        }
        for reason in reasons {
            assert!(names.contains(&reason), "{reason}");
        }
    }
}
