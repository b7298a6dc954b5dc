//! Refusals of requests. A refusal is sent to one client, never stored, and leaves
//! everything as it was.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use fibfob_games::{
    GameId, IllegalMove, NotationError, RangesError, Reasoner, StartError, UnknownGame,
    UnknownLevel, UnknownReasoner,
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

/// One fault each; the text says what was wrong and what was expected. Its reason on the wire has the same
/// name, or the one that stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Refusal {
    /// Not JSON, or a known type with a missing or wrong field.
    #[error("this is no message of {SUBPROTOCOL}: {0}")]
    Malformed(String),
    /// A message type that this server does not know.
    #[error("unknown type `{found}`; known are hello, {known}")]
    UnknownType {
        /// The type that was sent, shortened.
        found: String,
        /// The known types of requests.
        known: String,
    },
    /// A protocol version that this server does not speak.
    #[error("protocol `{found}` is not spoken here; supported: {SUBPROTOCOL}")]
    UnsupportedVersion {
        /// The version that was asked for, shortened.
        found: String,
    },
    /// A request before `hello`.
    #[error("say `hello` first; nothing else is answered before it")]
    HelloFirst,
    /// A second `hello`.
    #[error("this connection has said `hello`; open another one to be somebody else")]
    HelloAgain,
    /// The token does not belong to a guest of this server.
    #[error(
        "this token was not given by this server; say `hello` without one to get a new identity"
    )]
    BadToken,
    /// The guest has signed out the devices that have this token.
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
        /// The end of the ban.
        until: Timestamp,
        /// The time until then, in milliseconds.
        retry_after_ms: u64,
    },
    /// The guest is forgotten here, for good.
    #[error(
        "this identity was forgotten here, and is nobody's any more; say `hello` without a token"
    )]
    Forgotten,
    /// No device code that is good now.
    #[error("this is no device code, or it was used, or its time is over; ask for a new one")]
    NoSuchDeviceCode,
    /// A push service that this server does not call.
    #[error(
        "this server does not call that push service; its operator can allow one (--push-service)"
    )]
    NoSuchPushService,
    /// Guests of the sender's address have asked to be called as often as they may in a day.
    #[error(
        "as many guests of your address as may have asked to be called today; try again tomorrow"
    )]
    #[strum(serialize = "too-many-called")]
    AddressTooManyCalled,
    /// No valid name.
    #[error(transparent)]
    #[strum(serialize = "bad-name")]
    Name(#[from] InvalidName),
    /// No valid id or code.
    #[error(transparent)]
    #[strum(serialize = "bad-id")]
    Id(#[from] InvalidId),
    /// The id of an earlier command with another content.
    #[error("you have used the id `{0}` for another command; use a fresh one for each")]
    IdReused(CommandId),
    /// A game that is not in the catalogue.
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    /// A text that is no position or move of this game.
    #[error(transparent)]
    #[strum(serialize = "bad-notation")]
    Notation(#[from] NotationError),
    /// A move that is none here.
    #[error(transparent)]
    #[strum(serialize = "illegal-move")]
    Illegal(#[from] IllegalMove),
    /// A start that is finished or beyond the stated bounds.
    #[error(transparent)]
    #[strum(serialize = "bad-start")]
    Start(#[from] StartError),
    /// More ranges than any game has.
    #[error(transparent)]
    #[strum(serialize = "bad-start")]
    Ranges(#[from] RangesError),
    /// `choose` with a start that the creator knew before.
    #[error("a start to choose on is drawn by the server; ask for a random one")]
    #[strum(serialize = "bad-start")]
    ChoiceNeedsDrawnStart,
    /// A time control beyond its bounds.
    #[error(
        "a clock begins with {} to {} ms and gets back at most {INCREMENT_MS_MAX} ms for a move",
        CLOCK_MS.start(),
        CLOCK_MS.end()
    )]
    #[strum(serialize = "bad-time")]
    Time,
    /// A grace beyond its bounds.
    #[error("the grace for who is away is {} to {} ms", GRACE_MS.start(), GRACE_MS.end())]
    #[strum(serialize = "bad-time")]
    Grace,
    /// Nothing under this id or code.
    #[error("there is no match {0}; ask for a code that somebody gave you or that the lobby lists")]
    NoSuchMatch(String),
    /// The sender has no seat in this match.
    #[error("you have no seat in this match; spectators cannot act in it")]
    NotAPlayer,
    /// The sender has a seat in this match already.
    #[error("you are this match's {0} already; `resume` it instead")]
    AlreadySeated(Seat),
    /// Somebody else was first.
    #[error("the seat is taken; `spectate` is still possible")]
    SeatTaken,
    /// A program would take a seat that is for people.
    #[error(
        "the open seat of this match is for people; a program may take one whose creator said \
         `\"programs\": true`, or gave it the code of a match for a friend"
    )]
    NotForPrograms,
    /// The move answers an older (or no) version.
    #[error(
        "your move answers version {found}, the match is at version {current}; look at the newest position first"
    )]
    Stale {
        /// The version the command named.
        found: Version,
        /// The version of the match.
        current: Version,
    },
    /// The other one is to move.
    #[error("it is the {0}'s turn; wait for their move")]
    NotYourTurn(Seat),
    /// The command needs a match in play.
    #[error("the match is {0}; this needs a match in play")]
    NotInPlay(&'static str),
    /// The command needs an open match.
    #[error("the match is {0}; this needs a match whose other seat is free")]
    NotOpen(&'static str),
    /// The command needs a finished match.
    #[error("the match is {0}; a rematch needs a finished one")]
    NotOver(&'static str),
    /// The command needs a match whose first mover is to be chosen.
    #[error("the match is {0}; this needs a match in which it is still to be chosen who begins")]
    NotChoosing(&'static str),
    /// The other one chooses.
    #[error("it is for the {0} to choose who begins; wait for them")]
    NotYourChoice(Seat),
    /// The opponent is there, or has not been away for long enough.
    #[error(
        "the {seat} has been away for {away_ms} ms; after {grace_ms} ms you may claim the match"
    )]
    NotAwayLongEnough {
        /// The opponent.
        seat: Seat,
        /// For how long they have been away, in milliseconds; 0 while they are connected.
        away_ms: u64,
        /// The grace period, in milliseconds.
        grace_ms: u64,
    },
    /// There is no own move to take back.
    #[error("you have made no move yet that could be taken back")]
    NothingToTakeBack,
    /// A move is asked back already.
    #[error("the {0} has asked for a move back already; that is to be answered first")]
    TakebackOffered(Seat),
    /// There is no such question of the other player.
    #[error("the other player has not asked for a move back")]
    NoTakebackOffered,
    /// Moves were asked back too often.
    #[error("you have asked for {TAKEBACK_OFFERS_MAX} moves back in this match, the most you may")]
    TooManyTakebacks,
    /// Free words where only fixed phrases are said.
    #[error("in a public match only the fixed phrases are said; free text is for private ones")]
    PhrasesOnly,
    /// Words that cannot be shown.
    #[error(transparent)]
    #[strum(serialize = "bad-chat")]
    Chat(#[from] InvalidChat),
    /// More words than others can follow.
    #[error(
        "too much talk; {who} may say at most {burst} things at once and one in {every_ms} ms after that"
    )]
    ChatTooFast {
        /// The group that shares the rate: `you`, or more of the sender's address.
        who: &'static str,
        /// The number of lines at once.
        burst: u32,
        /// In the long run, one in so many milliseconds.
        every_ms: u64,
    },
    /// A rematch was offered already.
    #[error("a rematch was offered by the {0} already; the other player may accept it")]
    RematchOffered(Seat),
    /// There is no offer of the other player to accept.
    #[error("the other player has offered no rematch; offer one yourself")]
    NoRematchOffered,
    /// The other player is not there any more.
    #[error("the other player is a former one, whom nobody can reach any more")]
    FormerPlayer,
    /// The rematch was agreed already.
    #[error("the rematch was agreed already; go to match {0}")]
    RematchAgreed(crate::ids::Code),
    /// Analysis of a match in play that was not agreed on.
    #[error("this match is not for learning; it can be analysed when it is over")]
    NotForLearning,
    /// The positions of the match are too long for one review.
    #[error(
        "the positions of this match are {0} bytes long, more than the {REVIEW_BYTES_MAX} of a review; analyse single ones"
    )]
    ReviewTooLong(usize),
    /// A position that is too long to be studied.
    #[error("this position is {0} bytes long, more than the {STUDY_BYTES_MAX} that can be studied")]
    PositionTooLong(usize),
    /// No idea of this name.
    #[error(transparent)]
    #[strum(serialize = "no-such-puzzle")]
    UnknownGrade(#[from] UnknownReasoner),
    /// No position of this game and grade was found.
    #[error("no puzzle of {game}{} was found from this seed; try another one", of_grade(*grade))]
    NoSuchPuzzle {
        /// The game.
        game: GameId,
        /// The grade that was asked for.
        grade: Option<Reasoner>,
    },
    /// More marks than a guest may have.
    #[error("you would have {0} marks, more than the {MARKS_MAX} that are kept; remove some")]
    TooManyMarks(usize),
    /// A version that the match has not reached.
    #[error("the match is at version {current}; there is no version {found} to look at")]
    NoSuchVersion {
        /// The version that was asked for.
        found: Version,
        /// The version of the match.
        current: Version,
    },
    /// No program of this name plays this game from such a start.
    #[error(
        "{UnknownLevel}, and no program called `{0}` is here for such a match; `games` lists those \
         that are"
    )]
    NoSuchProgram(String),
    /// The program does not want the match.
    #[error("`{0}` declined this match; choose another opponent or start")]
    ProgramDeclined(String),
    /// The program has gone, or did not answer in time.
    #[error("`{0}` did not answer the offer; try again later, or choose another opponent")]
    ProgramAway(String),
    /// The program has as many offers, in all or from the sender's address, or seats as it may.
    #[error(
        "`{0}` plays or is offered as many matches as it may, in all or from your address; try again later"
    )]
    ProgramBusy(String),
    /// No offer to this program.
    #[error("there is no such offer to you; its time is over, or it is from an earlier connection")]
    NoSuchOffer,
    /// A person registers.
    #[error("only a program can register; say `program` in `hello`")]
    NotAProgram,
    /// Another program has registered under the same name.
    #[error("a program called `{0}` is here already; say `hello` with another name")]
    #[strum(serialize = "bad-name")]
    ProgramNameTaken(String),
    /// As many programs have registered as may, in all or from the sender's address.
    #[error("as many programs as may have registered, in all or at your address; try again later")]
    TooManyPrograms,
    /// The connection follows as many matches as it may.
    #[error("this connection follows {0} matches, the most it may; `leave` one first")]
    FollowsTooMany(usize),
    /// The match was left after it was asked to be followed, and before that was answered.
    #[error("you have left this match since you asked to follow it; ask again to come back")]
    LeftMeanwhile,
    /// The connection has as many unanswered commands as it may.
    #[error("{0} commands wait for their answer, the most there may be; wait for one")]
    TooManyInFlight(usize),
    /// Something is asked for faster than it may be.
    #[error("{limit}")]
    TooFast {
        /// The limit.
        limit: SpeedLimit,
        /// The time until the next one is allowed, in milliseconds.
        retry_after_ms: u64,
    },
    /// The sender's address has asked for as many device codes that are good now as it may.
    #[error(
        "your address has asked for too many device codes; ask again when the first of them has \
         ended, in some minutes"
    )]
    #[strum(serialize = "too-many-device-codes")]
    AddressTooManyDeviceCodes,
    /// The connections of the sender's address follow as many matches as they may.
    #[error("the connections of your address follow as many matches as they may; leave one first")]
    #[strum(serialize = "follows-too-many")]
    AddressFollowsTooMany,
    /// The sender's address has made as many matches that still wait for a player as it may.
    #[error(
        "{0} matches of your address wait for a second player, the most there may be; \
         withdraw one first"
    )]
    #[strum(serialize = "too-many-matches")]
    AddressTooManyMatches(usize),
    /// The match has as many spectators as it may.
    #[error("this match has {0} spectators, the most it may; come back when somebody has left")]
    TooManySpectators(usize),
    /// The guest has made as many matches that are not over as they may.
    #[error(
        "{0} matches of yours are open or in play, the most there may be; end one of them first"
    )]
    TooManyMatches(u32),
    /// The guest has as many seats in matches that are not over as they may.
    #[error(
        "you have {0} seats in matches that are not over, the most there may be; end one first"
    )]
    TooManySeats(u32),
    /// The match has more commands waiting than it takes.
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
    /// The server is going down.
    #[error("the server is shutting down; reconnect in a moment")]
    ShuttingDown,
}

