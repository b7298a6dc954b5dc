//! The line of legal moves, read back.

use std::collections::BTreeSet;

use fibfob_game_properties::{ByteSource, PositionSource, encoded};
use fibfob_games::{GameId, Position};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;

#[test]
fn the_legal_moves_of_every_game_are_written_as_they_are_typed() {
    for (game, position, expected) in [
        (
            "fib-fob",
            "g6@3 time=15 nuggets=5 fib=12 fob=9",
            "ship a6@3 to f6@3, g1@3 to g5@3, g6@1 or g6@2 · time -1 to -15 or +1 to +5 · \
             spend fib or fob · eject fib or fob",
        ),
        (
            "fib-fob",
            "b1@1 time=1 nuggets=0 fib=0 fob=1",
            "ship a1@1 · time -1 · spend fob · eject fob",
        ),
        ("fib-fob", "a1@1 time=0 nuggets=0 fib=0 fob=0", "none"),
        ("nim", "3,0,12", "take 1 to 3 from 1 or 1 to 12 from 3"),
        ("nim", "5,5,5", "take 1 to 5 from 1–3"),
        ("take-fibonacci", "7", "take 1 to 3 from 1 or 5 from 1"),
        ("fibonacci-nim", "coins=10", "take 1 to 9"),
        ("turning-turtles", "HTH", "turn 1; 3; 3,1 or 3,2"),
        (
            "staircase-nim",
            "4,2,3",
            "move 1 or 2 from 1 or 1 to 3 from 2",
        ),
        (
            "wythoff-nim",
            "3,6",
            "take 0,1 to 0,6; 1,0 to 3,0 or 1,1 to 3,3",
        ),
        ("kayles", "xxx.xx", "knock 1 to 3; 5; 6; 1,2; 2,3 or 5,6"),
        ("green-hackenbush", "0-1,1-2", "cut 0-1 or 1-2"),
        ("ryuo-nim", "5,7 p=3", "take 1,0 to 5,0; 0,1 to 0,7 or 1,1"),
        (
            "sum",
            "nim 3 + kayles xx",
            "1: take 1 to 3 from 1 · 2: knock 1; 2 or 1,2",
        ),
    ] {
        let game: GameId = game.parse().unwrap();
        let position = game.read(position).unwrap();
        assert_eq!(compact(&position.legal_moves()), expected);
    }
}

#[test]
fn numbers_with_a_common_bound_are_written_as_letters() {
    let total = SumConstraint {
        least: 1,
        most: 3,
        nonzero: 2,
    };
    let mut moves = MoveSet::new();
    moves.push_family(MoveFamily::summing("take ", &[(0, 7), (0, 7)], total).unwrap());
    assert_eq!(
        compact(&moves),
        "take a,b (each at least 1, together at most 3)"
    );
}

#[test]
fn ten_thousand_legal_moves_are_cut_with_an_ellipsis() {
    let mut moves = MoveSet::new();
    for index in 0..10_000 {
        moves.push(format!("verb{index} {}", index * 3));
    }
    let text = compact(&moves);
    assert!(text.chars().count() <= CHARS_MAX + 4, "{text}");
    assert!(text.ends_with('…'));
}

/// The number of positions of each kind and game.
const POSITIONS: u64 = 60;

/// The bytes that a position is made of.
const BYTES: usize = 256;

/// The most moves that are listed.
const LISTED_MAX: u128 = 4_000;

