//! Analyses beside a match: the flight recorder, or any position on the board.
//!
//! This code is pure: it takes the user's lines and returns effects. Both kinds have one line of positions. The
//! board shows one of them. The recorder also asks for a winning move, and takes any. It answers a wrong move with
//! a reply that refutes it, and takes both back.

mod line;
mod recorder;

use fibfob_games::{GameId, Level, Position};
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};
use fibfob_theory::{explain_position, options, read_named_position};

use crate::app::text::{OutputKind, capitalise};
use crate::app::typed_command::{AnalysisWord, WORDS};
use crate::app::{DisplayEffect, Effect, refuse, say};
use crate::{coach, typed_move};

use line::AnalysisLine;
pub use recorder::Recorder;

#[derive(Clone, Debug)]
pub struct AnalysisBoard {
    pub line: AnalysisLine,
    /// The recorder of a match that is over; none for any other position.
    pub recorder: Option<Recorder>,
}

fn note(text: impl Into<String>) -> Effect {
    say(OutputKind::Note, text)
}

fn sheet(lines: Vec<String>) -> Effect {
    DisplayEffect::Sheet(lines).into()
}

impl AnalysisBoard {
    /// An analysis at the last of these positions.
    pub fn new(positions: Vec<Position>, recorder: Option<Recorder>) -> Self {
        let line = AnalysisLine::new(positions);
        Self { line, recorder }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        let refuted = self.line.refuted.as_ref().map(|[_, reply]| reply);
        refuted.unwrap_or(self.line.current())
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
        let recorder = self.recorder.as_ref();
        recorder.is_some_and(|recorder| recorder.trying.is_some())
    }

    /// Returns the title, the question, and the words that the user can type.
    pub fn head(&self) -> [String; 3] {
        match &self.recorder {
            None => [
                format!("Analysis  {}", self.game().info().title),
                format!("{}.", capitalise(self.line.value)),
                "a move, `back`, `why`, `hint`, `options`, `position …`, `play`, `quit`".to_owned(),
            ],
            Some(recorder) => recorder.head(self.line.at, self.line.value),
        }
    }

    pub fn opening(&self) -> Vec<Effect> {
        match &self.recorder {
            None => vec![note(self.summary())],
            Some(recorder) => recorder.sentences().into_iter().map(note).collect(),
        }
    }

    fn summary(&self) -> String {
        let (position, game) = (self.position(), self.game());
        format!("{game} {position}: {}", self.line.value)
    }

    pub fn on_word(&mut self, word: AnalysisWord) -> Vec<Effect> {
        let (at, was_hinted) = (self.line.at, self.line.hinted);
        self.line.refuted = None;
        self.line.hinted |= word == AnalysisWord::Hint;
        let position = self.line.current();
        match word {
            AnalysisWord::Try("") => match &mut self.recorder {
                Some(recorder) => recorder.begin_try(&mut self.line),
                None => refuse("`try` needs a move, such as `try pass`"),
            },
            AnalysisWord::Back => self.walk(at.checked_sub(1)),
            AnalysisWord::Forward => self.walk(Some(at + 1)),
            AnalysisWord::Play(level) => match against(position, level) {
                Ok(setup) => vec![Effect::Request(RequestBody::Create(setup))],
                Err(fault) => refuse(fault),
            },
            AnalysisWord::Position(text) => self.set_position(text),
            word => advice(position, word, was_hinted).unwrap_or_default(),
        }
    }

    /// Handles a line that is no command: a move.
    pub fn on_move(&mut self, typed: &str) -> Vec<Effect> {
        self.line.refuted = None;
        if self.recorder.is_some() && !self.takes_moves() {
            return refuse(
                "`try` goes to the move that gave the win away; ← → walk, `play` goes on from here",
            );
        }
        let position = self.line.current();
        let text = match typed_move::read(position, typed, &WORDS) {
            Ok(text) => text,
            Err(fault) => return refuse(fault),
        };
        let Some(after) = coach::after(position, &text) else {
            return refuse(format!("`{text}` is not legal here"));
        };
        let Some(recorder) = &mut self.recorder else {
            self.line.make(after);
            return vec![note(format!("{text}: {}", self.summary()))];
        };
        let said = coach::try_move(position, &text);
        if position.solve().winning.contains(&text) {
            return recorder.found(&mut self.line, &said);
        }
        let reply = coach::best(&after).and_then(|reply| coach::after(&after, &reply));
        self.line.refuted = reply.map(|reply| [after, reply]);
        vec![note(format!("{said}; taken back"))]
    }

    fn walk(&mut self, to: Option<usize>) -> Vec<Effect> {
        let Some(to) = to.filter(|to| *to < self.line.positions.len()) else {
            return Vec::new();
        };
        self.line.go(to);
        let said = match &mut self.recorder {
            Some(recorder) => {
                recorder.trying = None;
                recorder.summary(to)
            }
            None => self.summary(),
        };
        vec![say(OutputKind::Prompt, said)]
    }

    fn set_position(&mut self, text: &str) -> Vec<Effect> {
        if self.recorder.is_some() {
            return refuse("`fibfob analyse` sets any position");
        }
        match read_named_position(text, self.game()) {
            Ok(position) => {
                self.line = AnalysisLine::new(vec![position]);
                vec![note(self.summary())]
            }
            Err(fault) => refuse(fault.to_string()),
        }
    }
}

/// Answers a word that means the same in an analysis and in a match; none for other words.
pub fn advice(position: &Position, word: AnalysisWord, again: bool) -> Option<Vec<Effect>> {
    Some(match word {
        AnalysisWord::Hint => vec![note(coach::hint(position, again))],
        AnalysisWord::Why => vec![sheet(explain_position(position))],
        AnalysisWord::Options => vec![sheet(options(position))],
        AnalysisWord::Try(text) => match typed_move::read(position, text, &WORDS) {
            Ok(text) => vec![note(coach::try_move(position, &text))],
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
    Ok(MatchSetup {
        start: Start::Position(position.to_string()),
        opponent: Opponent::Bot(level),
        first: FirstMoveRule::Me,
        ..MatchSetup::new(position.game().to_string())
    })
}

#[cfg(test)]
mod tests;
