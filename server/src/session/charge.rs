//! The one table of requests: what each costs its address, and what it adds to the session.

use fibfob_protocol::{Action, RequestBody};

/// The bounds that a request is counted against, beside that of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub cost: Cost,
    /// A match is followed when it is done.
    pub follows: bool,
    /// A match is made when it is done.
    pub creates: bool,
}

/// The means by which an address pays for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Its message alone: whoever plays goes on when the rest is used up.
    Message,
    /// The bytes of the answer.
    Answer,
    /// The bytes of the answer, and a computation or a look at the store.
    Question,
    /// The bytes of the answer, and a change of what is kept for a guest.
    Marks,
    /// The bytes of the answer, and one of the few tries at an identity.
    Identity,
}

impl Charge {
    pub(super) fn of(body: &RequestBody) -> Self {
        let plain = |cost| Self {
            cost,
            follows: false,
            creates: false,
        };
        let following = |cost| Self {
            follows: true,
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
            RequestBody::Act { .. }
            | RequestBody::AnswerOffer { take: false, .. }
            | RequestBody::Leave { .. }
            | RequestBody::Chat { .. }
            | RequestBody::Mute { .. } => plain(Cost::Message),
            RequestBody::AnswerOffer { take: true, .. } => following(Cost::Message),
            RequestBody::Create(_) | RequestBody::Fly => creating(following(Cost::Answer)),
            RequestBody::Join { .. }
            | RequestBody::Spectate { .. }
            | RequestBody::Resume { .. } => following(Cost::Answer),
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
            | RequestBody::Register { .. }
            | RequestBody::Matches { .. } => plain(Cost::Question),
            RequestBody::DeviceCode
            | RequestBody::CallMe(_)
            | RequestBody::CallMeNot { .. }
            | RequestBody::TakeIdentity { .. }
            | RequestBody::ForgetMe { .. }
            | RequestBody::Identity { .. } => plain(Cost::Identity),
        }
    }
}
