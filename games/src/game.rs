//! The trait of all games: the contract between the rules of one game and everything above them.

use std::{
    collections::HashSet,
    fmt::{Debug, Display},
    hash::Hash,
    mem::Discriminant,
};

use crate::explanation::{AddedPart, Explanation, PartValue};
use crate::game_info::{GameDocs, GameInfo};
use crate::illegal::{IllegalMove, IllegalReason};
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{NotationError, bounded};
use crate::shape::ShapePart;
use crate::solution::Solution;
use crate::start::{Ranges, START_DRAWS_MAX, StartError, StartRange, StartSampler};
use crate::table::Tables;

/// The steps that a position takes besides those of its parts.
pub(crate) const FIXED_STEPS: u64 = 8;

/// The entries of a table, or the edges of a graph, that a search passes in one step: it writes nothing of them.
pub(crate) const PASSED_PER_STEP: u64 = 16;

/// A position of an impartial game: two players move alternately, both have the same moves, every play ends.
///
/// `Display` writes the canonical notation, and reading that gives an equal position. All methods take time
/// independent of how large the counters are, or bounded by a stated table.
pub trait Game: Clone + Eq + Hash + Debug + Display + Sized {
    /// A move; `Display` writes its canonical notation.
    type Move: Clone + Eq + Hash + Debug + Display;

    /// The description of the game.
    const INFO: GameInfo;

    /// The notation and the theory of the game.
    const DOCS: GameDocs;

    /// The tables of nimbers that can be made of the game.
    const TABLES: Tables;

    /// The named amounts that make up a random start, with their bounds.
    const START_RANGES: &'static [StartRange];

    /// Reads a position from a bounded text without space around it. Its errors have no example.
    fn parse(text: &str) -> Result<Self, NotationError>;

    /// Draws a position, finished or not, uniformly from the ranges.
    fn sample(sampler: &mut StartSampler<'_>) -> Self;

    /// Checks the amounts of a starting position against the bounds in [`Game::START_RANGES`].
    fn check_bounds(&self) -> Result<(), StartError>;

    /// Reads a move, as [`Game::parse`] does a position.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// The position after a move, or the rule that it breaks.
    fn after(&self, mv: &Self::Move) -> Result<Self, IllegalReason>;

    /// All legal moves: exactly those that [`Game::after`] accepts.
    fn legal_moves(&self) -> MoveSet;

    /// The nimber, or why there is none. [`Nimber::None`] exactly in misère games.
    fn nimber(&self) -> Nimber;

    /// All moves to positions of this nimber, those included that raise the nimber: a sum asks for any value.
    ///
    /// # Errors
    /// When the answer is not known, or has no meaning (misère).
    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason>;

    /// The greatest number of moves that can still be made: exact, and below 2^128 for every readable position.
    fn longest_play(&self) -> u128;

    /// The parts of the position, for pictures.
    fn shape(&self) -> Vec<ShapePart>;

    /// The parts whose nimbers add up to that of the position; none in a game that is explained otherwise.
    fn parts(&self) -> Vec<PartValue> {
        Vec::new()
    }

    /// Returns the part that a legal move changes, before and after. Without a size where the nimber says all.
    ///
    /// This default is for games whose parts keep their number and order.
    fn changed(&self, mv: &Self::Move) -> Option<[PartValue; 2]> {
        let after = self.after(mv).ok()?.parts();
        let mut pairs = self.parts().into_iter().zip(after);
        let (before, after) = pairs.find(|(before, after)| before.nimber != after.nimber)?;
        Some([before, after])
    }

    /// The parts by which people reason about the position: its own parts, or the components of a sum.
    fn added_parts(&self) -> Vec<AddedPart> {
        self.parts().into_iter().map(AddedPart::from).collect()
    }

    /// The explanation of the outcome, step by step.
    fn explain(&self) -> Explanation;

    /// As [`Position::play_steps`](crate::Position::play_steps).
    fn play_steps(&self) -> u64 {
        FIXED_STEPS + self.shape().iter().map(ShapePart::count).sum::<u64>()
    }

    /// As [`Position::table_steps`](crate::Position::table_steps).
    fn table_steps(&self) -> u64 {
        0
    }

    /// As [`Position::solve_steps`](crate::Position::solve_steps).
    fn solve_steps(&self) -> u64 {
        self.play_steps()
    }

    /// As [`Position::read`](crate::Position::read).
    fn read(text: &str) -> Result<Self, NotationError> {
        let position = bounded(text).and_then(Self::parse);
        position.map_err(|error| error.or_example(Self::INFO.example))
    }

    /// As [`Position::read_move`](crate::Position::read_move).
    fn read_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        let mv = bounded(text).and_then(|text| self.parse_move(text));
        mv.map_err(|error| error.or_example(Self::INFO.example_move))
    }

