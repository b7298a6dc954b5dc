//! The acknowledgement of a command.

use fibfob_protocol::{Accepted, Actor, Code, CommandId, Match, MatchId, MatchRef, Seat, Version};

/// The acknowledgement of an accepted command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The match.
    pub id: MatchId,
    /// Its code.
    pub code: Code,
    /// The version that the command led to.
    pub version: Version,
    /// True if the command was stored before.
    pub repeated: bool,
    /// The seat of its author.
    pub seat: Option<Seat>,
    /// The rematch that it began.
    pub next: Option<MatchRef>,
}

impl Acknowledgement {
    /// The acknowledgement of a command of `actor` that led to `version`.
    pub(super) fn new(current: &Match, actor: Actor, version: Version) -> Self {
        Self {
            id: current.id(),
            code: current.terms().code,
            version,
            repeated: false,
            seat: current.seat_of(actor),
            // An agreed rematch is always the last event, so only its own command is answered with the next
            // match.
            next: current
                .next_match()
                .filter(|_| version == current.version())
                .cloned(),
        }
    }

    /// The acknowledgement of the same command, sent again.
    pub(super) fn again(self) -> Self {
        let repeated = true;
        Self { repeated, ..self }
    }

    /// Returns the answer to a `command` that entered the match.
    pub fn entered(self, command: CommandId) -> Accepted {
        Accepted {
            match_id: Some(self.id),
            code: Some(self.code),
            seat: self.seat,
            ..self.accepted(command)
        }
    }

    /// Returns the answer to a `command` that named the match.
    pub fn accepted(&self, command: CommandId) -> Accepted {
        Accepted {
            version: Some(self.version),
            repeated: self.repeated,
            next: self.next.clone(),
            ..Accepted::of(command)
        }
    }
}
