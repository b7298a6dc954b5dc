//! Lessons: stops on a path, each of a shown move, moves to find, positions to tell apart, and a match.

use std::collections::BTreeSet;

use fibfob_games::{
    Lesson, LessonPath, LessonStep, LessonTask, Level, Position, choose_move, lessons,
};
use fibfob_theory::suggestion;

use super::{Step, StudyBoard, Task, match_against, note, refused, visible};
use crate::coach;

/// The way through the lessons.
#[derive(Clone, Debug)]
pub struct Journey {
    /// The lesson, counted from 0; none while one is to be chosen.
    lesson: Option<usize>,
    step: usize,
    /// The moves that are still to be found in this step.
    left: u32,
    /// True if the step has been done.
    is_done: bool,
    marks: BTreeSet<String>,
}

fn mark(lesson: &Lesson) -> String {
    format!("lesson/{}", lesson.name)
}

fn current(lesson: usize, step: usize) -> Option<(&'static Lesson, &'static LessonStep)> {
    let lesson = lessons().get(lesson)?;
    Some((lesson, lesson.steps.get(step)?))
}

/// The first position of a step.
fn position_of(lesson: &Lesson, step: &LessonStep) -> Option<Position> {
    let text = match &step.task {
        LessonTask::Show { position, .. }
        | LessonTask::Find { position, .. }
        | LessonTask::Match { position, .. } => position,
        LessonTask::Colour { positions, .. } => positions.first()?,
    };
    step.game.unwrap_or(lesson.game).read(text).ok()
}

impl Journey {
    fn step(&self) -> Option<(&'static Lesson, &'static LessonStep)> {
        current(self.lesson?, self.step)
    }

    /// Returns true if a winning move is looked for.
    pub fn is_asked(&self) -> bool {
        let task = self.step().map(|(_, step)| &step.task);
        matches!(task, Some(LessonTask::Find { .. })) && !self.is_done
    }

    /// The first lesson that is not done, or else the first one.
    fn next_lesson(&self) -> usize {
        let mut all = lessons().iter();
        all.position(|lesson| !self.marks.contains(&mark(lesson)))
            .unwrap_or(0)
    }

    pub fn head(&self, title: &str) -> [String; 3] {
        let Some((lesson, step)) = self.step() else {
            let done = lessons()
                .iter()
                .filter(|lesson| self.marks.contains(&mark(lesson)));
            return [
                format!(
                    "Learn to win  {} of {} stops",
                    done.count(),
                    lessons().len()
                ),
                format!(
                    "Enter: {}. A number: another stop.",
                    lessons()[self.next_lesson()].title.en
                ),
                "`stops` lists them, `quit`".to_owned(),
            ];
        };
        let asked = match (&step.task, self.is_done) {
            (_, true) => "Enter: go on.".to_owned(),
            (LessonTask::Show { .. }, _) => "Enter shows the move.".to_owned(),
            (LessonTask::Find { .. }, _) if self.left == 1 => "Find a move that wins.".to_owned(),
            (LessonTask::Find { .. }, _) => format!("Win in {} moves of yours.", self.left),
            (LessonTask::Colour { .. }, _) => {
                "Which are lost for whoever is to move? Type their numbers.".to_owned()
            }
            (LessonTask::Match { level, .. }, _) => {
                format!("Enter: play the {level} bot from here.")
            }
        };
        let number = format!("{} of {}", self.step + 1, lesson.steps.len());
        [
            format!("{}  {title}  {number}", lesson.title.en),
            asked,
            "Enter, `hint`, `why`, `options`, `stops`, `quit`".to_owned(),
        ]
    }

    /// The stops, with those that are done.
    fn stops(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut path = None;
        for (number, lesson) in (1..).zip(lessons()) {
            if path.replace(lesson.path) != Some(lesson.path) {
                lines.push(match lesson.path {
                    LessonPath::Flight => "The flight path".to_owned(),
                    LessonPath::Families => "The families".to_owned(),
                });
            }
            let sign = if self.marks.contains(&mark(lesson)) {
                "✓"
            } else {
                " "
            };
            lines.push(format!(
                "  {sign} {number:>2}  {}  ({})",
                lesson.title.en, lesson.name
            ));
        }
        lines
    }
}

