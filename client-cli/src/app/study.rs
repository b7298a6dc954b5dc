//! Studies beside a match: the flight recorder, a puzzle, a lesson, or any position on the board.
//!
//! Pure: what was typed goes in, and steps for the state of the program come out. All of them share one line of positions,
//! of which the board shows one, and one way of finding a winning move: every winning one is right, a wrong one is answered
//! on the board by the reply that refutes it and taken back.

mod journey;
mod puzzle;
mod recorder;

use fibfob_games::{GameId, Level, Position};
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, Start};
use fibfob_theory::{explained, options, read_game_and_position, read_position};

use crate::app::text::OutputKind;
use crate::app::typed_command::{StudyWord, WORDS};
use crate::{coach, typed_move};

pub use journey::Journey;
pub use puzzle::PuzzleTask;
pub use recorder::Recorder;

/// The most positions of a line that was tried; an older one is forgotten.
const LINE_MAX: usize = 2_000;

/// An effect of a typed line.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Say(OutputKind, String),
    /// Lines to be read at leisure.
    Sheet(Vec<String>),
    /// Play this match, and come back to the study after it.
    Play(Box<MatchSetup>),
    /// Keep a mark of progress, or remove it.
    Mark(String, bool),
}

/// The task of a study.
#[derive(Clone, Debug)]
pub enum Task {
    Analyse,
    Puzzle(PuzzleTask),
    Record(Box<Recorder>),
    Learn(Journey),
}

#[derive(Clone, Debug)]
pub struct StudyBoard {
    /// The positions so far; there is always one.
    line: Vec<Position>,
    /// The one that the board shows.
    at: usize,
    /// A wrong move and its refutation, until something else is typed.
    refuted: Option<[Position; 2]>,
    /// The value of the position, in words.
    value: &'static str,
    /// True if a hint was given here, so that the next one tells the move.
    hinted: bool,
    pub task: Task,
}

/// A line that a screen shows all the time.
fn visible(text: impl Into<String>) -> Step {
    Step::Say(OutputKind::Prompt, text.into())
}

fn note(text: impl Into<String>) -> Step {
    Step::Say(OutputKind::Note, text.into())
}

fn refused(text: impl Into<String>) -> Vec<Step> {
    vec![Step::Say(OutputKind::Refusal, text.into())]
}

impl StudyBoard {
    pub fn new(position: Position, task: Task) -> Self {
        let mut study = Self {
            line: vec![position],
            at: 0,
            refuted: None,
            value: "",
            hinted: false,
            task,
        };
        study.go(0);
        study
    }

    /// The recorder of a match, at its last position.
    pub fn of_record(recorder: Recorder) -> Self {
        let line = recorder.positions();
        let mut study = Self::new(line[0].clone(), Task::Record(Box::new(recorder)));
        study.line = line;
        study.go(study.line.len() - 1);
        study
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        let refuted = self.refuted.as_ref().map(|[_, reply]| reply);
        refuted.unwrap_or(&self.line[self.at])
    }

    /// The position that moves are made in; the board may show a refutation meanwhile.
    pub fn asked(&self) -> &Position {
        &self.line[self.at]
    }

    /// The position before it, which tells what has changed.
    pub fn before(&self) -> Option<&Position> {
        match &self.refuted {
            Some([wrong, _]) => Some(wrong),
            None => Some(&self.line[self.at.checked_sub(1)?]),
        }
    }

    /// The position that sets the scale of the picture.
    pub fn start(&self) -> &Position {
        &self.line[0]
    }

    pub fn game(&self) -> GameId {
        self.start().game()
    }

    /// The index of the position on the board.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns true if moves are looked for, so that the arrow keys steer the ship; otherwise they walk.
    pub fn takes_moves(&self) -> bool {
        match &self.task {
            Task::Analyse => false,
            Task::Puzzle(puzzle) => !puzzle.is_solved(),
            Task::Record(recorder) => recorder.is_tried(),
            Task::Learn(journey) => journey.is_asked(),
        }
    }

    /// The title, what is asked, and what can be typed.
    pub fn head(&self) -> [String; 3] {
        let title = self.game().info().title;
        match &self.task {
            Task::Analyse => [
                format!("Analysis  {title}"),
                format!("{}.", crate::app::text::capitalised(self.value)),
                "a move, `back`, `why`, `hint`, `options`, `position …`, `play`, `quit`".to_owned(),
            ],
            Task::Puzzle(puzzle) => puzzle.head(title),
            Task::Record(recorder) => recorder.head(self.at, self.value),
            Task::Learn(journey) => journey.head(title),
        }
    }

    /// The lines at the beginning of the study.
    pub fn opening(&mut self) -> Vec<Step> {
        match &self.task {
            Task::Analyse => vec![note(self.summary())],
            Task::Puzzle(puzzle) => vec![note(puzzle.opening(&self.line[0]))],
            Task::Record(recorder) => recorder.sentences().into_iter().map(note).collect(),
            Task::Learn(_) => self.lesson_opening(),
        }
    }

    fn summary(&self) -> String {
        let (position, game) = (self.position(), self.game());
        format!("{game} {position}: {}", self.value)
    }

    fn go(&mut self, at: usize) {
        (self.at, self.refuted, self.hinted) = (at, None, false);
        self.value = coach::value(&self.line[at]);
    }

    /// Sets another line of positions.
    fn set(&mut self, line: Vec<Position>) {
        let last = line.len() - 1;
        self.line = line;
        self.go(last);
    }

    /// Makes a move on the board; what was tried after this position before is forgotten.
    fn make(&mut self, after: Position) {
        self.line.truncate(self.at + 1);
        self.line.push(after);
        if self.line.len() > LINE_MAX {
            self.line.remove(0);
        }
        self.go(self.line.len() - 1);
    }