    /// Returns the winning move that the game's sources single out, for a bot; `None` if they do not, or none wins.
    fn favourite(&self) -> Option<Self::Move> {
        None
    }

    /// Reads a move that the game itself has listed.
    fn listed(&self, text: &str) -> Self::Move {
        self.read_move(text).expect("a listed move is notation")
    }

    /// Returns the position after a move. For an illegal move: the reason, and some legal ones.
    fn play(&self, mv: &Self::Move) -> Result<Self, IllegalMove> {
        self.after(mv).map_err(|reason| {
            let beside = Some(self.legal_beside(mv)).filter(|moves| !moves.is_empty());
            IllegalMove::new(mv, reason, beside.unwrap_or_else(|| self.legal_moves()))
        })
    }

    /// Returns legal moves to offer instead of an illegal one: in a game of several parts, moves in the same part.
    fn legal_beside(&self, _mv: &Self::Move) -> MoveSet {
        self.legal_moves()
    }

    /// The number of legal moves; `None` for a number past 2^64 that 128 bits may not hold.
    fn legal_count(&self) -> Option<u128> {
        self.legal_moves().count()
    }

    /// Returns `true` if no move is left.
    fn is_terminal(&self) -> bool {
        self.longest_play() == 0
    }

    /// The winner; `None` iff it is not known. A misère game, having no nimber, answers by its own rule.
    fn outcome(&self) -> Option<Outcome> {
        self.nimber().outcome()
    }

    /// All moves that win: those to a position of nimber 0. A misère game answers by its own rule.
    fn winning_moves(&self) -> Result<MoveSet, UnknownReason> {
        self.moves_to(0)
    }

    /// Returns everything that is known about the position.
    fn solve(&self) -> Solution {
        let winning = self.winning_moves();
        Solution {
            outcome: self.outcome(),
            nimber: self.nimber(),
            complete: winning.is_ok(),
            winning: winning.unwrap_or_default(),
            legal_moves: self.legal_count(),
        }
    }

    /// Checks that a match may start here.
    fn check_start(&self) -> Result<(), StartError> {
        self.check_bounds()?;
        if self.is_terminal() {
            Err(StartError::Finished)
        } else {
            Ok(())
        }
    }

    /// Returns the kind of a move, if a fair start needs winning moves of several kinds; `None` if any start will do.
    fn kind(_mv: &Self::Move) -> Option<Discriminant<Self::Move>> {
        None
    }

    /// Returns `true` if the position makes a match. No winning move may end it, and in a game with kinds,
    /// the winning moves must be of at least two kinds; a lost position is fair too. If the winning moves are
    /// unknown, it counts as fair. (In misère, a move that ends the match loses.)
    fn is_fair_start(&self) -> bool {
        let winning = self.winning_moves().unwrap_or_default();
        let moves: Vec<Self::Move> = winning.iter().map(|text| self.listed(&text)).collect();
        let ends = |mv| self.after(mv).is_ok_and(|after| after.is_terminal());
        let kinds: HashSet<_> = moves.iter().filter_map(Self::kind).collect();
        kinds.len() != 1 && !moves.iter().any(ends)
    }

    /// As [`GameId::random_start`](crate::GameId::random_start), where [`Game::is_fair_start`] says what is fair.
    fn random(ranges: &Ranges, rng: &mut dyn rand::Rng) -> Result<Self, StartError> {
        let mut sampler = StartSampler::new(Self::START_RANGES, ranges, rng)?;
        let mut last = Err(StartError::Finished);
        for _ in 0..START_DRAWS_MAX {
            let position = Self::sample(&mut sampler);
            if position.is_terminal() {
                continue;
            }
            // Ranges that were asked for are used as they are.
            if !ranges.is_empty() || position.is_fair_start() {
                return Ok(position);
            }
            last = Ok(position);
        }
        last
    }
}
