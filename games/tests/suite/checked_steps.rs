//! Every step of an explanation is worked out again, by somebody who knows the rules and plain counting alone.

use std::collections::{BTreeSet, HashMap};

use fibfob_games::{
    Convention, Explanation, ExplanationStep, GameId, Part, Position, REPLIES_SHOWN_MAX, Ranges,
    mex, random_move,
};

use crate::checked_arguments::check_argument;
use crate::seeded;

/// The most positions that are searched below one.
const SEARCHED_MAX: usize = 1_500;
/// The most positions that are remembered.
const KNOWN_MAX: usize = 400_000;

/// A position by its rules alone: the value, or in misère games 0 where it is lost and 1 where it is won.
#[derive(Default)]
pub struct Search {
    known: HashMap<(GameId, String), u64>,
}

impl Search {
    fn value(&mut self, position: &Position, most: usize) -> Option<u64> {
        // A component of a sum is written as a position of another game may be.
        let key = (position.game(), position.to_string());
        if let Some(value) = self.known.get(&key) {
            return Some(*value);
        }
        if self.known.len() >= most {
            return None;
        }
        let mut values = Vec::new();
        for text in position.legal_moves().iter() {
            values.push(self.value(&played(position, &text), most)?);
        }
        let is_misere = position.game().convention() == Convention::Misere;
        let value = match (is_misere, values.is_empty()) {
            (true, true) => 1,
            (true, false) => u64::from(values.contains(&0)),
            _ => mex(values),
        };
        self.known.insert(key, value);
        Some(value)
    }

    /// The value of a component, which has no more positions than the sum that was searched.
    pub fn component(&mut self, position: &Position) -> u64 {
        self.value(position, usize::MAX)
            .expect("a search without a bound finds a value")
    }

    pub fn bounded(&mut self, position: &Position) -> Option<u64> {
        let most = self.known.len() + SEARCHED_MAX;
        self.value(position, most)
    }
}

pub fn played(position: &Position, text: &str) -> Position {
    position.play(&position.read_move(text).unwrap()).unwrap()
}

pub fn numbers(text: &str) -> Vec<u64> {
    let heaps = text.split(' ').next().unwrap();
    heaps.split(',').map(|heap| heap.parse().unwrap()).collect()
}

pub fn field(text: &str, key: &str) -> u64 {
    let mut fields = text.split(' ').filter_map(|field| field.split_once('='));
    fields
        .find(|(name, _)| *name == key)
        .map_or(0, |(_, value)| value.parse().unwrap())
}

/// The value of one heap of a game in which a move takes an amount or splits the heap, by the definition.
fn heap_values(most: u64, left: impl Fn(u64) -> Vec<Vec<u64>>) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for heap in 0..=most {
        let parts = left(heap).into_iter();
        let options: Vec<u64> = parts
            .map(|parts| {
                parts
                    .iter()
                    .fold(0, |sum, &part| sum ^ values[part as usize])
            })
            .collect();
        values.push(mex(options));
    }
    values
}

fn kayles_values(most: u64) -> Vec<u64> {
    heap_values(most, |pins| {
        let knocked = (1..=2)
            .flat_map(|count| (0..(pins + 1).saturating_sub(count)).map(move |at| (count, at)));
        knocked
            .map(|(count, at)| vec![at, pins - at - count])
            .collect()
    })
}

fn tank_values(most: u64) -> Vec<u64> {
    heap_values(most, |gallons| {
        let left = gallons.checked_sub(1).into_iter();
        left.flat_map(|left| [vec![left], vec![0]]).collect()
    })
}

fn fibonacci_values(most: u64) -> Vec<u64> {
    let mut takes = vec![1, 2];
    while takes[takes.len() - 1] < most {
        takes.push(takes[takes.len() - 1] + takes[takes.len() - 2]);
    }
    heap_values(most, |coins| {
        takes
            .iter()
            .filter(|take| **take <= coins)
            .map(|take| vec![coins - take])
            .collect()
    })
}

