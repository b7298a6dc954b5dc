//! The sheet "how to play": tells a game to somebody who sees it for the first time.
//!
//! The terminal shows these sentences, and the page gets them with the catalogue. They mention no picture;
//! each program says itself how a move is clicked or typed.

use crate::catalogue::{GameId, Position};
use crate::game_info::{Convention, MoveKind};
use crate::shape::ShapePart::{self, Clock, Ship, Tanks};

/// The story of the games about a ship and its crew.
const STORY: &str = "Two co-pilots share one ship. The last one who can still steer it arrives; the other one is erased from reality.";

const TURNS: &str = "Two players take turns, and both may make exactly the same moves. No luck, nothing hidden, no draw.";

/// Lists kinds of moves.
macro_rules! how {
    ($($position:literal, $mv:literal => $sentence:expr;)+) => { &[$(($position, $mv, $sentence)),+] };
}

/// A game as it is told to a beginner.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HowToPlay {
    /// The paragraphs before the goal: the story, and how turns go.
    pub introduction: Vec<String>,
    /// The winner, in a sentence.
    pub goal: String,
    /// The kinds of moves.
    pub moves: Vec<ShownMove>,
}

/// A kind of move with what its example leads to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownMove {
    /// The sentence about all moves of this kind.
    pub sentence: String,
    /// The position before the move.
    pub position: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The position after it.
    pub after: String,
}

impl GameId {
    /// The game as it is told to a beginner.
    #[must_use]
    pub fn how_to_play(self) -> HowToPlay {
        let read = |text| Position::read(self, text).expect("tests read every example");
        let is_ships = |part: &ShapePart| matches!(part, Ship(_) | Clock { .. } | Tanks(_));
        let example = read(self.info().example).shape();
        let story = example.iter().any(is_ships).then_some(STORY);
        let shown = |&(position, mv, sentence): &MoveKind| {
            let before = read(position);
            let played = before.read_move(mv).expect("tests read every example");
            let after = before.play(&played).expect("tests play every example");
            ShownMove {
                sentence: sentence.into(),
                position: position.into(),
                mv: mv.into(),
                after: after.to_string(),
            }
        };
        HowToPlay {
            introduction: story.into_iter().chain([TURNS]).map(str::to_owned).collect(),
            goal: match self.convention() {
                Convention::Normal => {
                    "Whoever makes the last move wins. Whoever cannot move has lost."
                }
                Convention::Misere => {
                    "Misère: whoever makes the last move LOSES. Leave the last move to the other one!"
                }
            }
            .into(),
            moves: self.docs().how.iter().map(shown).collect(),
        }
    }
}
