//! Studies beside a match: the flight recorder, a puzzle, a lesson, or any position on the board.
//!
//! Pure: what was typed goes in, effects come out. All studies share one line of positions, of which the
//! board shows one, and one way to look for a winning move: every winning move is right; a wrong one is
//! answered by the reply that refutes it, and then taken back.

mod journey;
mod line;
mod puzzle;
mod recorder;

use fibfob_games::{GameId, Level, Position};
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};
use fibfob_theory::{explained, options, read_named_position};

use crate::app::text::OutputKind;
use crate::app::typed_command::{StudyWord, WORDS};
use crate::app::{DisplayEffect, Effect, refuse, say};
use crate::{coach, typed_move};

pub use journey::Journey;
use line::StudyLine;
pub use puzzle::PuzzleTask;
pub use recorder::Recorder;

#[derive(Clone, Debug)]
pub enum Task {
    Analyse,
    Puzzle(PuzzleTask),
    Record(Box<Recorder>),
    Learn(Journey),
}

#[derive(Clone, Debug)]
pub struct StudyBoard {
    pub line: StudyLine,
    pub task: Task,
}

/// A line that a screen shows all the time.
fn visible(text: impl Into<String>) -> Effect {
    say(OutputKind::Prompt, text)
}

fn note(text: impl Into<String>) -> Effect {
    say(OutputKind::Note, text)
}

fn sheet(lines: Vec<String>) -> Effect {
    DisplayEffect::Sheet(lines).into()
}

impl StudyBoard {
    /// A study at the last of these positions.
    pub fn new(positions: Vec<Position>, task: Task) -> Self {
        let line = StudyLine::new(positions);
        Self { line, task }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        let refuted = self.line.refuted.as_ref().map(|[_, reply]| reply);
        refuted.unwrap_or(self.line.asked())
    }

    /// The position before it, which tells what has changed.
    pub fn before(&self) -> Option<&Position> {
        match &self.line.refuted {
            Some([wrong, _]) => Some(wrong),
            None => Some(&self.line.positions[self.line.at.checked_sub(1)?]),
        }
    }

    /// The position that sets the scale of the picture.
    pub fn start(&self) -> &Position {
        &self.line.positions[0]
    }

    pub fn game(&self) -> GameId {
        self.start().game()
    }

    /// Returns true if moves are looked for. Then the arrow keys steer the ship; otherwise they walk.
    pub fn takes_moves(&self) -> bool {
        match &self.task {
            Task::Analyse => false,
            Task::Puzzle(puzzle) => !puzzle.is_solved,
            Task::Record(recorder) => recorder.trying.is_some(),
            Task::Learn(journey) => journey.is_asked(),
        }
    }

    /// The title, what is asked, and what can be typed.
    pub fn head(&self) -> [String; 3] {
        let title = self.game().info().title;
        match &self.task {
            Task::Analyse => [
                format!("Analysis  {title}"),
                format!("{}.", crate::app::text::capitalised(self.line.value)),
                "a move, `back`, `why`, `hint`, `options`, `position …`, `play`, `quit`".to_owned(),
            ],
            Task::Puzzle(puzzle) => puzzle.head(title),
            Task::Record(recorder) => recorder.head(self.line.at, self.line.value),
            Task::Learn(journey) => journey.head(title),
        }
    }

    pub fn opening(&self) -> Vec<Effect> {
        match &self.task {
            Task::Analyse => vec![note(self.summary())],
            Task::Puzzle(puzzle) => vec![note(puzzle.opening(self.start()))],
            Task::Record(recorder) => recorder.sentences().into_iter().map(note).collect(),
            Task::Learn(journey) => journey.opening(),
        }
    }

    fn summary(&self) -> String {
        let (position, game) = (self.position(), self.game());
        format!("{game} {position}: {}", self.line.value)
    }

    pub fn on_word(&mut self, word: StudyWord) -> Vec<Effect> {
        let (at, was_hinted) = (self.line.at, self.line.hinted);
        self.line.refuted = None;
        self.line.hinted |= word == StudyWord::Hint;
        let position = self.line.asked();
        match word {
            StudyWord::Try("") => match &mut self.task {
                Task::Record(recorder) => recorder.begin_try(&mut self.line),
                _ => refuse("`try` needs a move, such as `try pass`"),
            },
            StudyWord::Back => self.walk(at.checked_sub(1)),
            StudyWord::Forward => self.walk(Some(at + 1)),
            StudyWord::Next => self.next(),
            StudyWord::Play(level) => match against(position, level) {
                Ok(setup) => vec![Effect::Request(RequestBody::Create(setup))],
                Err(fault) => refuse(fault),
            },
            StudyWord::Position(text) => self.set_position(text),
            word => advice(position, word, was_hinted).unwrap_or_default(),
        }
    }

