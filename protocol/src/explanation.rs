//! Why a position is won or lost, as the wire and programs have it: the steps of the argument with their numbers, each
//! an object whose `step` says its kind. Words are the reader's own.

use fibfob_games::{Explanation, ExplanationStep, Nimber, Summand};
use serde::{Deserialize, Serialize};

use crate::LegalMoves;

/// An argument: its steps in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExplanationView(pub Vec<StepView>);

/// One step of an argument: [`ExplanationStep`], with names that a reader of JSON needs no Rust for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum StepView {
    /// A part of the position has a nimber of its own.
    Part {
        /// The part, such as `file` or `heap 2`.
        name: String,
        /// What it is in the notation, such as `g` or `15`.
        size: String,
        /// Its nimber.
        nimber: u64,
    },
    /// The nimbers of the parts are added without carrying.
    Xor {
        /// What is added.
        terms: Vec<TermView>,
        /// The nimber of the whole.
        total: u64,
    },
    /// A move changes one part so that the whole becomes 0: it wins.
    Reply {
        /// The part.
        part: String,
        /// Its nimber before the move.
        from: u64,
        /// Its nimber after the move.
        to: u64,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// A heap is counted in whole blocks and a rest.
    Block {
        /// The heap.
        name: String,
        /// How many coins it has.
        coins: u64,
        /// Only the coins modulo this number count, if it is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period: Option<u64>,
        /// The size of a block.
        modulus: u64,
        /// How many whole blocks count.
        blocks: u64,
        /// How many coins are left beside whole blocks.
        rest: u64,
    },
    /// Numbers are added as usual, and the sum is divided with remainder.
    Residue {
        /// What is added.
        terms: Vec<TermView>,
        /// What the sum is divided by.
        modulus: u64,
        /// The remainder.
        residue: u64,
    },
    /// The nimber is put together: `residue + modulus · blocks`.
    Combined {
        /// The remainder of the sum of all heaps.
        residue: u64,
        /// The size of a block.
        modulus: u64,
        /// The xor of the whole blocks.
        blocks: u64,
        /// The nimber.
        nimber: u64,
    },
    /// One of the conditions that together say that the player to move loses: it holds iff the two numbers are equal.
    Condition {
        /// What is looked at.
        name: String,
        /// What it is.
        value: u64,
        /// What it would have to be.
        wanted: u64,
    },
    /// The nimber was found by searching all smaller positions.
    Searched {
        /// The nimber.
        nimber: u64,
    },
    /// Vertices of a graph that circuits join are contracted to one.
    Contracted {
        /// The vertex that joins the part to what is below, or the ground.
        vertex: u64,
        /// How many edges are in circuits.
        edges: u64,
        /// For each bridge, 1 more than the nimber of the part it leads to.
        bridges: Vec<TermView>,
        /// The nimber of the part with everything above it.
        nimber: u64,
    },
    /// A component of a sum is a game of its own.
    Component {
        /// Its number, from 1.
        number: u64,
        /// The id of its game.
        game: String,
        /// Its position.
        position: String,
        /// Its nimber; null where it is not known.
        nimber: Option<u64>,
        /// Why it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unknown: Option<String>,
        /// Why it is that.
        explanation: ExplanationView,
    },
    /// These moves win.
    Winning {
        /// The moves, of many families only the first.
        moves: LegalMoves,
        /// Whether these are all.
        complete: bool,
    },
    /// The value of a part is not known, and so neither is that of the whole.
    Unknown {
        /// The part, such as `heap 2`.
        name: String,
        /// What it is in the notation.
        size: String,
        /// Why it is not known.
        why: String,
    },
    /// Under misère play the heaps of more than one coin decide how to play.
    BigHeaps {
        /// How many heaps have more than one coin.
        big: u64,
        /// How many heaps have one coin.
        ones: u64,
    },
    /// Coins are set aside: the rest is played as if who takes the last coin of it won.
    SetAside {
        /// How many coins.
        coins: u64,
    },
    /// A number of coins is a sum of Fibonacci numbers, no two of them neighbours.
    Zeckendorf {
        /// The number of coins.
        coins: u64,
        /// The parts, the largest first.
        parts: Vec<u64>,
        /// The most coins that may be taken.
        quota: u64,
    },
    /// Taking the smallest parts wins, because the opponent may not take a whole part then.
    Tail {
        /// The sum of the parts taken.
        sum: u64,
        /// The next larger part; null if nothing is left.
        next: Option<u64>,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// A pair of heaps that is lost for the player to move: ⌊kφ⌋ and ⌊kφ⌋ + k.
    ColdPair {
        /// The difference of the heaps.
        k: u64,
        /// ⌊kφ⌋.
        small: u64,
        /// ⌊kφ⌋ + k.
        large: u64,
        /// The move that reaches it; absent if the position is this pair.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        mv: Option<String>,
    },
    /// A move leaves a position that is lost for the opponent: it wins.
    Leaves {
        /// The move.
        #[serde(rename = "move")]
        mv: String,
        /// The position after it.
        after: String,
    },
    /// Every move leaves the opponent a winning one.
    Lost,
    /// No move is left.
    Finished,
}

/// A named number in a sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermView {
    /// The part it is the nimber of.
    pub name: String,
    /// The nimber.
    pub value: u64,
}

