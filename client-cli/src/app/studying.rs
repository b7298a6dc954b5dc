//! The study of a run: the record after a match, a position without one, and in a match what is allowed there.

use fibfob_games::Flight;
use fibfob_protocol::{
    Mark, MatchSetup, Opponent, PhaseView, RequestBody, ReviewedPly, ServerMessage, Today,
};

use super::displayed_match::DisplayedMatch;
use super::text::{self, OutputKind};
use super::typed_command::StudyWord;
use super::{AppState, Effect, Recording, UserRole, refuse, say};
use crate::app::study::{Recorder, StudyBoard, Task, advice};

impl AppState {
    /// The user's study; none while a match is played.
    pub fn study(&self) -> Option<&StudyBoard> {
        self.study.as_ref().filter(|_| self.is_studying())
    }

    /// Returns true if what is typed is about what is studied.
    pub fn is_studying(&self) -> bool {
        let followed = self.followed.as_ref();
        let is_played = followed.is_some_and(DisplayedMatch::is_to_be_played);
        self.study.is_some() && (!is_played || self.recording == Recording::Asked)
    }

    /// Returns true if the run goes on after its match, because it began in a study.
    pub fn comes_back_to_study(&self) -> bool {
        self.aside.is_some()
    }

    pub fn fly(&mut self, flight: &Flight, enter: Option<RequestBody>) -> Vec<Effect> {
        self.flight = Some(flight.number);
        let title = flight.game.info().title;
        let number = flight.number;
        let text = format!("Flight {number} · {title}: you can win this start.");
        let mut effects = vec![say(OutputKind::Note, text)];
        let practice = "A flight here is practice: only a server counts it.";
        effects.push(match self.is_here {
            true => say(OutputKind::Note, practice),
            false => self.request(RequestBody::Today),
        });
        effects.extend(self.start(enter));
        effects
    }

