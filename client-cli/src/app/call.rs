//! Calls: what somebody who looks elsewhere should know at once.

use fibfob_client::MatchUpdate;
use fibfob_protocol::{Event, PhaseView, Seat};

use super::displayed_match::DisplayedMatch;

/// Returns true if the user is to be called because of an update: the other player did something that
/// waits for an answer or was waited for, or the match has ended.
pub fn calls(followed: &DisplayedMatch, update: &MatchUpdate, was_over: bool) -> bool {
    let (Some(seat), Some(newest)) = (followed.seat, update.events.last()) else {
        return false;
    };
    if newest.event.author() == Some(seat) {
        return false;
    }
    let is_awaited = match &newest.event {
        Event::Joined { .. } => seat == Seat::Creator,
        Event::TakebackOffered { .. }
        | Event::TakenBack { .. }
        | Event::TakebackDeclined { .. }
        | Event::RematchOffered { .. }
        | Event::RematchAccepted { .. } => true,
        _ => false,
    };
    is_awaited
        || match followed.view.phase {
            PhaseView::Over { .. } => !was_over,
            PhaseView::Choosing { chooser, .. } => chooser == seat,
            PhaseView::Playing { turn, .. } => turn == seat,
            PhaseView::Open | PhaseView::Closed { .. } => false,
        }
}