impl StudyBoard {
    /// The lessons, at one of a number or a name, or where one is to be chosen.
    pub fn of_lessons(name: Option<&str>, marks: BTreeSet<String>) -> Result<Self, String> {
        let journey = Journey {
            lesson: None,
            step: 0,
            left: 0,
            is_done: false,
            marks,
        };
        let first = lessons().get(journey.next_lesson());
        let position = first.and_then(|lesson| position_of(lesson, lesson.steps.first()?));
        let position = position.ok_or("this program has no lessons")?;
        let mut study = Self::new(position, Task::Learn(journey));
        if let Some(name) = name {
            let at = lesson_named(name)?;
            study.enter_step(Some(at), 0);
        }
        Ok(study)
    }

    /// The marks of the lessons; none of another study.
    pub fn marks(&self) -> Option<Vec<String>> {
        match &self.task {
            Task::Learn(journey) => Some(journey.marks.iter().cloned().collect()),
            _ => None,
        }
    }

    /// Adds marks that are known from elsewhere.
    pub fn add_marks(&mut self, marks: impl IntoIterator<Item = String>) {
        if let Task::Learn(journey) = &mut self.task {
            journey.marks.extend(marks);
        }
    }

    fn enter_step(&mut self, lesson: Option<usize>, step: usize) {
        let Task::Learn(journey) = &mut self.task else {
            return;
        };
        (journey.lesson, journey.step, journey.is_done) = (lesson, step, false);
        let shown = current(lesson.unwrap_or_else(|| journey.next_lesson()), step);
        if let Some((lesson, step)) = shown {
            journey.left = match step.task {
                LessonTask::Find { par, .. } => par,
                _ => 1,
            };
            if let Some(position) = position_of(lesson, step) {
                self.set(vec![position]);
            }
        }
    }

    /// The lines at the beginning of a step.
    pub(super) fn lesson_opening(&mut self) -> Vec<Step> {
        let Task::Learn(journey) = &self.task else {
            return Vec::new();
        };
        let Some((lesson, step)) = journey.step() else {
            let [_, next, _] = journey.head("");
            return vec![Step::Sheet(journey.stops()), visible(next)];
        };
        let mut steps = Vec::new();
        if journey.step == 0 {
            steps.push(visible(lesson.title.en));
            steps.push(note(lesson.words.en));
        }
        steps.push(note(step.text.en));
        if let LessonTask::Colour { positions, .. } = &step.task {
            let numbered = (1..)
                .zip(positions)
                .map(|(number, it)| format!("{number}: {it}"));
            steps.push(note(numbered.collect::<Vec<_>>().join("   ")));
        }
        let [_, asked, _] = journey.head("");
        steps.push(visible(asked));
        steps
    }

    /// Handles what is no move: the stop to go to, or the positions that are lost.
    pub(super) fn answer(&mut self, typed: &str) -> Vec<Step> {
        let Task::Learn(journey) = &mut self.task else {
            return Vec::new();
        };
        if typed.eq_ignore_ascii_case("stops") {
            self.enter_step(None, 0);
            return self.lesson_opening();
        }
        if let Some((_, step)) = journey.step()
            && let LessonTask::Colour { positions, lost } = &step.task
            && !journey.is_done
        {
            let numbers: BTreeSet<usize> = typed
                .split([' ', ','])
                .filter_map(|word| word.parse().ok())
                .collect();
            let is_lost = |number: usize| {
                let position = number.checked_sub(1).and_then(|at| positions.get(at));
                position.is_some_and(|position| lost.contains(position))
            };
            let right = (1..=positions.len()).all(|it| numbers.contains(&it) == is_lost(it));
            journey.is_done = right;
            return vec![note(match right {
                true => "Right. Enter: go on.",
                false => {
                    "Not these: from a lost position every move leads to a won one. Try again."
                }
            })];
        }
        match lesson_named(typed) {
            Ok(at) => {
                self.enter_step(Some(at), 0);
                self.lesson_opening()
            }
            Err(fault) => refused(fault),
        }
    }