#[test]
fn the_line_describes_the_legal_moves_and_no_others() {
    let kinds = [
        PositionSource::Start,
        PositionSource::WideStart,
        PositionSource::Altered,
    ];
    let mut bytes = [0; BYTES];
    for &game in GameId::ALL {
        let mut compared = 0;
        for kind in kinds {
            for seed in 0..POSITIONS {
                StdRng::seed_from_u64(seed).fill_bytes(&mut bytes);
                let encoded = encoded(game, kind, &bytes);
                let Some(position) = ByteSource::new(&encoded).position() else {
                    continue;
                };
                compared += usize::from(is_described(&position));
            }
        }
        assert!(compared > 60, "{game}: {compared}");
    }
    for (game, position) in [
        (GameId::Nim, "5,5,5"),
        (GameId::Nim, "1,1,1,1"),
        (GameId::MisereNim, "2,2,2,7"),
        (GameId::StaircaseNim, "0,3,3,3,3"),
        (GameId::RyuoNim3d, "5,7,2"),
        (GameId::RyuoNim, "1,7,0,9 p=5"),
        (GameId::TurningTurtles, "HTHTHTHTH"),
    ] {
        assert!(is_described(&game.read(position).unwrap()), "{position}");
    }
}

/// Compares the line with the legal moves; returns false if there are too many to list.
fn is_described(position: &Position) -> bool {
    let legal = position.legal_moves();
    if legal.count().is_none_or(|count| count > LISTED_MAX) {
        return false;
    }
    let line = compact(&legal);
    let listed: BTreeSet<String> = legal.iter().collect();
    let read = moves_in(&line);
    let same = match line.ends_with('…') {
        true => read.is_subset(&listed),
        false => read == listed,
    };
    assert!(same, "{} {position}: {line}", position.game());
    true
}

/// The moves that somebody understands who reads the line.
fn moves_in(line: &str) -> BTreeSet<String> {
    let line = line.trim_end_matches('…').trim_end();
    let groups = line.split(" · ").filter(|group| !group.is_empty());
    groups
        .filter(|group| *group != "none")
        .flat_map(group_moves)
        .collect()
}

fn group_moves(group: &str) -> Vec<String> {
    let words: Vec<&str> = group.split(' ').collect();
    let verb_words = 1 + usize::from(words[0].ends_with(':'));
    let verb = words[..verb_words].join(" ");
    let rest = words[verb_words..].join(" ");
    if rest.is_empty() {
        return vec![verb];
    }
    let between = if rest.contains("; ") { "; " } else { ", " };
    let (bare, conditions) = match rest.split_once(" (") {
        // What is in parentheses ends the group, or is followed by another item.
        Some((bare, conditions)) => (bare, conditions.strip_suffix(')')),
        None => (rest.as_str(), None),
    };
    let mut items: Vec<String> = Vec::new();
    for part in bare.trim_end_matches([',', ';']).split(between) {
        items.extend(part.split(" or ").map(str::to_owned));
    }
    let last = items.len() - 1;
    // `1 or 2 from 3` is short for `1 from 3 or 2 from 3`.
    for index in (0..last).rev() {
        if let (false, Some((_, heap))) = (
            items[index].contains(" from "),
            items[index + 1].split_once(" from "),
        ) {
            items[index] = format!("{} from {heap}", items[index]);
        }
    }
    let mut moves = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let texts = match (conditions, item.split_once(" from ")) {
            (Some(conditions), _) if index == last => tuples(item, conditions),
            (_, Some((coins, heaps))) => {
                let pair = |coins: &String| {
                    let heaps = range(heaps).into_iter();
                    let texts = heaps.map(|heap| format!("{coins} from {heap}"));
                    texts.collect::<Vec<String>>()
                };
                range(coins).iter().flat_map(pair).collect()
            }
            (_, None) => range(item),
        };
        moves.extend(texts.iter().map(|text| format!("{verb} {text}")));
    }
    moves
}

