//! The one table of requests: what each costs its address, and what becomes of the
//! matches that it names.

use fibfob_net::address_guard::Spent;
use fibfob_protocol::{Action, MatchId, MatchSetup, Opponent, RequestBody};

/// A request's row in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub cost: Cost,
    pub follows: Follows,
    /// It makes a match if it succeeds.
    pub creates: bool,
}

/// The price of a request for its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Its message only, so that a player goes on when everything else is used up.
    Message,
    /// The bytes of the answer.
    Answer,
    /// The bytes of the answer, and a computation or a look at the store.
    Question,
    /// The bytes of the answer, and a change of a guest's marks.
    Marks,
    /// The bytes of the answer, and one of the few requests about an identity.
    Identity,
    /// The same for a guess at a secret code. A wrong guess stays charged, because the charge is what bounds them.
    Guess,
}

/// The change that a successful request makes to the followed matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// They stay the same.
    Same,
    /// There is one more.
    Another,
    /// This one is followed again, by a client that reconnects.
    Again(MatchId),
    /// This one is left.
    NoMore(MatchId),
}

impl Cost {
    /// The price of a new match. A bot computes for the address, as a question does.
    fn of(setup: &MatchSetup) -> Self {
        match setup.opponent {
            Opponent::Bot(_) => Self::Question,
            Opponent::Open | Opponent::Friend => Self::Answer,
        }
    }
}

fn plain(cost: Cost) -> Charge {
    Charge {
        cost,
        follows: Follows::Same,
        creates: false,
    }
}

impl Charge {
    pub(super) fn of(body: &RequestBody) -> Self {
        let with = |follows, cost| Self {
            follows,
            ..plain(cost)
        };
        let creating = |charge| Self {
            creates: true,
            ..charge
        };
        match body {
            RequestBody::Act {
                action: Action::OfferRematch | Action::AcceptRematch,
                ..
            } => creating(plain(Cost::Message)),
            RequestBody::Act { .. } | RequestBody::Chat { .. } | RequestBody::Mute { .. } => {
                plain(Cost::Message)
            }
            RequestBody::Leave { id } => with(Follows::NoMore(*id), Cost::Message),
            RequestBody::Create(setup) => creating(with(Follows::Another, Cost::of(setup))),
            RequestBody::Fly => creating(with(Follows::Another, Cost::Question)),
            RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                with(Follows::Another, Cost::Answer)
            }
            RequestBody::Resume { id, .. } => with(Follows::Again(*id), Cost::Answer),
            RequestBody::Games | RequestBody::Lobby { .. } => plain(Cost::Answer),
            RequestBody::Progress { add, remove } if add.len() + remove.len() > 0 => {
                plain(Cost::Marks)
            }
            RequestBody::Preview { .. }
            | RequestBody::Analyse { .. }
            | RequestBody::Review { .. }
            | RequestBody::Legal { .. }
            | RequestBody::Study { .. }
            | RequestBody::Puzzle { .. }
            | RequestBody::Progress { .. }
            | RequestBody::Today
            | RequestBody::Record { .. }
            | RequestBody::Matches { .. } => plain(Cost::Question),
            RequestBody::DeviceCode
            | RequestBody::CallMe(_)
            | RequestBody::CallMeNot { .. }
            | RequestBody::ForgetMe { .. }
            | RequestBody::Identity { .. } => plain(Cost::Identity),
            RequestBody::TakeIdentity { .. } => plain(Cost::Guess),
        }
    }

    /// The token that its address pays with; none for what may be asked at the rate of messages.
    pub(super) fn spends(self) -> Option<Spent> {
        match (self.creates, self.cost) {
            (true, _) => Some(Spent::Created),
            (false, Cost::Marks) => Some(Spent::Marks),
            (false, Cost::Identity | Cost::Guess) => Some(Spent::DeviceRequests),
            (false, Cost::Message | Cost::Answer | Cost::Question) => None,
        }
    }

    /// Returns the token that a refusal gives back, because nothing was done for it.
    pub(super) fn returns(self) -> Option<Spent> {
        self.spends().filter(|_| self.cost != Cost::Guess)
    }

    /// Returns true for a request that may wait for the store, or for room in a match's inbox.
    pub(super) fn waits(self) -> bool {
        self.cost != Cost::Message || self.follows == Follows::Another
    }

    /// Returns true for a request by which a client reconnects.
    pub(super) fn reconnects(self) -> bool {
        matches!(self.follows, Follows::Again(_))
    }

    /// Returns the match that it leaves.
    pub(super) fn leaves(self) -> Option<MatchId> {
        match self.follows {
            Follows::NoMore(id) => Some(id),
            _ => None,
        }
    }

    /// Returns true if it follows one match more than those for which `is_followed` is true.
    pub(super) fn adds_one(self, is_followed: impl FnOnce(MatchId) -> bool) -> bool {
        match self.follows {
            Follows::Same | Follows::NoMore(_) => false,
            Follows::Another => true,
            Follows::Again(id) => !is_followed(id),
        }
    }
}