    /// Goes on in the lesson.
    pub(super) fn next_step(&mut self) -> Vec<Step> {
        let Task::Learn(journey) = &mut self.task else {
            return Vec::new();
        };
        let Some((lesson, step)) = journey.step() else {
            let next = journey.next_lesson();
            self.enter_step(Some(next), 0);
            return self.lesson_opening();
        };
        if !journey.is_done {
            return match &step.task {
                LessonTask::Show { mv, .. } => {
                    journey.is_done = true;
                    let said = coach::change(&self.line[0], mv);
                    if let Some(after) = coach::after(&self.line[0], mv) {
                        self.make(after);
                    }
                    vec![note(format!("`{mv}`: {said}. Enter: go on."))]
                }
                LessonTask::Match { level, position } => {
                    let game = step.game.unwrap_or(lesson.game);
                    let setup = match_against(game, (*position).to_owned(), *level);
                    vec![Step::Play(Box::new(setup))]
                }
                _ => refused("answer first; `hint` helps, and `stops` lists other stops"),
            };
        }
        let (at, next) = (journey.lesson, journey.step + 1);
        if next < lesson.steps.len() {
            self.enter_step(at, next);
            return self.lesson_opening();
        }
        let mark = mark(lesson);
        journey.marks.insert(mark.clone());
        let done = note(format!("{}: done.", lesson.title.en));
        self.enter_step(None, 0);
        let Task::Learn(journey) = &self.task else {
            return Vec::new();
        };
        let [_, next, _] = journey.head("");
        vec![Step::Mark(mark, true), done, note(next)]
    }

    pub(super) fn found_in_lesson(&mut self, said: String, after: Position) -> Vec<Step> {
        self.make(after);
        let Task::Learn(journey) = &mut self.task else {
            return Vec::new();
        };
        journey.left = journey.left.saturating_sub(1);
        let reply = choose_move(
            self.line.last().unwrap_or(&self.line[0]),
            Level::Perfect,
            &mut rand::rng(),
        );
        let Some(reply) = reply.filter(|_| journey.left > 0) else {
            journey.is_done = true;
            return vec![note(format!("Right. {said}. Enter: go on."))];
        };
        let text = reply.to_string();
        let answered = coach::change(self.position(), &text);
        if let Some(after) = coach::after(self.position(), &text) {
            self.make(after);
        }
        vec![note(format!(
            "Right. {said}. The answer is `{text}`: {answered}. Your move."
        ))]
    }

    /// Comes back from the match of a step.
    pub fn come_back(&mut self, won: bool) -> Vec<Step> {
        let Task::Learn(journey) = &mut self.task else {
            return self.opening();
        };
        if !matches!(journey.step(), Some((_, step)) if matches!(step.task, LessonTask::Match { .. }))
        {
            return self.opening();
        }
        journey.is_done = won;
        match won {
            true => self.next_step(),
            false => vec![note("Enter: play it again. `stops` lists other stops.")],
        }
    }
}

/// The lesson of a number from 1, or of a name.
fn lesson_named(name: &str) -> Result<usize, String> {
    let number = name
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1));
    let is_named = |lesson: &Lesson| {
        lesson.name == name.to_lowercase() || lesson.title.en.eq_ignore_ascii_case(name)
    };
    let found = number.filter(|at| *at < lessons().len());
    found
        .or_else(|| lessons().iter().position(is_named))
        .ok_or_else(|| {
            let names = lessons().iter().map(|lesson| lesson.name);
            let meant = suggestion(name, names).unwrap_or_else(|| "`stops` lists them".to_owned());
            format!("there is no stop `{name}`; {meant}")
        })
}