    pub(super) fn on_answer(&mut self, answer: &ServerMessage) -> Vec<Effect> {
        match answer {
            ServerMessage::Review(review) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.on_review(&review.answer.plies)
            }
            ServerMessage::Today(today) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.on_today(today)
            }
            ServerMessage::Progress(progress) => {
                let marks = progress.marks.iter().map(ToString::to_string);
                for study in [&mut self.study, &mut self.aside].into_iter().flatten() {
                    if let Task::Learn(journey) = &mut study.task {
                        journey.marks.extend(marks.clone());
                    }
                }
                Vec::new()
            }
            // Nothing else is asked here.
            _ => Vec::new(),
        }
    }

    /// Tells how many have arrived, and the user's streak.
    fn on_today(&mut self, today: &Today) -> Vec<Effect> {
        self.flight = Some(today.number);
        let arrived = text::counted(today.arrived, "guest");
        let text = match today.streak {
            0 => format!("{arrived} arrived today."),
            days => {
                let days = text::counted(u64::from(days), "day");
                format!("{arrived} arrived today; your streak is {days}.")
            }
        };
        vec![say(OutputKind::Note, text)]
    }

    /// The request to change marks at the server; nothing here. Nobody waits for its answer.
    fn keep_marks<'m>(
        &self,
        marks: impl IntoIterator<Item = &'m String>,
        are_kept: bool,
    ) -> Option<Effect> {
        let marks = marks.into_iter().cloned();
        let marks = marks.filter_map(|mark| Mark::try_from(mark).ok()).collect();
        let (add, remove) = match are_kept {
            true => (marks, Vec::new()),
            false => (Vec::new(), marks),
        };
        (!self.is_here).then_some(Effect::Request(RequestBody::Progress { add, remove }))
    }

    pub fn begin_study(&mut self, study: StudyBoard) -> Vec<Effect> {
        let steps = study.opening();
        let asked = match &study.task {
            Task::Learn(journey) => self.keep_marks(&journey.marks, true),
            _ => None,
        };
        self.study = Some(study);
        let mut effects = self.follow_steps(steps);
        effects.extend(asked);
        effects
    }

    /// Returns true if both players agreed that the analysis is open, or the bot plays here.
    pub fn may_study(&self) -> bool {
        self.followed.as_ref().is_some_and(|followed| {
            let is_practice = self.is_here && self.flight.is_none();
            followed.view.learning || is_practice && followed.bot().is_some()
        })
    }

    /// Returns true if Enter goes on: to the next puzzle, in the lesson, or back to it after a match.
    pub fn goes_on(&self) -> bool {
        let goes_on = |study: &StudyBoard| match study.task {
            Task::Puzzle(_) | Task::Learn(_) => !study.takes_moves(),
            Task::Record(_) | Task::Analyse => self.aside.is_some(),
        };
        self.study().is_some_and(goes_on)
    }

    pub(super) fn on_enter(&mut self) -> Vec<Effect> {
        match self.goes_on() {
            true => self.on_study_word(StudyWord::Next),
            false => Vec::new(),
        }
    }

    pub(super) fn on_study_word(&mut self, word: StudyWord) -> Vec<Effect> {
        if word == StudyWord::New {
            return self.new_match();
        }
        if !self.is_studying() {
            return self.coach(word);
        }
        if word == StudyWord::Next && self.aside.is_some() {
            return self.come_back();
        }
        let steps = self.study.as_mut().map(|study| study.on_word(word));
        self.follow_steps(steps.unwrap_or_default())
    }

    pub(super) fn on_studied_move(&mut self, text: &str) -> Vec<Effect> {
        let steps = self.study.as_mut().map(|study| study.on_move(text));
        self.follow_steps(steps.unwrap_or_default())
    }

    /// Does what a study does not know about: marks on the server, and where a match comes back to.
    fn follow_steps(&mut self, steps: Vec<Effect>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for step in steps {
            let effect = match step {
                Effect::Mark(mark, is_kept) => {
                    effects.extend(self.keep_marks([&mark], is_kept));
                    Effect::Mark(mark, is_kept)
                }
                Effect::Request(RequestBody::Create(setup)) => {
                    // The record of a match is left with it.
                    let left = self.study.take();
                    let left = left.filter(|it| !matches!(it.task, Task::Record(_)));
                    self.aside = self.aside.take().or(left);
                    self.create(setup)
                }
                step => step,
            };
            effects.push(effect);
        }
        effects
    }

    fn create(&mut self, setup: MatchSetup) -> Effect {
        self.role = UserRole::Player(None);
        self.recording = Recording::AtEnd;
        self.request(RequestBody::Create(setup))
    }

    fn come_back(&mut self) -> Vec<Effect> {
        let followed = self.followed.take();
        let won = followed.is_some_and(|followed| match followed.view.phase {
            PhaseView::Over { winner, .. } => followed.seat == Some(winner),
            _ => false,
        });
        self.study = self.aside.take();
        let steps = self.study.as_mut().map(|study| study.come_back(won));
        self.follow_steps(steps.unwrap_or_default())
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

    fn coach(&mut self, word: StudyWord) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return refuse("the match has not begun yet");
        };
        if !self.may_study() {
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
            word == StudyWord::Hint && self.progress.hinted.replace(version) == Some(version);
        match advice(&position, word, again) {
            Some(steps) => self.follow_steps(steps),
            None => refuse("that is for after the match"),
        }
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
            Recording::Asked => self.is_present() && self.study.is_none(),
        };
        let id = followed.id;
        (is_due && !matches!(self.role, UserRole::Player(Some(_))))
            .then(|| self.request(RequestBody::Review { id }))
    }

    fn on_review(&mut self, plies: &[ReviewedPly]) -> Vec<Effect> {
        let followed = self.followed.as_ref();
        let Some(recorder) = followed.and_then(|it| Recorder::of(it, plies)) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if self.recording == Recording::Asked {
            // A screen shows them as a bar.
            let listed = recorder.listed().into_iter();
            effects.extend(listed.map(|line| say(OutputKind::Visible, line)));
        }
        let flown = self.flight.map(|number| recorder.flown(number));
        let positions = recorder.positions();
        let study = StudyBoard::new(positions, Task::Record(Box::new(recorder)));
        effects.extend(self.begin_study(study));
        if let Some(flown) = flown {
            effects.push(say(OutputKind::Note, flown));
            effects.extend((!self.is_here).then(|| self.request(RequestBody::Today)));
        }
        if self.aside.is_some() {
            let text = "Enter goes back to where you came from.";
            effects.push(say(OutputKind::Note, text));
        }
        effects
    }
}