/// The parts of a game whose positions are sums of parts, from the text alone.
fn parts(game: GameId, text: &str) -> Option<Vec<(Part, String, u64)>> {
    let ship = |square: &str| {
        let (place, board) = square.split_once('@').unwrap();
        let (file, rank) = place.split_at(1);
        let count = |digits: &str| digits.parse::<u64>().unwrap() - 1;
        let file_number = u64::from(file.as_bytes()[0] - b'a');
        vec![
            (Part::File, file.to_owned(), file_number),
            (Part::Rank, rank.to_owned(), count(rank)),
            (Part::Board, board.to_owned(), count(board)),
        ]
    };
    let time = || {
        vec![(
            Part::Time,
            field(text, "time").to_string(),
            field(text, "time"),
        )]
    };
    let tanks = || {
        let tank = |part, key| {
            let gallons = field(text, key);
            (
                part,
                gallons.to_string(),
                tank_values(gallons)[gallons as usize],
            )
        };
        vec![tank(Part::Fib, "fib"), tank(Part::Fob, "fob")]
    };
    let heaps = |value: &dyn Fn(u64) -> u64| {
        let numbered = (1..).zip(numbers(text));
        numbered
            .map(|(number, coins)| (Part::Heap { number }, coins.to_string(), value(coins)))
            .collect()
    };
    Some(match game {
        GameId::FibFob => [ship(text.split(' ').next().unwrap()), time(), tanks()].concat(),
        GameId::Rooks => ship(text),
        GameId::PokerNim => time(),
        GameId::NimMuskateers => tanks(),
        GameId::Nim => heaps(&|coins| coins),
        GameId::TakeFibonacci => {
            let values = fibonacci_values(numbers(text).into_iter().max().unwrap_or(0));
            heaps(&|coins| values[coins as usize])
        }
        GameId::StaircaseNim => {
            let steps = (0..).zip(numbers(text)).filter(|(step, _)| step % 2 == 1);
            steps
                .map(|(number, coins)| (Part::Step { number }, coins.to_string(), coins))
                .collect()
        }
        GameId::TurningTurtles => {
            let places = (1..).zip(text.chars()).filter(|(_, turtle)| *turtle == 'H');
            places
                .map(|(place, _)| (Part::Head, place.to_string(), place))
                .collect()
        }
        GameId::Kayles => {
            let groups = text
                .split('.')
                .filter(|group| !group.is_empty())
                .map(|group| group.len() as u64);
            let values = kayles_values(text.len() as u64);
            let part = |(number, pins)| {
                (
                    Part::Group { number },
                    format!("{pins}"),
                    values[pins as usize],
                )
            };
            (1..).zip(groups).map(part).collect()
        }
        _ => return None,
    })
}

fn total(parts: &[(Part, String, u64)]) -> u64 {
    parts.iter().fold(0, |sum, (_, _, value)| sum ^ value)
}

/// Checks an explanation of a sum of parts, of any size.
fn check_parts(position: &Position, explanation: &Explanation, at: &str) {
    let game = position.game();
    let before = parts(game, &position.to_string()).unwrap();
    let sum = total(&before);
    let value_after =
        |text: &str| total(&parts(game, &played(position, text).to_string()).unwrap());
    let mut told = Vec::new();
    let mut replies = BTreeSet::new();
    let mut ends = Vec::new();
    for step in &explanation.steps {
        match step {
            ExplanationStep::Part { part, size, nimber } => {
                told.push((*part, size.clone(), *nimber))
            }
            ExplanationStep::Xor { terms, total } => {
                let terms: Vec<_> = terms.iter().map(|term| (term.part, term.value)).collect();
                let expected: Vec<_> = before
                    .iter()
                    .map(|(part, _, value)| (*part, *value))
                    .collect();
                assert_eq!((terms, *total), (expected, sum), "{at}");
            }
            ExplanationStep::Reply {
                part,
                from,
                to,
                sizes,
                mv,
            } => {
                assert_eq!(value_after(mv), 0, "{at}: {mv}");
                assert_eq!(*to, from ^ sum, "{at}: {mv}");
                let is_it = |known: &&(Part, String, u64)| known.0 == *part && known.2 == *from;
                let known = before
                    .iter()
                    .find(is_it)
                    .unwrap_or_else(|| panic!("{at}: {mv}"));
                check_sizes(position, known, (*to, sizes.as_ref(), mv), at);
                assert!(replies.insert(mv.clone()), "{at}: {mv} twice");
            }
            ExplanationStep::Lost | ExplanationStep::Finished => ends.push(step),
            _ => panic!("{at}: {step:?}"),
        }
    }
    assert_eq!(told, before, "{at}");
    let winning = position
        .legal_moves()
        .iter()
        .filter(|text| value_after(text) == 0)
        .count();
    assert_eq!(replies.len(), winning.min(REPLIES_SHOWN_MAX), "{at}");
    let expected = match (position.legal_moves().is_empty(), sum) {
        (true, _) => vec![&ExplanationStep::Finished],
        (false, 0) => vec![&ExplanationStep::Lost],
        _ => vec![],
    };
    assert_eq!(ends, expected, "{at}");
}

