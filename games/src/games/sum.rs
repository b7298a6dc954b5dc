//! Sums: several games side by side; a move is a move in one of them.
//!
//! By Sprague and Grundy, a sum's nimber is the xor of its components' nimbers. This is the one game that
//! knows the catalogue, because its components are games of it: all but misère games, which have no nimber,
//! and sums, which would add nothing.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::OnceLock,
};

use crate::catalogue::{self, GameId, Position};
use crate::explain::{summands, verdict};
use crate::explanation::{AddedPart, Explanation, ExplanationStep, Part};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{self, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::solution::Solution;
use crate::start::{Ranges, StartError, StartRange, StartSampler};
use crate::table::Tables;

/// The most components of a position.
pub const COMPONENTS_MAX: usize = 16;

const COMPONENTS: StartRange = StartRange::new("components", 1..=8, 2..=3);
/// The longest play of a match.
const PLIES: StartRange = StartRange::new("longest play", 0..=400, 0..=400);

/// Games side by side: at least one, none of them misère or a sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sum {
    components: Vec<SummedGame>,
}

/// A component with its nimber, which is found once: a move changes one component, and the others keep theirs.
#[derive(Clone, Debug)]
struct SummedGame {
    position: Position,
    nimber: OnceLock<Nimber>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Counted from 1.
    component: u64,
    made: ComponentMove,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ComponentMove {
    /// A move of the component's game.
    There(Box<catalogue::Move>),
    /// A text that could be a move of no component.
    Nowhere(String),
}

/// Moves to positions of a value, as far as they are known.
struct KnownMoves {
    moves: MoveSet,
    /// The reason there may be more.
    unknown: Option<UnknownReason>,
}

impl SummedGame {
    fn nimber(&self) -> Nimber {
        *self.nimber.get_or_init(|| self.position.nimber())
    }
}

impl From<Position> for SummedGame {
    fn from(position: Position) -> Self {
        Self {
            position,
            nimber: OnceLock::new(),
        }
    }
}

/// Components are equal if their positions are, whether or not their nimbers have been found.
impl PartialEq for SummedGame {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position
    }
}

impl Eq for SummedGame {}

impl Hash for SummedGame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
    }
}

impl Sum {
    fn positions(&self) -> impl Iterator<Item = &Position> {
        self.components.iter().map(|component| &component.position)
    }

    fn nimbers(&self) -> impl Iterator<Item = Nimber> {
        self.components.iter().map(SummedGame::nimber)
    }

    fn numbered(&self) -> impl Iterator<Item = (u64, &SummedGame)> {
        (1..).zip(&self.components)
    }

    fn component(&self, number: u64) -> Option<&Position> {
        let mut found = self.numbered().filter(|&(known, _)| known == number);
        found.next().map(|(_, component)| &component.position)
    }

    /// Lists the moves to positions of a value: in each component, the moves to what is missing for the value.
    fn hits(&self, value: u64) -> KnownMoves {
        let nimbers: Vec<Nimber> = self.nimbers().collect();
        let mut hits = KnownMoves {
            moves: MoveSet::new(),
            unknown: None,
        };
        for (index, (number, component)) in self.numbered().enumerate() {
            let mut others = nimbers.clone();
            others.remove(index);
            let moves = match xor(others) {
                // A move always changes the nimber.
                Ok(others) if nimbers[index] == Nimber::Known(others ^ value) => Ok(MoveSet::new()),
                Ok(others) => component.position.moves_to(others ^ value),
                Err(_) if component.position.is_terminal() => Ok(MoveSet::new()),
                Err(unknown) => Err(unknown),
            };
            match moves {
                Ok(moves) => hits.moves = hits.moves.union(moves.prefixed(&format!("{number}: "))),
                Err(unknown) => hits.unknown = hits.unknown.or(Some(unknown)),
            }
        }
        hits
    }

    fn read_component(text: &str) -> Result<Position, NotationError> {
        let (id, position) = text
            .split_once(|c: char| c.is_ascii_whitespace())
            .unwrap_or((text, ""));
        let unexpected = |expected| Err(NotationErrorKind::Unexpected.error(id, expected));
        match id.parse() {
            Ok(GameId::Sum) => unexpected("components that are no sums"),
            Ok(game) if game.convention() == Convention::Misere => {
                unexpected("components that are no misère games: those have no nimbers")
            }
            Ok(game) => Position::read(game, position),
            Err(_) => unexpected("a component: the id of a game and a position of it"),
        }
    }
}

