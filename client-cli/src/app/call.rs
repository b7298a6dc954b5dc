//! Calls: what somebody who looks elsewhere should know at once.

use fibfob_client::MatchUpdate;
use fibfob_protocol::{Event, PhaseView, Seat};

use super::displayed_match::DisplayedMatch;

/// The reason for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The other seat was taken.
    Joined,
    /// The user chooses who moves first.
    Choice,
    /// It is the user's turn.
    Turn,
    /// The opponent asks for a takeback.
    Takeback,
    /// The opponent has answered the user's question for a takeback.
    Answer,
    /// The opponent offers or accepts a rematch.
    Rematch,
    /// The match may be claimed.
    Claim,
    /// The match is over.
    Over,
}

impl Call {
    /// The call that an update makes necessary; none if the user did it all.
    pub fn of(followed: &DisplayedMatch, update: &MatchUpdate, was_over: bool) -> Option<Self> {
        let seat = followed.seat?;
        let newest = &update.events.last()?.event;
        if author(newest) == Some(seat) {
            return None;
        }
        match (newest, &followed.view.phase) {
            (_, PhaseView::Over { .. }) if !was_over => Some(Self::Over),
            (Event::Joined { .. }, _) if seat == Seat::Creator => Some(Self::Joined),
            (Event::TakebackOffered { .. }, _) => Some(Self::Takeback),
            (Event::TakenBack { .. } | Event::TakebackDeclined { .. }, _) => Some(Self::Answer),
            (Event::RematchOffered { .. } | Event::RematchAccepted { .. }, _) => {
                Some(Self::Rematch)
            }
            (_, PhaseView::Choosing { chooser, .. }) if *chooser == seat => Some(Self::Choice),
            (_, PhaseView::Playing { turn, .. }) if *turn == seat => Some(Self::Turn),
            _ => None,
        }
    }
}

/// The seat whose action made an event.
fn author(event: &Event) -> Option<Seat> {
    match event {
        Event::Moved { seat, .. }
        | Event::Chosen { seat, .. }
        | Event::Resigned { seat }
        | Event::Claimed { seat }
        | Event::TakebackOffered { seat }
        | Event::TakenBack { seat, .. }
        | Event::TakebackDeclined { seat }
        | Event::RematchOffered { seat }
        | Event::RematchAccepted { seat, .. } => Some(*seat),
        Event::Joined { .. } => Some(Seat::Joiner),
        _ => None,
    }
}