impl From<&Explanation> for ExplanationView {
    fn from(explanation: &Explanation) -> Self {
        Self(explanation.steps.iter().map(StepView::from).collect())
    }
}

impl From<&Summand> for TermView {
    fn from(term: &Summand) -> Self {
        Self {
            name: term.name.clone(),
            value: term.value,
        }
    }
}

fn terms(terms: &[Summand]) -> Vec<TermView> {
    terms.iter().map(TermView::from).collect()
}

// Without a catch-all arm: the compiler lists the kinds that the wire still lacks.
impl From<&ExplanationStep> for StepView {
    fn from(step: &ExplanationStep) -> Self {
        match step.clone() {
            ExplanationStep::Part { name, size, nimber } => Self::Part { name, size, nimber },
            ExplanationStep::Xor {
                terms: added,
                total,
            } => Self::Xor {
                terms: terms(&added),
                total,
            },
            ExplanationStep::Reply { part, from, to, mv } => Self::Reply { part, from, to, mv },
            ExplanationStep::Block {
                name,
                coins,
                period,
                modulus,
                blocks,
                rest,
            } => Self::Block {
                name,
                coins,
                period,
                modulus,
                blocks,
                rest,
            },
            ExplanationStep::Residue {
                terms: added,
                modulus,
                residue,
            } => Self::Residue {
                terms: terms(&added),
                modulus,
                residue,
            },
            ExplanationStep::Combined {
                residue,
                modulus,
                blocks,
                nimber,
            } => Self::Combined {
                residue,
                modulus,
                blocks,
                nimber,
            },
            ExplanationStep::Condition {
                name,
                value,
                wanted,
            } => Self::Condition {
                name,
                value,
                wanted,
            },
            ExplanationStep::Searched { nimber } => Self::Searched { nimber },
            ExplanationStep::Contracted {
                vertex,
                edges,
                bridges,
                nimber,
            } => Self::Contracted {
                vertex,
                edges,
                bridges: terms(&bridges),
                nimber,
            },
            ExplanationStep::Component {
                number,
                game,
                position,
                nimber,
                explanation,
            } => Self::Component {
                number,
                game: game.to_owned(),
                position,
                nimber: nimber.known(),
                unknown: match nimber {
                    Nimber::Unknown(why) => Some(why.to_string()),
                    Nimber::Known(_) | Nimber::None => None,
                },
                explanation: (&explanation).into(),
            },
            ExplanationStep::Winning { moves, complete } => Self::Winning {
                moves: (&moves).into(),
                complete,
            },
            ExplanationStep::Unknown { name, size, why } => Self::Unknown {
                name,
                size,
                why: why.to_string(),
            },
            ExplanationStep::BigHeaps { big, ones } => Self::BigHeaps { big, ones },
            ExplanationStep::SetAside { coins } => Self::SetAside { coins },
            ExplanationStep::Zeckendorf {
                coins,
                parts,
                quota,
            } => Self::Zeckendorf {
                coins,
                parts,
                quota,
            },
            ExplanationStep::Tail { sum, next, mv } => Self::Tail { sum, next, mv },
            ExplanationStep::ColdPair {
                k,
                small,
                large,
                mv,
            } => Self::ColdPair {
                k,
                small,
                large,
                mv,
            },
            ExplanationStep::Leaves { mv, after } => Self::Leaves { mv, after },
            ExplanationStep::Lost => Self::Lost,
            ExplanationStep::Finished => Self::Finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use fibfob_games::{GameId, Position};

    use super::*;

    fn check(game: &str, position: &str, expected: &str) {
        let position = Position::read(game.parse().unwrap(), position).unwrap();
        let view = ExplanationView::from(&position.explain());
        assert_eq!(serde_json::to_string(&view).unwrap(), expected);
    }

    #[test]
    fn steps_are_objects_that_say_their_kind() {
        check(
            "nim",
            "1,2",
            r#"[{"step":"part","name":"heap 1","size":"1","nimber":1},{"step":"part","name":"heap 2","size":"2","nimber":2},{"step":"xor","terms":[{"name":"heap 1","value":1},{"name":"heap 2","value":2}],"total":3},{"step":"reply","part":"heap 2","from":2,"to":1,"move":"take 1 from 2"}]"#,
        );
        check(
            "wythoff-nim",
            "1,2",
            r#"[{"step":"cold-pair","k":1,"small":1,"large":2},{"step":"lost"}]"#,
        );
    }

    #[test]
    fn what_is_written_is_read_back_in_every_game() {
        for game in GameId::ALL {
            let position = Position::read(*game, game.info().example).unwrap();
            let view = ExplanationView::from(&position.explain());
            let text = serde_json::to_string(&view).unwrap();
            assert_eq!(
                serde_json::from_str::<ExplanationView>(&text).unwrap(),
                view
            );
        }
    }
}