fn of_grade(grade: Option<Reasoner>) -> String {
    grade.map_or(String::new(), |grade| format!(" that needs `{grade}`"))
}

/// A limit on what a connection or its address asks for, or is sent, in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SpeedLimit {
    /// The messages of a connection.
    #[error("too many messages; send at most {0} a second")]
    Messages(u32),
    /// The messages of all connections of the sender's address and role.
    #[error(
        "too many messages from your address; its {who} together may send {per_second} a second"
    )]
    AddressMessages {
        /// The group that shares the rate, such as `spectators`.
        who: &'static str,
        /// The sustained rate, in messages per second.
        per_second: u32,
    },
    /// The new matches of the sender's address.
    #[error(
        "too many new matches from your address; it may make {burst} at once, and {per_second} a second"
    )]
    NewMatches {
        /// The matches at once.
        burst: u32,
        /// The sustained rate, in matches per second.
        per_second: u32,
    },
    /// The bytes that the sender's address is sent.
    #[error("too much was sent to your address; it may receive {0} bytes a second")]
    Bytes(u32),
    /// The processor time that the questions of the sender's address take, in microseconds.
    #[error("the questions of your address take too much time; they may take {0} µs a second")]
    Questions(u32),
    /// The changes of marks of the sender's address.
    #[error(
        "too many marks from your address; {burst} changes at once and {per_second} a second are kept"
    )]
    Marks {
        /// The changes at once.
        burst: u32,
        /// The sustained rate, in changes per second.
        per_second: u32,
    },
    /// The requests for identities, and tried device codes, of the sender's address.
    #[error(
        "too many requests about devices from your address; {burst} at once and {per_second} a \
         second are answered"
    )]
    Devices {
        /// The number at once.
        burst: u32,
        /// The sustained rate, in requests per second.
        per_second: u32,
    },
}

/// A refusal's name on the wire.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    NoSuchProgram,
    ProgramDeclined,
    ProgramAway,
    ProgramBusy,
    NoSuchOffer,
    NotAProgram,
    TooManyPrograms,
    FollowsTooMany,
    LeftMeanwhile,
    TooManyInFlight,
    TooFast,
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

impl fmt::Display for RefusalReason {
    /// As on the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
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
            Self::TooFast { retry_after_ms, .. } | Self::Banned { retry_after_ms, .. } => {
                Some(*retry_after_ms)
            }
            Self::Busy => Some(BUSY_RETRY_MS),
            _ => None,
        }
    }

    /// Returns true if the same command, sent again later, may succeed.
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
