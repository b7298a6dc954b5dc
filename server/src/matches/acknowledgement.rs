//! The acknowledgement of a command.

use fibfob_protocol::{Accepted, Actor, Code, CommandId, Match, MatchId, MatchRef, Seat, Version};

/// The acknowledgement of an accepted command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Acknowledgement {
    pub id: MatchId,
    pub code: Code,
    pub version: Version,
    pub seat: Option<Seat>,
    pub next: Option<MatchRef>,
}

impl Acknowledgement {
    /// The acknowledgement of a command of `actor` that led to `version`.
    pub(super) fn new(current: &Match, actor: Actor, version: Version) -> Self {
        Self {
            id: current.id(),
            code: current.terms().code,
            version,
            seat: current.seat_of(actor),
            // The agreement on a rematch is always the last event, so only its own command is
            // answered with it.
            next: current
                .next_match()
                .filter(|_| version == current.version())
                .cloned(),
        }
    }

    /// The message that answers `command`.
    pub(crate) fn accepted(self, command: CommandId) -> Accepted {
        Accepted {
            id: command,
            match_id: Some(self.id),
            code: Some(self.code),
            version: Some(self.version),
            seat: self.seat,
            next: self.next,
        }
    }
}