/// Checks the sizes of a part before and after a reply.
fn check_sizes(
    position: &Position,
    (part, size, _): &(Part, String, u64),
    (to, sizes, mv): (u64, Option<&[String; 2]>, &str),
    at: &str,
) {
    let Some([shown, left]) = sizes else {
        assert_eq!(*part, Part::Head, "{at}: {mv}");
        return;
    };
    assert_eq!(shown, size, "{at}: {mv}");
    let after = played(position, mv).to_string();
    let after = parts(position.game(), &after).unwrap();
    if position.game() == GameId::Kayles {
        let groups: Vec<u64> = left.split('+').map(|pins| pins.parse().unwrap()).collect();
        let values = kayles_values(position.to_string().len() as u64);
        assert_eq!(
            groups
                .iter()
                .fold(0, |sum, &pins| sum ^ values[pins as usize]),
            to,
            "{at}: {mv}"
        );
        let pins = |parts: &[(Part, String, u64)]| -> Vec<u64> {
            parts
                .iter()
                .map(|(_, size, _)| size.parse().unwrap())
                .collect()
        };
        let mut expected = pins(&parts(GameId::Kayles, &position.to_string()).unwrap());
        let Part::Group { number } = *part else {
            panic!("{at}: {part}")
        };
        let index = number as usize - 1;
        expected.splice(index..=index, groups.into_iter().filter(|pins| *pins > 0));
        assert_eq!(pins(&after), expected, "{at}: {mv}");
    } else {
        let now = after.iter().find(|(other, _, _)| other == part).unwrap();
        assert_eq!((left, to), (&now.1, now.2), "{at}: {mv}");
    }
}

/// Checks an explanation of any position; returns false where the position is too large to be searched.
pub fn check(position: &Position, explanation: &Explanation, search: &mut Search) -> bool {
    let at = format!("{} {position}", position.game());
    if parts(position.game(), &position.to_string()).is_some() {
        check_parts(position, explanation, &at);
        return true;
    }
    let Some(value) = search.bounded(position) else {
        return false;
    };
    check_argument(position, explanation, (value, search), &at);
    true
}

/// Checks the steps of so many positions of each game, from random matches.
fn check_games(wanted: usize) {
    let mut rng = seeded(91);
    for &game in GameId::ALL {
        let (mut checked, mut drawn) = (0, 0);
        let mut search = Search::default();
        while checked < wanted {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            drawn += 1;
            if search.known.len() > KNOWN_MAX {
                search.known.clear();
            }
            assert!(
                drawn <= 4 * wanted,
                "{game}: only {checked} were small enough"
            );
            loop {
                checked += usize::from(check(&position, &position.explain(), &mut search));
                let Some(mv) = random_move(&position, &mut rng) else {
                    break;
                };
                position = position.play(&mv).unwrap();
            }
        }
        println!("{game}: {checked}");
    }
}

#[test]
fn every_step_of_an_explanation_is_right() {
    check_games(60);
}

mod extended {
    #[test]
    fn every_step_of_two_thousand_explanations_of_each_game_is_right() {
        super::check_games(2_000);
    }
}