    /// Handles a command; none if it is not one for this study.
    pub fn on_word(&mut self, word: StudyWord) -> Option<Vec<Step>> {
        let was_hinted = self.hinted;
        self.refuted = None;
        let position = &self.line[self.at];
        Some(match word {
            StudyWord::Hint => {
                self.hinted = true;
                vec![note(coach::hint(position, was_hinted))]
            }
            StudyWord::Why => vec![Step::Sheet(explained(position))],
            StudyWord::Options => vec![Step::Sheet(options(position))],
            StudyWord::Try("") => return self.begin_try(),
            StudyWord::Try(text) => match typed_move::read(position, text, &WORDS) {
                Ok(text) => vec![note(coach::tried(position, &text))],
                Err(fault) => refused(fault),
            },
            StudyWord::Back => self.walk(self.at.checked_sub(1)),
            StudyWord::Forward => self.walk(Some(self.at + 1)),
            StudyWord::Next => return self.next(),
            StudyWord::Play(level) => match against(position, level) {
                Ok(setup) => vec![Step::Play(Box::new(setup))],
                Err(fault) => refused(fault),
            },
            StudyWord::Position(text) => self.set_position(text),
            StudyWord::New => return None,
        })
    }

    /// Handles a line that is no command: a move, or an answer.
    pub fn on_move(&mut self, typed: &str) -> Vec<Step> {
        self.refuted = None;
        let asks_stops = typed.eq_ignore_ascii_case("stops");
        if matches!(self.task, Task::Learn(_)) && (asks_stops || !self.takes_moves()) {
            return self.answer(typed);
        }
        if matches!(self.task, Task::Puzzle(_)) && !self.takes_moves() {
            return refused("solved; Enter or `next` sets another one");
        }
        if matches!(self.task, Task::Record(_)) && !self.takes_moves() {
            return refused(
                "`try` goes to the move that gave the win away; ← → walk, `play` goes on from here",
            );
        }
        let position = &self.line[self.at];
        let text = match typed_move::read(position, typed, &WORDS) {
            Ok(text) => text,
            Err(fault) => return refused(fault),
        };
        let Some(after) = coach::after(position, &text) else {
            return refused(format!("`{text}` is not legal here"));
        };
        if matches!(self.task, Task::Analyse) {
            self.make(after);
            return vec![note(format!("{text}: {}", self.summary()))];
        }
        if position.solve().winning.contains(&text) {
            return self.found(&text, after);
        }
        let mut steps = vec![note(format!(
            "{}; taken back",
            coach::tried(position, &text)
        ))];
        let reply = coach::best(&after).and_then(|reply| coach::after(&after, &reply));
        self.refuted = reply.map(|reply| [after, reply]);
        if let Task::Puzzle(puzzle) = &mut self.task {
            steps.extend(puzzle.missed());
        }
        steps
    }

    /// Goes on after a winning move.
    fn found(&mut self, text: &str, after: Position) -> Vec<Step> {
        let said = coach::tried(&self.line[self.at], text);
        match &mut self.task {
            Task::Analyse => Vec::new(),
            Task::Puzzle(puzzle) => {
                let steps = puzzle.solved(&said);
                self.make(after);
                steps
            }
            Task::Record(_) => self.found_in_record(said),
            Task::Learn(_) => self.found_in_lesson(said, after),
        }
    }

    fn walk(&mut self, to: Option<usize>) -> Vec<Step> {
        if self.takes_moves() && !matches!(self.task, Task::Record(_)) {
            return refused("find a move first; `hint` helps");
        }
        let Some(to) = to.filter(|to| *to < self.line.len()) else {
            return Vec::new();
        };
        self.go(to);
        match &mut self.task {
            Task::Record(recorder) => {
                recorder.stop_trying();
                vec![visible(recorder.summary(to))]
            }
            _ => vec![visible(self.summary())],
        }
    }

    /// Goes on: to the next puzzle, step or move.
    fn next(&mut self) -> Option<Vec<Step>> {
        match &self.task {
            Task::Puzzle(_) => Some(self.next_puzzle()),
            Task::Learn(_) => Some(self.next_step()),
            Task::Record(_) | Task::Analyse => Some(self.walk(Some(self.at + 1))),
        }
    }

    fn set_position(&mut self, text: &str) -> Vec<Step> {
        if !matches!(self.task, Task::Analyse) {
            return refused("`fibfob analyse` sets any position");
        }
        let (game, text) = read_game_and_position(text).unwrap_or((self.game(), text));
        let text = if text.is_empty() {
            game.info().example
        } else {
            text
        };
        match read_position(game, text) {
            Ok(position) => {
                self.set(vec![position]);
                vec![note(self.summary())]
            }
            Err(fault) => refused(fault.to_string()),
        }
    }
}

/// A match from a position against the bot; the user moves first.
fn against(position: &Position, level: &str) -> Result<MatchSetup, String> {
    if position.is_terminal() {
        return Err("no move is left here".to_owned());
    }
    let level = match level {
        "" => Level::Casual,
        named => named.parse::<Level>().map_err(|fault| fault.to_string())?,
    };
    Ok(match_against(position.game(), position.to_string(), level))
}

/// A match from this start against the bot; the user moves first.
pub fn match_against(game: GameId, start: String, level: Level) -> MatchSetup {
    MatchSetup {
        start: Start::Position(start),
        opponent: Opponent::Bot(level),
        first: FirstMoveRule::Me,
        ..MatchSetup::new(game.to_string())
    }
}

#[cfg(test)]
mod tests;
