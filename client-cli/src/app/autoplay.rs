//! Steps that follow from the state alone: the solver's moves, prompts, the end of the run.

use fibfob_protocol::{Action, Version};
use fibfob_theory::Exit;

use super::displayed_match::MatchQuestion;
use super::text::{self, OutputKind};
use super::{AppState, DisplayEffect, Effect, UserRole, say, stop};
use crate::args::Autoplay;
use crate::solver::{SolverQuery, SolverTask};

impl AppState {
    /// Handles the solver's answer to a query about this version; none if it found nothing.
    pub fn on_solver_result(&mut self, version: Version, found: Option<Action>) -> Vec<Effect> {
        let shown = self.followed.as_ref().map(|followed| followed.version);
        if [shown, self.progress.thinking] != [Some(version); 2] {
            return Vec::new();
        }
        match found {
            Some(Action::Play { text, .. }) => self.send_move(version, text),
            Some(action) => self.act(action),
            None => vec![say(OutputKind::Problem, "the solver found nothing")],
        }
    }

    pub(super) fn follow_up(&mut self) -> Vec<Effect> {
        let Some(followed) = self.followed.as_ref().filter(|_| self.is_present()) else {
            return Vec::new();
        };
        let version = followed.version;
        if followed.is_over() && self.unanswered == 0 && !self.progress.settled {
            self.progress.settled = true;
            // There is no record to read first, and a script could not press Enter.
            if self.analysis.is_none() && self.aside.is_some() {
                return self.on_enter();
            }
            return vec![DisplayEffect::Settled(self.exit()).into()];
        }
        if let UserRole::Player(Some(auto)) = self.role
            && let Some(effects) = self.autoplay(auto)
        {
            return effects;
        }
        if self.progress.prompted.replace(version) == Some(version) {
            return Vec::new();
        }
        let followed = self.followed.as_ref();
        let prompt = followed.and_then(|it| text::prompt(it, self.server_for_friends()));
        Vec::from_iter(prompt.map(|text| say(OutputKind::Prompt, text)))
    }

    /// The solver's step in this state; none if it has nothing to do.
    fn autoplay(&mut self, auto: Autoplay) -> Option<Vec<Effect>> {
        let followed = self.followed.as_ref()?;
        let version = followed.version;
        let query = match followed.question() {
            Some(MatchQuestion::Choice) => SolverQuery::FirstMove,
            Some(MatchQuestion::Takeback) => {
                if self.progress.answered.replace(version) == Some(version) {
                    return Some(Vec::new());
                }
                // Outside matches for learning, a takeback could give a won position away.
                let agree = followed.view.learning;
                return Some(self.act(Action::AnswerTakeback { agree }));
            }
            None if followed.is_our_turn() => SolverQuery::Move,
            None => return None,
        };
        if self.progress.in_flight.is_some() || self.progress.thinking == Some(version) {
            return Some(Vec::new());
        }
        let Some(position) = followed.position() else {
            let text = "this client does not know the rules of this game";
            return Some(vec![say(OutputKind::Problem, text), stop(Exit::No)]);
        };
        self.progress.thinking = Some(version);
        let task = SolverTask {
            version,
            position,
            query,
            auto,
        };
        Some(vec![Effect::Solve(Box::new(task))])
    }
}
