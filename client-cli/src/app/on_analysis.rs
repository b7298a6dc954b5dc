//! Handles words about an analysis: of a match that is over, of a position without one, or in a match where it is open.

use fibfob_protocol::{MatchSetup, Opponent, PhaseView, RequestBody, Review, ServerMessage};

use super::displayed_match::DisplayedMatch;
use super::text::OutputKind;
use super::typed_command::AnalysisWord;
use super::{AppState, Effect, Recording, UserRole, refuse, say};
use crate::app::analysis::{AnalysisBoard, Recorder, advice};

impl AppState {
    /// The user's analysis; none while a match is played.
    pub fn analysis(&self) -> Option<&AnalysisBoard> {
        self.analysis.as_ref().filter(|_| self.is_analysing())
    }

    /// Returns true if what is typed is about what is analysed.
    pub fn is_analysing(&self) -> bool {
        let followed = self.followed.as_ref();
        let is_played = followed.is_some_and(DisplayedMatch::is_to_be_played);
        self.analysis.is_some() && (!is_played || self.recording == Recording::Asked)
    }

    /// Returns true if the run goes on after its match, because it began in an analysis.
    pub fn comes_back_to_analysis(&self) -> bool {
        self.aside.is_some()
    }

    pub(super) fn on_answer(&mut self, answer: &ServerMessage) -> Vec<Effect> {
        match answer {
            ServerMessage::Review(review) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.on_review(&review.answer)
            }
            // This program sends no other question.
            _ => Vec::new(),
        }
    }

    pub fn begin_analysis(&mut self, analysis: AnalysisBoard) -> Vec<Effect> {
        let effects = analysis.opening();
        self.analysis = Some(analysis);
        effects
    }

    /// Returns true if both players agreed that the analysis is open, or the bot plays here.
    pub fn may_analyse(&self) -> bool {
        self.followed.as_ref().is_some_and(|followed| {
            followed.view.learning || self.is_here && followed.bot().is_some()
        })
    }

    /// Handles an empty line: goes back to the analysis that a match was begun from.
    pub(super) fn on_enter(&mut self) -> Vec<Effect> {
        if !self.is_over() || self.aside.is_none() {
            return Vec::new();
        }
        self.followed = None;
        self.analysis = self.aside.take();
        self.analysis
            .as_ref()
            .map_or_else(Vec::new, AnalysisBoard::opening)
    }

    pub(super) fn on_analysis_word(&mut self, word: AnalysisWord) -> Vec<Effect> {
        if word == AnalysisWord::New {
            return self.new_match();
        }
        if !self.is_analysing() {
            return self.coach(word);
        }
        let steps = self
            .analysis
            .as_mut()
            .map(|analysis| analysis.on_word(word));
        self.follow_steps(steps.unwrap_or_default())
    }

    pub(super) fn on_analysis_move(&mut self, text: &str) -> Vec<Effect> {
        let steps = self
            .analysis
            .as_mut()
            .map(|analysis| analysis.on_move(text));
        steps.unwrap_or_default()
    }

    /// Creates the match that an analysis asks for, and keeps the analysis that the user comes back to.
    fn follow_steps(&mut self, steps: Vec<Effect>) -> Vec<Effect> {
        let steps = steps.into_iter().map(|step| match step {
            Effect::Request(RequestBody::Create(setup)) => {
                // The record of a match is left with it.
                let left = self.analysis.take();
                let left = left.filter(|it| it.recorder.is_none());
                self.aside = self.aside.take().or(left);
                self.create(setup)
            }
            step => step,
        });
        steps.collect()
    }

    fn create(&mut self, setup: MatchSetup) -> Effect {
        self.role = UserRole::Player(None);
        self.recording = Recording::AtEnd;
        self.request(RequestBody::Create(setup))
    }

    /// Starts another match of the same game, against the same bot or whoever joins.
    fn new_match(&mut self) -> Vec<Effect> {
        let followed = self.followed.as_ref();
        let Some(followed) = followed.filter(|it| it.is_over() && it.seat.is_some()) else {
            return refuse("`new` is for a player after a match");
        };
        let setup = MatchSetup {
            opponent: followed.bot().map_or(Opponent::Open, Opponent::Bot),
            learning: followed.view.learning,
            time: followed.view.time,
            ..MatchSetup::new(followed.view.game.to_string())
        };
        vec![self.create(setup)]
    }

    fn coach(&mut self, word: AnalysisWord) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return refuse("the match has not begun yet");
        };
        if !self.may_analyse() {
            return refuse(
                "the analysis is open after the match, in matches for learning (`--learning`) and against the bot \
                 without a server",
            );
        }
        let (version, position) = (followed.version, followed.position());
        let Some(position) = position.filter(|_| followed.turn().is_some()) else {
            return refuse("no move can be made now");
        };
        let again =
            word == AnalysisWord::Hint && self.progress.hinted.replace(version) == Some(version);
        let steps = advice(&position, word, again);
        steps.unwrap_or_else(|| refuse("that is for after the match"))
    }

    /// Requests the values of the match, once it has ended or if they were asked for.
    pub(super) fn wanted_review(&mut self, was_over: bool) -> Option<Effect> {
        let followed = self.followed.as_ref()?;
        let is_due = match self.recording {
            Recording::Off => false,
            Recording::AtEnd => {
                let over = matches!(followed.view.phase, PhaseView::Over { .. });
                over && !was_over && followed.view.plies > 0
            }
            Recording::Asked => self.is_present() && self.analysis.is_none(),
        };
        let id = followed.id;
        (is_due && !matches!(self.role, UserRole::Player(Some(_))))
            .then(|| self.request(RequestBody::Review { id }))
    }

    fn on_review(&mut self, review: &Review) -> Vec<Effect> {
        let followed = self.followed.as_ref();
        let Some(recorder) = followed.and_then(|it| Recorder::of(it, review)) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if self.recording == Recording::Asked {
            // A screen shows them as a bar.
            let listed = recorder.list_summaries().into_iter();
            effects.extend(listed.map(|line| say(OutputKind::Visible, line)));
        }
        let positions = recorder.positions();
        effects.extend(self.begin_analysis(AnalysisBoard::new(positions, Some(recorder))));
        if self.aside.is_some() {
            let text = "Enter goes back to where you came from.";
            effects.push(say(OutputKind::Note, text));
        }
        effects
    }
}