/// The text of a component: its game and its position.
fn named(position: &Position) -> String {
    format!("{} {position}", position.game())
}

/// The xor of nimbers, or why one of them is not known.
fn xor(nimbers: impl IntoIterator<Item = Nimber>) -> Result<u64, UnknownReason> {
    nimbers.into_iter().try_fold(0, |sum, nimber| match nimber {
        Nimber::Known(nimber) => Ok(sum ^ nimber),
        Nimber::Unknown(unknown) => Err(unknown),
        Nimber::None => Err(UnknownReason::Misere),
    })
}

/// Checks that a component, and everything that can become of it, is solved: its nimber, and all moves to any nimber.
fn solved(component: &Position) -> Result<(), UnknownReason> {
    let nimber = xor([component.nimber()])?;
    for value in [0, nimber + 1] {
        component.moves_to(value)?;
    }
    Ok(())
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.positions().map(named);
        notation::write_joined(f, " + ", texts)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.component)?;
        match &self.made {
            ComponentMove::There(mv) => mv.fmt(f),
            ComponentMove::Nowhere(words) => f.write_str(words),
        }
    }
}

impl Game for Sum {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "sum",
        title: "Sum of games",
        rules: "Several games at once: make a move in one of them. Whoever cannot move in any loses.",
        example: "nim 3,4 + fib-fob g6@3 time=2 nuggets=0 fib=0 fob=1 + green-hackenbush 0-1,0-1",
        example_move: "2: ship g2@3",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "Components, each a game and a position, with + between them: any games but misère ones.",
        how: how! {
            "nim 3,4 + kayles xxx", "1: take 2 from 2" => "Make one move in one of the games. The others wait as they are.";
            "nim 3,4 + kayles xxx", "2: knock 2" => "Next turn it may be another one. The last move of all counts.";
        },
        theory: &[
            "The nimber is the xor of the components' nimbers (Sprague 1935, Grundy 1939). A component of unknown \
             nimber still decides if the others add up to 0.",
        ],
    };
    const TABLES: Tables = Err("the nimber of a sum is the xor of its components' nimbers");
    const START_RANGES: &'static [StartRange] = &[COMPONENTS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        let mut components = Vec::new();
        for component in text.split('+') {
            if components.len() == COMPONENTS_MAX {
                let expected = format!("at most {COMPONENTS_MAX} components");
                return Err(NotationErrorKind::TooMany.error(component, expected));
            }
            components.push(Self::read_component(component.trim_ascii())?.into());
        }
        Ok(Self { components })
    }

    /// Draws components from the default ranges of random games, as many as the bound on the longest play allows.
    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        let games = || {
            GameId::ALL
                .iter()
                .filter(|game| **game != GameId::Sum && game.convention() == Convention::Normal)
        };
        let count = sampler.amount(&COMPONENTS);
        let mut components: Vec<SummedGame> = Vec::new();
        let mut plies = 0;
        for _ in 0..count {
            let game = sampler.below(games().count() as u64) as usize;
            let game = games().nth(game).expect("the number is below the count");
            let drawn = game.random_start(&Ranges::default(), sampler.rng());
            let fits = |component: &Position| {
                plies + component.longest_play() <= PLIES.most.into() && solved(component).is_ok()
            };
            if let Some(component) = drawn.ok().filter(fits) {
                plies += component.longest_play();
                components.push(component.into());
            }
        }
        Self { components }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        COMPONENTS.check(self.components.len() as u64)?;
        for component in self.positions() {
            match component.check_start() {
                Ok(()) | Err(StartError::Finished) => {
                    solved(component).map_err(StartError::Unsolved)?
                }
                Err(refused) => return Err(refused),
            }
        }
        PLIES.check(u64::try_from(self.longest_play()).unwrap_or(u64::MAX))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let Some((number, mv)) = text.split_once(':') else {
            let expected = "the number of a component, a colon, and a move of it";
            return Err(NotationErrorKind::Missing.error(text, expected));
        };
        let component = notation::amount(number.trim_ascii())?;
        let made = match self.component(component) {
            Some(position) => ComponentMove::There(Box::new(position.read_move(mv)?)),
            None => {
                ComponentMove::Nowhere(mv.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
            }
        };
        Ok(Move { component, made })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let (Some(position), ComponentMove::There(made)) = (self.component(mv.component), &mv.made)
        else {
            return Err(IllegalReason::NoSuch {
                what: "component",
                number: mv.component,
                last: self.components.len() as u64,
            });
        };
        let mut components = self.components.clone();
        let after = position.play(made);
        let after = after.map_err(|refused| refused.reason().clone())?;
        components[mv.component as usize - 1] = after.into();
        Ok(Self { components })
    }

    fn legal_beside(&self, mv: &Move) -> MoveSet {
        let refused = match (self.component(mv.component), &mv.made) {
            (Some(position), ComponentMove::There(made)) => position.play(made).err(),
            _ => None,
        };
        let beside = refused.map_or_else(MoveSet::new, |refused| refused.legal().clone());
        beside.prefixed(&format!("{}: ", mv.component))
    }

    fn legal_moves(&self) -> MoveSet {
        self.numbered()
            .fold(MoveSet::new(), |moves, (number, component)| {
                moves.union(
                    component
                        .position
                        .legal_moves()
                        .prefixed(&format!("{number}: ")),
                )
            })
    }

    fn legal_count(&self) -> Option<u128> {
        let mut counts = self.positions().map(Position::legal_count);
        counts.try_fold(0u128, |sum, count| sum.checked_add(count?))
    }

    fn nimber(&self) -> Nimber {
        xor(self.nimbers()).into()
    }

    /// Returns the outcome if it is known. If a single nimber is unknown and the others add up to 0,
    /// that component decides.
    fn outcome(&self) -> Option<Outcome> {
        let (known, unknown): (Vec<_>, Vec<_>) = self
            .components
            .iter()
            .map(|component| (component.nimber(), component))
            .partition(|(nimber, _)| nimber.known().is_some());
        let known = known.into_iter().map(|(nimber, _)| nimber);
        match (unknown.as_slice(), xor(known)) {
            ([], known) => Nimber::from(known).outcome(),
            ([(_, component)], Ok(0)) => component.position.outcome(),
            _ => None,
        }
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let KnownMoves { moves, unknown } = self.hits(value);
        unknown.map_or(Ok(moves), Err)
    }

    fn solve(&self) -> Solution {
        let KnownMoves { moves, unknown } = self.hits(0);
        Solution {
            outcome: self.outcome(),
            nimber: self.nimber(),
            winning: moves,
            complete: unknown.is_none(),
            legal_moves: self.legal_count(),
        }
    }

    fn longest_play(&self) -> u128 {
        self.positions().map(Position::longest_play).sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        let parts = self
            .positions()
            .map(|it| (it.game().info().title, it.shape()));
        vec![ShapePart::Components(parts.collect())]
    }

    fn added_parts(&self) -> Vec<AddedPart> {
        let part = |(number, component): (u64, &SummedGame)| AddedPart {
            part: Part::Component { number },
            size: named(&component.position),
            nimber: component.nimber().known(),
        };
        self.numbered().map(part).collect()
    }

    fn play_steps(&self) -> u64 {
        self.positions().map(Position::play_steps).sum()
    }

    fn table_steps(&self) -> u64 {
        self.positions().map(Position::table_steps).sum()
    }

    fn solve_steps(&self) -> u64 {
        self.play_steps() + self.positions().map(Position::solve_steps).sum::<u64>()
    }

    fn explain(&self) -> Explanation {
        let component = |(number, component): (u64, &SummedGame)| ExplanationStep::Component {
            number,
            game: component.position.game().id().into(),
            position: component.position.to_string(),
            nimber: component.nimber(),
            explanation: component.position.explain(),
        };
        let mut steps: Vec<ExplanationStep> = self.numbered().map(component).collect();
        let named = |(number, component): (u64, &SummedGame)| {
            Some((Part::Component { number }, component.nimber().known()?))
        };
        let known: Option<Vec<(Part, u64)>> = self.numbered().map(named).collect();
        if let (Some(known), Nimber::Known(total)) = (known, self.nimber()) {
            steps.push(ExplanationStep::Xor {
                terms: summands(known),
                total,
            });
        }
        verdict(self, steps)
    }
}
