//! The study of a run: the record after a match, a position without one, and in a match what is allowed there.

use fibfob_games::Flight;
use fibfob_protocol::{
    Mark, MatchSetup, Opponent, PhaseView, Player, RequestBody, ReviewedPly, ServerMessage, Today,
};
use fibfob_theory::{explained, options};

use super::text::{self, OutputKind};
use super::typed_command::{StudyWord, WORDS};
use super::{AppState, DisplayEffect, Effect, Recording, UserRole, refuse, say};
use crate::app::study::{Recorder, Step, StudyBoard, Task};
use crate::coach;
use crate::typed_move;

impl AppState {
    /// Sets whether the record of a match is shown.
    pub fn record(&mut self, recording: Recording) {
        self.recording = recording;
    }

    /// The user's study; none while a match is played.
    pub fn study(&self) -> Option<&StudyBoard> {
        self.study.as_ref().filter(|_| self.is_studying())
    }

    /// Returns true if what is typed is about what is studied.
    pub fn is_studying(&self) -> bool {
        let followed = self.followed.as_ref();
        self.study.is_some() && !followed.is_some_and(|followed| followed.is_to_be_played())
            || self.is_reviewing()
    }

    fn is_reviewing(&self) -> bool {
        self.study.is_some() && self.recording == Recording::Asked
    }

    /// Returns true if the run does not end with its match: it came from what was studied before.
    pub fn comes_back_to_study(&self) -> bool {
        self.aside.is_some()
    }

    /// The number of today's flight, if that is the match.
    pub fn flight(&self) -> Option<u32> {
        self.flight
    }

    /// Begins the flight of a day.
    pub fn fly(&mut self, flight: &Flight, enter: Option<RequestBody>) -> Vec<Effect> {
        self.flight = Some(flight.number);
        let title = flight.game.info().title;
        let text = format!(
            "Flight {} · {title}: you can win this start.",
            flight.number
        );
        let mut effects = vec![say(OutputKind::Note, text)];
        effects.push(match self.is_here {
            true => say(
                OutputKind::Note,
                "A flight here is practice: only a server counts it.",
            ),
            false => self.request(RequestBody::Today),
        });
        effects.extend(self.start(enter));
        effects
    }

    /// Handles an answer about what is studied.
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
                    study.add_marks(marks.clone());
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
    fn keep_marks(&self, add: &[String], remove: &[String]) -> Option<Effect> {
        let [add, remove] = [add, remove].map(|texts| {
            let marks = texts
                .iter()
                .filter_map(|text| Mark::try_from(text.clone()).ok());
            marks.collect()
        });
        (!self.is_here).then_some(Effect::Request(RequestBody::Progress { add, remove }))
    }

    /// Begins to study.
    pub fn begin_study(&mut self, mut study: StudyBoard) -> Vec<Effect> {
        let steps = study.opening();
        let asked = study.marks().and_then(|marks| self.keep_marks(&marks, &[]));
        self.study = Some(study);
        let mut effects = self.follow_steps(steps);
        effects.extend(asked);
        effects
    }

    /// Returns true if both players agreed that the analysis is open, or the bot plays here.
    pub fn may_study(&self) -> bool {
        self.followed.as_ref().is_some_and(|followed| {
            let other = followed
                .seat
                .and_then(|seat| followed.view.players.get(seat.other()));
            let is_bot = matches!(other, Some(Player::Bot { .. }));
            followed.view.learning || self.is_here && is_bot && self.flight.is_none()
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
        let steps = self.study.as_mut().and_then(|study| study.on_word(word));
        match steps {
            Some(steps) => self.follow_steps(steps),
            None => refuse("that is not possible here"),
        }
    }

    pub(super) fn on_studied_move(&mut self, text: &str) -> Vec<Effect> {
        let steps = self.study.as_mut().map(|study| study.on_move(text));
        self.follow_steps(steps.unwrap_or_default())
    }

    fn follow_steps(&mut self, steps: Vec<Step>) -> Vec<Effect> {
        let mut effects = Vec::new();
        for step in steps {
            let effect = match step {
                Step::Say(tone, text) => say(tone, text),
                Step::Sheet(lines) => DisplayEffect::Sheet(lines).into(),
                Step::Mark(mark, is_kept) => {
                    let changed = std::slice::from_ref(&mark);
                    effects.extend(match is_kept {
                        true => self.keep_marks(changed, &[]),
                        false => self.keep_marks(&[], changed),
                    });
                    Effect::Mark(mark, is_kept)
                }
                Step::Play(setup) => {
                    let is_record = self
                        .study
                        .as_ref()
                        .is_some_and(|it| matches!(it.task, Task::Record(_)));
                    let left = self.study.take();
                    // The record of a match is left with it.
                    self.aside = self.aside.take().or(left.filter(|_| !is_record));
                    self.create(*setup)
                }
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

    /// Comes back from a match to what was studied before it.
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

    /// Another match of the same game, against the same bot or whoever joins.
    fn new_match(&mut self) -> Vec<Effect> {
        let Some(followed) = self
            .followed
            .as_ref()
            .filter(|it| it.is_over() && it.seat.is_some())
        else {
            return refuse("`new` is for a player after a match");
        };
        let other = followed
            .seat
            .and_then(|seat| followed.view.players.get(seat.other()));
        let setup = MatchSetup {
            opponent: match other {
                Some(Player::Bot { level }) => Opponent::Bot(*level),
                _ => Opponent::Open,
            },
            learning: followed.view.learning,
            time: followed.view.time,
            ..MatchSetup::new(followed.view.game.to_string())
        };
        vec![self.create(setup)]
    }

    /// Answers in a match where the analysis is open.
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
        match word {
            StudyWord::Hint => {
                let again = self.progress.hinted.replace(version) == Some(version);
                vec![say(OutputKind::Note, coach::hint(&position, again))]
            }
            StudyWord::Why => vec![DisplayEffect::Sheet(explained(&position)).into()],
            StudyWord::Options => vec![DisplayEffect::Sheet(options(&position)).into()],
            StudyWord::Try(text) => match typed_move::read(&position, text, &WORDS) {
                Ok(text) => vec![say(OutputKind::Note, coach::tried(&position, &text))],
                Err(fault) => refuse(fault),
            },
            _ => refuse("that is for after the match"),
        }
    }

    /// The request for the values of the match, once it has ended or where they were asked for.
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
        let recorder = self
            .followed
            .as_ref()
            .and_then(|followed| Recorder::of(followed, plies));
        let Some(recorder) = recorder else {
            return Vec::new();
        };
        // A screen shows them as a bar.
        let listed = recorder
            .listed()
            .into_iter()
            .filter(|_| self.recording == Recording::Asked);
        let mut effects: Vec<Effect> = listed.map(|line| say(OutputKind::Visible, line)).collect();
        let flown = self.flight.map(|number| recorder.flown(number));
        effects.extend(self.begin_study(StudyBoard::of_record(recorder)));
        if let Some(flown) = flown {
            effects.push(say(OutputKind::Note, flown));
            effects.extend((!self.is_here).then(|| self.request(RequestBody::Today)));
        }
        if self.aside.is_some() {
            effects.push(say(
                OutputKind::Note,
                "Enter goes back to where you came from.",
            ));
        }
        effects
    }
}