    /// Handles a line that is no command: a move, or an answer.
    pub fn on_move(&mut self, typed: &str) -> Vec<Effect> {
        self.line.refuted = None;
        let takes_moves = self.takes_moves();
        match &mut self.task {
            Task::Learn(journey) if !takes_moves || typed.eq_ignore_ascii_case("stops") => {
                return journey.answer(&mut self.line, typed);
            }
            Task::Puzzle(_) if !takes_moves => {
                return refuse("solved; Enter or `next` sets another one");
            }
            Task::Record(_) if !takes_moves => {
                return refuse(
                    "`try` goes to the move that gave the win away; ← → walk, `play` goes on from here",
                );
            }
            _ => {}
        }
        let position = self.line.asked();
        let text = match typed_move::read(position, typed, &WORDS) {
            Ok(text) => text,
            Err(fault) => return refuse(fault),
        };
        let Some(after) = coach::after(position, &text) else {
            return refuse(format!("`{text}` is not legal here"));
        };
        if matches!(self.task, Task::Analyse) {
            self.line.make(after);
            return vec![note(format!("{text}: {}", self.summary()))];
        }
        let said = coach::tried(position, &text);
        if position.solve().winning.contains(&text) {
            return self.found(&said, after);
        }
        let mut steps = vec![note(format!("{said}; taken back"))];
        let reply = coach::best(&after).and_then(|reply| coach::after(&after, &reply));
        self.line.refuted = reply.map(|reply| [after, reply]);
        if let Task::Puzzle(puzzle) = &mut self.task {
            steps.extend(puzzle.missed());
        }
        steps
    }

    fn found(&mut self, said: &str, after: Position) -> Vec<Effect> {
        let line = &mut self.line;
        match &mut self.task {
            Task::Analyse => Vec::new(),
            Task::Puzzle(puzzle) => {
                line.make(after);
                puzzle.solved(said)
            }
            Task::Record(recorder) => recorder.found(line, said),
            Task::Learn(journey) => {
                line.make(after);
                journey.found(line, said)
            }
        }
    }

    fn walk(&mut self, to: Option<usize>) -> Vec<Effect> {
        if self.takes_moves() && !matches!(self.task, Task::Record(_)) {
            return refuse("find a move first; `hint` helps");
        }
        let Some(to) = to.filter(|to| *to < self.line.positions.len()) else {
            return Vec::new();
        };
        self.line.go(to);
        match &mut self.task {
            Task::Record(recorder) => {
                recorder.trying = None;
                vec![visible(recorder.summary(to))]
            }
            _ => vec![visible(self.summary())],
        }
    }

    fn next(&mut self) -> Vec<Effect> {
        match &mut self.task {
            Task::Puzzle(puzzle) => puzzle.next(&mut self.line),
            Task::Learn(journey) => journey.next(&mut self.line),
            Task::Record(_) | Task::Analyse => self.walk(Some(self.line.at + 1)),
        }
    }

    pub fn come_back(&mut self, won: bool) -> Vec<Effect> {
        match &mut self.task {
            Task::Learn(journey) if journey.is_match() => journey.come_back(&mut self.line, won),
            _ => self.opening(),
        }
    }

    fn set_position(&mut self, text: &str) -> Vec<Effect> {
        if !matches!(self.task, Task::Analyse) {
            return refuse("`fibfob analyse` sets any position");
        }
        match read_named_position(text, self.game()) {
            Ok(position) => {
                self.line = StudyLine::new(vec![position]);
                vec![note(self.summary())]
            }
            Err(fault) => refuse(fault.to_string()),
        }
    }
}

/// Answers a word that means the same in a study and in a match; none for other words.
pub fn advice(position: &Position, word: StudyWord, again: bool) -> Option<Vec<Effect>> {
    Some(match word {
        StudyWord::Hint => vec![note(coach::hint(position, again))],
        StudyWord::Why => vec![sheet(explained(position))],
        StudyWord::Options => vec![sheet(options(position))],
        StudyWord::Try(text) => match typed_move::read(position, text, &WORDS) {
            Ok(text) => vec![note(coach::tried(position, &text))],
            Err(fault) => refuse(fault),
        },
        _ => return None,
    })
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