/// The texts of `1`, `a6@3 to f6@3` or `1 to 9 in steps of 2`: every number and letter that differs goes up by as much.
fn range(text: &str) -> Vec<String> {
    let (text, step) = match text.split_once(" in steps of ") {
        Some((text, step)) => (text, step.parse().unwrap()),
        None => (text, 1),
    };
    let Some((first, last)) = text.split_once(" to ").or(text.split_once('–')) else {
        return vec![text.to_owned()];
    };
    let [first, last] = [first, last].map(numbers);
    assert_eq!(first.len(), last.len(), "{text}");
    let differing = first
        .iter()
        .zip(&last)
        .map(|(one, other)| match (one, other) {
            (Token::Number(one), Token::Number(other)) => other.checked_sub(*one).unwrap(),
            (Token::Letter(one), Token::Letter(other)) if one == other => 0,
            (Token::Letter(one), Token::Letter(other)) => u64::from(*other) - u64::from(*one),
            _ => panic!("{text} joins what is not alike"),
        });
    let differences: BTreeSet<u64> = differing.filter(|&by| by > 0).collect();
    assert_eq!(differences.len(), 1, "{text} is no range");
    let far = *differences.first().unwrap();
    let up = |by: u64| {
        let moved = first.iter().zip(&last).map(|(from, to)| match from {
            from if from == to => from.to_string(),
            Token::Number(number) => (number + by).to_string(),
            Token::Letter(letter) => char::from_u32(u32::from(*letter) + by as u32)
                .unwrap()
                .to_string(),
        });
        moved.collect::<String>()
    };
    (0..=far).step_by(step).map(up).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Number(u64),
    Letter(char),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Letter(letter) => letter.fmt(f),
        }
    }
}

fn numbers(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for letter in text.chars() {
        match (letter.to_digit(10), tokens.last_mut()) {
            (Some(digit), Some(Token::Number(number))) => *number = *number * 10 + u64::from(digit),
            (Some(digit), _) => tokens.push(Token::Number(digit.into())),
            (None, _) => tokens.push(Token::Letter(letter)),
        }
    }
    tokens
}

/// The texts of `a,b,0` under conditions such as `each at most 2, from 2 or more heaps, together at most 3`.
fn tuples(names: &str, conditions: &str) -> Vec<String> {
    let names: Vec<&str> = names.split(',').collect();
    let conditions: Vec<&str> = conditions.split(", ").collect();
    let number = |text: &str| text.parse::<u64>().unwrap();
    let sum = conditions
        .iter()
        .find_map(|one| one.strip_prefix("together "));
    let (least, most) = match sum.map(|sum| (sum.strip_prefix("at most "), sum.split_once(" to ")))
    {
        None => (0, u64::MAX),
        Some((Some(most), _)) => (0, number(most)),
        Some((None, Some((least, most)))) => (number(least), number(most)),
        Some((None, None)) => [sum.unwrap(); 2].map(number).into(),
    };
    let bound = |name: &str, what: &str| {
        conditions.iter().find_map(|one| {
            let (of, number) = one.split_once(what)?;
            (of == name || of == "each").then(|| number.parse::<u64>().unwrap())
        })
    };
    let heaps = conditions.iter().find_map(|one| {
        let count = one.strip_prefix("from ")?.strip_suffix(" or more heaps")?;
        Some(number(count) as usize)
    });
    let mut all: Vec<Vec<u64>> = vec![Vec::new()];
    for name in names {
        let (from, to) = match name.parse() {
            Ok(fixed) => (fixed, fixed),
            Err(_) => (
                bound(name, " at least ").unwrap_or(0),
                bound(name, " at most ").unwrap_or(most).min(most),
            ),
        };
        assert!(to < 1_000, "{name} has no bound in {conditions:?}");
        let longer = |tuple: &Vec<u64>| {
            let begun = tuple.clone();
            (from..=to)
                .map(move |next| [&begun[..], &[next]].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
        all.retain(|tuple| tuple.iter().sum::<u64>() <= most);
    }
    let fits = |tuple: &&Vec<u64>| {
        let above = tuple.iter().filter(|&&number| number > 0).count();
        tuple.iter().sum::<u64>() >= least && heaps.is_none_or(|heaps| above >= heaps)
    };
    let text = |tuple: &Vec<u64>| {
        let numbers: Vec<String> = tuple.iter().map(u64::to_string).collect();
        numbers.join(",")
    };
    all.iter().filter(fits).map(text).collect()
}
