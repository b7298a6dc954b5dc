//! Lessons: text files that name positions and moves, and say in each language what they show.
//!
//! A file is made of blocks between empty lines, and a block of lines `key: value`. The first block has `path` (`flight` or
//! `families`), `stop`, `game`, perhaps `idea`, and in each language `title-en` and `en`. Each other block is a step, which has
//! one of these: `show` (a position) with `move`; `find` (a position) with `par`; `colour` (positions, separated by ` ; `);
//! `match` (a position) with `level`. A step has a sentence in each language, and `game` where it is not that of the lesson.

use std::sync::LazyLock;

use serde::Serialize;
use thiserror::Error;

use crate::catalogue::GameId;
use crate::nimber::Outcome;
use crate::reasoner::Reasoner;
use crate::strategy::Level;

/// The lessons' texts by name.
macro_rules! files {
    ($($name:literal)+) => { &[$(($name, include_str!(concat!("../lessons/", $name, ".txt")))),+] };
}

/// The lessons in their order.
const FILES: &[(&str, &str)] = files! {
    "last-move" "copycat" "make-it-equal" "one-two-three" "lamps" "switching-lamps" "three-heaps" "nuggets"
    "two-tanks" "whole-ship" "last-move-loses" "perfect-bot"
    "colour-the-table" "wythoff" "fibonacci" "kayles" "staircase" "turtles" "hackenbush" "ryuo" "sums"
};

/// A lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// The name, of letters and dashes, such as `copycat`.
    pub name: &'static str,
    /// The place on its path, from 1.
    pub stop: u32,
    /// The path that it lies on.
    pub path: LessonPath,
    /// The game of its steps.
    pub game: GameId,
    /// The idea that it teaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idea: Option<Reasoner>,
    /// The title.
    pub title: LessonWords,
    /// The idea in few sentences.
    pub words: LessonWords,
    /// The steps.
    pub steps: Vec<LessonStep>,
}

/// The path that a lesson lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LessonPath {
    /// From the last move to the whole ship.
    Flight,
    /// One lesson for each family of games.
    Families,
}

/// A text in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LessonWords {
    /// The text in English.
    pub en: &'static str,
    /// The text in German.
    pub de: &'static str,
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LessonStep {
    /// The game, if it is not that of the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The shown move, or the task.
    #[serde(flatten)]
    pub task: LessonTask,
    /// The sentences about it.
    pub text: LessonWords,
}

/// A shown move, or a task. All positions and moves are in canonical notation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LessonTask {
    /// A move is shown.
    Show {
        /// The position before it.
        position: &'static str,
        /// The move.
        #[serde(rename = "move")]
        mv: &'static str,
    },
    /// Winning moves are to be found, one after the other, the best answers between them.
    Find {
        /// The position, which the player to move wins.
        position: &'static str,
        /// The number of moves to find; the task ends earlier if the match does.
        par: u32,
    },
    /// The positions that are lost for the player to move are to be marked.
    Colour {
        /// The positions.
        positions: Vec<&'static str>,
        /// Those that are lost, from the solver.
        lost: Vec<&'static str>,
    },
    /// A match against a bot, the pupil moving first.
    Match {
        /// The strength of the bot.
        level: Level,
        /// The start.
        position: &'static str,
    },
}

/// A lesson's text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("lesson {name}: expected {expected} in \"{block}\"")]
struct LessonError {
    name: &'static str,
    expected: &'static str,
    block: &'static str,
}

/// All lessons: those of the flight path, then those of the families.
///
/// # Panics
/// Never: the tests read every lesson.
#[must_use]
pub fn lessons() -> &'static [Lesson] {
    static READ: LazyLock<Vec<Lesson>> = LazyLock::new(|| {
        let lessons = FILES.iter().map(|(name, text)| Lesson::read(name, text));
        lessons
            .map(|lesson| lesson.expect("tests read every lesson"))
            .collect()
    });
    &READ
}

/// A block of a lesson's text.
#[derive(Clone, Copy)]
struct Block {
    name: &'static str,
    text: &'static str,
}

impl Block {
    fn error(self, expected: &'static str) -> LessonError {
        LessonError {
            name: self.name,
            expected,
            block: self.text,
        }
    }

    fn value(self, key: &str) -> Option<&'static str> {
        let mut lines = self.text.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value)
    }

    fn parsed<T: std::str::FromStr>(self, key: &'static str) -> Result<Option<T>, LessonError> {
        let value = self.value(key).map(str::parse).transpose();
        value.map_err(|_| self.error(key))
    }

    fn needed<T: std::str::FromStr>(self, key: &'static str) -> Result<T, LessonError> {
        self.parsed(key)?.ok_or_else(|| self.error(key))
    }

    fn words(self, keys: [&'static str; 2]) -> Result<LessonWords, LessonError> {
        let [en, de] = keys.map(|key| self.value(key).ok_or_else(|| self.error(key)));
        Ok(LessonWords { en: en?, de: de? })
    }

    fn step(self, game_of_lesson: GameId) -> Result<LessonStep, LessonError> {
        let game = self.parsed("game")?;
        let kinds = ["show", "find", "colour", "match"];
        let found = kinds
            .into_iter()
            .find_map(|kind| Some((kind, self.value(kind)?)));
        let (kind, position) = found.ok_or_else(|| self.error("a kind of step"))?;
        let task = match kind {
            "show" => {
                let mv = self.value("move").ok_or_else(|| self.error("move"))?;
                LessonTask::Show { position, mv }
            }
            "find" => LessonTask::Find {
                position,
                par: self.needed("par")?,
            },
            "colour" => {
                let positions: Vec<_> = position.split(" ; ").collect();
                let mut lost = Vec::new();
                for &text in &positions {
                    let position = game.unwrap_or(game_of_lesson).read(text);
                    let position = position.map_err(|_| self.error("positions"))?;
                    lost.extend((position.outcome() == Some(Outcome::P)).then_some(text));
                }
                LessonTask::Colour { positions, lost }
            }
            _ => LessonTask::Match {
                level: self.needed("level")?,
                position,
            },
        };
        let text = self.words(["en", "de"])?;
        Ok(LessonStep { game, task, text })
    }
}

impl Lesson {
    /// Reads a lesson. Whether its moves are legal and its tasks have an answer, the tests say.
    ///
    /// # Errors
    /// When the text is not as the head of this file says.
    fn read(name: &'static str, text: &'static str) -> Result<Self, LessonError> {
        let mut blocks = text.split("\n\n").map(|text| Block {
            name,
            text: text.trim(),
        });
        let head = blocks.next().unwrap_or(Block { name, text });
        let path = match head.value("path") {
            Some("flight") => LessonPath::Flight,
            Some("families") => LessonPath::Families,
            _ => return Err(head.error("path")),
        };
        let game = head.needed("game")?;
        Ok(Self {
            name,
            stop: head.needed("stop")?,
            path,
            game,
            idea: head.parsed("idea")?,
            title: head.words(["title-en", "title-de"])?,
            words: head.words(["en", "de"])?,
            steps: blocks
                .map(|block| block.step(game))
                .collect::<Result<_, _>>()?,
        })
    }
}
