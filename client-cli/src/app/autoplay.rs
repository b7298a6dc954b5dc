//! Steps that follow from the state alone: the solver's moves, prompts, the end of the run.

use fibfob_protocol::{Action, MoveOrder, PhaseView, RequestBody, Version};
use fibfob_theory::Exit;

use super::text::{self, OutputKind};
use super::{AppState, DisplayEffect, Effect, SolverQuery, SolverResult, UserRole, say, stop};
use crate::args::Autoplay;

impl AppState {
    /// Handles the solver's answer to a query about this version.
    pub fn on_solver_result(&mut self, version: Version, result: SolverResult) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return Vec::new();
        };
        if followed.version != version || self.progress.thinking != Some(version) {
            return Vec::new();
        }
        let id = followed.id;
        match result {
            SolverResult::Move(text) => self.send_move(version, text),
            SolverResult::First(begin) => vec![self.request(RequestBody::Act {
                id,
                action: Action::Choose {
                    order: MoveOrder::first_if(begin),
                },
            })],
            SolverResult::Nothing => vec![say(OutputKind::Problem, "the solver found nothing")],
        }
    }

    pub(super) fn follow_up(&mut self) -> Vec<Effect> {
        let Some(followed) = self.followed.as_ref().filter(|_| self.is_present()) else {
            return Vec::new();
        };
        let version = followed.version;
        if followed.is_over() && self.unanswered == 0 && !self.progress.settled {
            self.progress.settled = true;
            return vec![DisplayEffect::Settled(self.exit()).into()];
        }
        if let UserRole::Player(Some(auto)) = self.role
            && let Some(effects) = self.autoplay(auto)
        {
            return effects;
        }
        if self.progress.prompted == Some(version) {
            return Vec::new();
        }
        self.progress.prompted = Some(version);
        let followed = self.followed.as_ref();
        let prompt =
            followed.and_then(|followed| text::prompt(followed, self.server_for_friends()));
        let prompt = prompt.map(|text| say(OutputKind::Prompt, text));
        prompt.into_iter().collect()
    }

    /// The solver's step in this state; none if it has nothing to do.
    fn autoplay(&mut self, auto: Autoplay) -> Option<Vec<Effect>> {
        let followed = self.followed.as_ref()?;
        let (id, version, seat) = (followed.id, followed.version, followed.seat?);
        let query = match followed.view.phase {
            PhaseView::Choosing { chooser, .. } if chooser == seat => SolverQuery::FirstMove,
            PhaseView::Playing {
                takeback: Some(by), ..
            } if by != seat => {
                if self.progress.answered == Some(version) {
                    return Some(Vec::new());
                }
                self.progress.answered = Some(version);
                // Outside matches for learning, a takeback could give a won position away.
                let agree = followed.view.learning;
                return Some(vec![self.request(RequestBody::Act {
                    id,
                    action: Action::AnswerTakeback { agree },
                })]);
            }
            PhaseView::Playing { turn, .. } if turn == seat => SolverQuery::Move,
            _ => return None,
        };
        if self.progress.in_flight.is_some() || self.progress.thinking == Some(version) {
            return Some(Vec::new());
        }
        let Some(position) = followed.position().map(Box::new) else {
            let text = "this client does not know the rules of this game";
            return Some(vec![say(OutputKind::Problem, text), stop(Exit::No)]);
        };
        self.progress.thinking = Some(version);
        Some(vec![Effect::Solve {
            version,
            position,
            query,
            auto,
        }])
    }
}
