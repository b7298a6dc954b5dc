//! Lessons: stops on a path, each of a shown move, moves to find, positions to tell apart, and a match.

use std::collections::BTreeSet;

use fibfob_games::{
    Lesson, LessonPath, LessonStep, LessonTask, Level, Position, choose_move, lessons,
};
use fibfob_protocol::RequestBody;
use fibfob_theory::suggestion;

use super::line::StudyLine;
use super::{StudyBoard, Task, match_against, note, sheet, visible};
use crate::app::{Effect, refuse};

#[derive(Clone, Debug)]
pub struct Journey {
    /// None while one is to be chosen.
    lesson: Option<&'static Lesson>,
    step: usize,
    /// The moves that are still to be found in this step.
    left: u32,
    is_done: bool,
    pub marks: BTreeSet<String>,
}

fn mark(lesson: &Lesson) -> String {
    format!("lesson/{}", lesson.name)
}

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
        let lesson = self.lesson?;
        Some((lesson, lesson.steps.get(self.step)?))
    }

    /// Returns true if a winning move is looked for.
    pub fn is_asked(&self) -> bool {
        let task = self.step().map(|(_, step)| &step.task);
        matches!(task, Some(LessonTask::Find { .. })) && !self.is_done
    }

    fn is_marked(&self, lesson: &Lesson) -> bool {
        self.marks.contains(&mark(lesson))
    }

    /// The first lesson that is not done, or else the first one.
    fn next_lesson(&self) -> Option<&'static Lesson> {
        let mut all = lessons().iter();
        all.find(|lesson| !self.is_marked(lesson))
            .or(lessons().first())
    }

    pub fn head(&self, title: &str) -> [String; 3] {
        let Some((lesson, step)) = self.step() else {
            let all = lessons();
            let done = all.iter().filter(|lesson| self.is_marked(lesson)).count();
            let next = self.next_lesson().map_or("", |lesson| lesson.title.en);
            return [
                format!("Learn to win  {done} of {} stops", all.len()),
                format!("Enter: {next}. A number: another stop."),
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
            let sign = if self.is_marked(lesson) { "✓" } else { " " };
            let (title, name) = (lesson.title.en, lesson.name);
            lines.push(format!("  {sign} {number:>2}  {title}  ({name})"));
        }
        lines
    }

    /// Begins the lessons with the board: at the one with this number or name, or with a choice.
    pub fn begin(name: Option<&str>, marks: BTreeSet<String>) -> Result<StudyBoard, String> {
        let mut journey = Self {
            lesson: None,
            step: 0,
            left: 0,
            is_done: false,
            marks,
        };
        let position = journey.next_lesson();
        let position = position.and_then(|lesson| position_of(lesson, lesson.steps.first()?));
        let position = position.ok_or("this program has no lessons")?;
        let mut line = StudyLine::new(vec![position]);
        if let Some(name) = name {
            journey.enter(&mut line, Some(lesson_named(name)?), 0);
        }
        let task = Task::Learn(journey);
        Ok(StudyBoard { line, task })
    }

    fn enter(&mut self, line: &mut StudyLine, lesson: Option<&'static Lesson>, step: usize) {
        (self.lesson, self.step, self.is_done) = (lesson, step, false);
        let shown = lesson.or_else(|| self.next_lesson());
        if let Some((lesson, step)) = shown.and_then(|it| Some((it, it.steps.get(step)?))) {
            self.left = match step.task {
                LessonTask::Find { par, .. } => par,
                _ => 1,
            };
            if let Some(position) = position_of(lesson, step) {
                *line = StudyLine::new(vec![position]);
            }
        }
    }

    pub fn opening(&self) -> Vec<Effect> {
        let [_, asked, _] = self.head("");
        let Some((lesson, step)) = self.step() else {
            return vec![sheet(self.stops()), visible(asked)];
        };
        let mut steps = Vec::new();
        if self.step == 0 {
            steps.push(visible(lesson.title.en));
            steps.push(note(lesson.words.en));
        }
        steps.push(note(step.text.en));
        if let LessonTask::Colour { positions, .. } = &step.task {
            let numbered = (1..).zip(positions);
            let numbered = numbered.map(|(number, it)| format!("{number}: {it}"));
            steps.push(note(numbered.collect::<Vec<_>>().join("   ")));
        }
        steps.push(visible(asked));
        steps
    }

    /// Handles a text that is no move: the stop to go to, or the lost positions.
    pub fn answer(&mut self, line: &mut StudyLine, typed: &str) -> Vec<Effect> {
        if typed.eq_ignore_ascii_case("stops") {
            self.enter(line, None, 0);
            return self.opening();
        }
        if let Some((_, step)) = self.step()
            && let LessonTask::Colour { positions, lost } = &step.task
            && !self.is_done
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
            self.is_done = right;
            let wrong = "Not these: from a lost position every move leads to a won one. Try again.";
            return vec![note(if right { "Right. Enter: go on." } else { wrong })];
        }
        match lesson_named(typed) {
            Ok(at) => {
                self.enter(line, Some(at), 0);
                self.opening()
            }
            Err(fault) => refuse(fault),
        }
    }

    pub fn next(&mut self, line: &mut StudyLine) -> Vec<Effect> {
        let Some((lesson, step)) = self.step() else {
            self.enter(line, self.next_lesson(), 0);
            return self.opening();
        };
        if !self.is_done {
            return match &step.task {
                LessonTask::Show { mv, .. } => {
                    self.is_done = true;
                    let said = line.show_move(mv);
                    vec![note(format!("`{mv}`: {said}. Enter: go on."))]
                }
                LessonTask::Match { level, position } => {
                    let game = step.game.unwrap_or(lesson.game);
                    let setup = match_against(game, (*position).to_owned(), *level);
                    vec![Effect::Request(RequestBody::Create(setup))]
                }
                _ => refuse("answer first; `hint` helps, and `stops` lists other stops"),
            };
        }
        if self.step + 1 < lesson.steps.len() {
            self.enter(line, self.lesson, self.step + 1);
            return self.opening();
        }
        let mark = mark(lesson);
        self.marks.insert(mark.clone());
        let done = note(format!("{}: done.", lesson.title.en));
        self.enter(line, None, 0);
        let [_, next, _] = self.head("");
        vec![Effect::Mark(mark, true), done, note(next)]
    }

    pub fn found(&mut self, line: &mut StudyLine, said: &str) -> Vec<Effect> {
        self.left = self.left.saturating_sub(1);
        let reply = choose_move(line.asked(), Level::Perfect, &mut rand::rng());
        let Some(reply) = reply.filter(|_| self.left > 0) else {
            self.is_done = true;
            return vec![note(format!("Right. {said}. Enter: go on."))];
        };
        let reply = reply.to_string();
        let answered = line.show_move(&reply);
        vec![note(format!(
            "Right. {said}. The answer is `{reply}`: {answered}. Your move."
        ))]
    }

    pub fn is_match(&self) -> bool {
        let task = self.step().map(|(_, step)| &step.task);
        matches!(task, Some(LessonTask::Match { .. }))
    }

    pub fn come_back(&mut self, line: &mut StudyLine, won: bool) -> Vec<Effect> {
        self.is_done = won;
        match won {
            true => self.next(line),
            false => vec![note("Enter: play it again. `stops` lists other stops.")],
        }
    }
}

/// Finds a lesson by its number from 1, or by its name.
fn lesson_named(name: &str) -> Result<&'static Lesson, String> {
    let number = name.parse::<usize>().ok();
    let number = number.and_then(|number| number.checked_sub(1));
    let is_named = |lesson: &&Lesson| {
        lesson.name == name.to_lowercase() || lesson.title.en.eq_ignore_ascii_case(name)
    };
    number
        .and_then(|at| lessons().get(at))
        .or_else(|| lessons().iter().find(is_named))
        .ok_or_else(|| {
            let names = lessons().iter().map(|lesson| lesson.name);
            let meant = suggestion(name, names).unwrap_or_else(|| {
                format!(
                    "expected a name, or a number from 1 to {}; `fibfob learn` lists them",
                    lessons().len()
                )
            });
            format!("there is no stop `{name}`; {meant}")
        })
}
