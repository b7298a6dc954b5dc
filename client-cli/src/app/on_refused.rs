//! Handles the refusal of a request.

use fibfob_protocol::{Action, PhaseView, RefusalReason, Refused, RequestBody};
use fibfob_theory::Exit;

use super::clock::minutes;
use super::text;
use super::{AppState, Effect, Recording, UserRole, refuse, stop};

impl AppState {
    pub(super) fn on_refused(&mut self, ask: Option<RequestBody>, answer: Refused) -> Vec<Effect> {
        let Some(ask) = ask else {
            return refuse(answer.message);
        };
        let reason = answer.reason;
        let message = match (&ask, reason) {
            (RequestBody::Join { code }, RefusalReason::SeatTaken) => {
                format!("the seat is taken; `fibfob watch {code}` shows the match")
            }
            // A kept identity is in its own seat.
            (RequestBody::Join { code }, RefusalReason::AlreadySeated) => {
                let code = code.clone();
                return vec![self.request(RequestBody::Spectate { code })];
            }
            _ => self.in_words(reason).unwrap_or(answer.message),
        };
        let mut effects = refuse(format!("{}: {message}", describe(&ask)));
        match ask {
            RequestBody::Create(_) if self.aside.is_some() => {
                self.analysis = self.aside.take();
            }
            RequestBody::Review { .. } if self.recording != Recording::Asked => {}
            RequestBody::Create(_)
            | RequestBody::Spectate { .. }
            | RequestBody::Join { .. }
            | RequestBody::Review { .. } => {
                effects.push(stop(Exit::No));
            }
            RequestBody::Act {
                action: Action::Play { expecting, .. },
                ..
            } => {
                let in_flight = &mut self.progress.in_flight;
                in_flight.take_if(|it| it.expecting == expecting);
                let overtaken = matches!(
                    reason,
                    RefusalReason::Stale | RefusalReason::NotYourTurn | RefusalReason::NotInPlay
                );
                // The solver would find the same move again.
                if matches!(self.role, UserRole::Player(Some(_))) && !overtaken {
                    effects.push(stop(Exit::No));
                }
            }
            _ => {}
        }
        effects
    }

    /// Words a refusal for people, if the server's words are for programs.
    fn in_words(&self, reason: RefusalReason) -> Option<String> {
        let followed = self.followed.as_ref()?;
        let other = || Some(text::name_of(&followed.view, followed.seat?.other()));
        match (reason, &followed.view.phase) {
            (RefusalReason::NotAwayLongEnough, _) => Some(match followed.away() {
                Some(_) => {
                    let grace = minutes(followed.view.grace_ms);
                    format!("{} has to be away for {grace} before you may", other()?)
                }
                None => format!("{} is not away", other()?),
            }),
            (RefusalReason::NotChoosing, PhaseView::Open) => {
                Some("nobody has taken the other seat yet".to_owned())
            }
            (RefusalReason::NotChoosing, _) => {
                Some("there is no more to choose, it is known who began".to_owned())
            }
            _ => None,
        }
    }
}

fn describe(ask: &RequestBody) -> String {
    let what = match ask {
        RequestBody::Create(_) => "the match was not made",
        RequestBody::Join { code } => return format!("match {code} was not joined"),
        RequestBody::Spectate { code } => return format!("match {code} cannot be watched"),
        RequestBody::Chat { .. } => "nothing was said",
        RequestBody::Mute { muted: true, .. } => "talk is not muted",
        RequestBody::Mute { muted: false, .. } => "talk stays muted",
        RequestBody::Act { action, .. } => match action {
            Action::Play { text, .. } => return format!("`{text}` was not played"),
            Action::Resign => "you have not resigned",
            Action::Choose { .. } => "nothing was chosen",
            Action::Claim => "the match was not claimed",
            Action::OfferTakeback => "your move was not asked back",
            Action::AnswerTakeback { .. } => "the question was not answered",
            Action::OfferRematch | Action::AcceptRematch => "no rematch",
            Action::Withdraw => "the match was not taken back",
            _ => "that was not done",
        },
        // Nothing in a match asks anything else.
        _ => "that was not done",
    };
    what.to_owned()
}
