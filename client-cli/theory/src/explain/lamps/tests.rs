//! Lamps, read again and compared with what the rules and a search say.

use fibfob_games::{Ranges, random_move};
use rand::SeedableRng;

use super::*;

/// The positions of each game that are checked.
const POSITIONS: usize = 2_000;

fn lines(game: &str, text: &str, is_ascii: bool) -> Vec<String> {
    let position = Position::read(game.parse().unwrap(), text).unwrap();
    let signs = match is_ascii {
        true => LampSigns::ASCII,
        false => LampSigns::UNICODE,
    };
    draw(&position, &position.explain(), signs)
}

#[test]
fn a_ship_is_rows_of_lamps_of_which_a_winning_move_switches_some() {
    assert_eq!(
        lines("fib-fob", "g6@3 time=15 nuggets=5 fib=12 fob=9", false),
        [
            "          8 4 2 1",
            "  ship ←  ○ ● ● ○   6",
            "  ship ↓  ○ ● ○ ●   5",
            "  lift    ○ ○ ● ○   2",
            "  time    ● ● ● ●  15",
            "  Fib     ○ ○ ● ○   2  12 gallons, even = 2",
            "  Fob     ○ ○ ○ ●   1  9 gallons, odd = 1",
            "  alone   ● ● ○ ●  13",
            "Each lit lamp wants a partner in its column. Without one: 8, 4, 1. Who leaves none alone wins.",
            "  time -13: time  ● ● ● ●  becomes  ○ ○ ● ○",
        ]
    );
}

#[test]
fn where_no_lamp_decides_there_is_none_and_wythoff_has_a_board_in_ascii_too() {
    assert!(lines("misere-nim", "1,1,1", false).is_empty());
    for (game, text) in [
        ("ryuo-nim", "5,7 p=3"),
        ("ryuo-nim", "3,3 p=3"),
        ("ryuo-nim-3d", "4,1,1"),
    ] {
        assert!(lines(game, text, false).is_empty());
    }
    assert_eq!(lines("misere-nim", "2,2", false).len(), 5);
    let board = lines("wythoff-nim", "3,4", true);
    assert_eq!(board[0], "   4  .  .  .  *  .");
    assert_eq!(board[2], "   2  .  #  .  .  .");
    assert!(board.iter().all(|line| line.is_ascii()), "{board:?}");
}

/// What a row of this size is worth in Kayles, or a heap from which Fibonacci numbers are taken: by search.
fn searched(is_kayles: bool, size: usize) -> u64 {
    let mut values: Vec<u64> = Vec::new();
    for size in 0..=size {
        let reached = match is_kayles {
            true => (1..=size.min(2))
                .flat_map(|gone| (0..=size - gone).map(move |left| (left, size - gone - left)))
                .map(|(left, right)| values[left] ^ values[right])
                .collect::<Vec<u64>>(),
            false => [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
                .into_iter()
                .filter(|taken| *taken <= size)
                .map(|taken| values[size - taken])
                .collect(),
        };
        values.push((0..).find(|value| !reached.contains(value)).unwrap());
    }
    values[size]
}

/// The number that lamps show.
fn shown(lamps: &str) -> u64 {
    let lit = lamps.chars().filter(|sign| "*o".contains(*sign));
    lit.fold(0, |number, sign| number * 2 + u64::from(sign == '*'))
}

/// Checks what is drawn of a position, which is small, against what the rules and a search say.
fn check(position: &Position, lines: &[String]) {
    let Some(at) = lines.iter().position(|line| line.starts_with("  alone")) else {
        return;
    };
    let about = format!("{} {position}: {lines:#?}", position.game());
    let alone = shown(&lines[at]["  alone".len()..]);
    let mut sum = 0;
    for line in &lines[1..at] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words
            .iter()
            .position(|word| ["*", "o"].contains(word))
            .unwrap();
        let lamps: String = words[first..]
            .iter()
            .take_while(|word| ["*", "o"].contains(word))
            .copied()
            .collect();
        let rest = &words[first + lamps.len()..];
        let value: u64 = rest[0].parse().unwrap();
        assert_eq!(shown(&lamps), value, "{about}");
        let size: Option<usize> = rest.get(1).and_then(|size| size.parse().ok());
        let expected = match (words[0], size) {
            ("Fib" | "Fob", Some(size)) => 2 - (size % 2) as u64,
            ("Fib" | "Fob", None) => 0,
            ("group" | "heap", Some(size)) => searched(words[0] == "group", size),
            _ => value,
        };
        assert_eq!(value, expected, "{about}");
        sum ^= value;
    }
    assert_eq!(alone, sum, "{about}");
    let lost = position.outcome() == Some(Outcome::P);
    assert_eq!(lines[at + 1].contains("loses"), lost, "{about}");
    assert_eq!(sum == 0, lost, "{about}");
    for line in &lines[at + 2..] {
        let (mv, lamps) = line.trim().rsplit_once(": ").unwrap();
        let (from, to) = lamps.split_once("becomes").unwrap();
        let from = &from[from
            .find(" *")
            .unwrap_or(usize::MAX)
            .min(from.find(" o ").unwrap_or(usize::MAX))..];
        assert_eq!(sum ^ shown(from) ^ shown(to), 0, "{about}");
        let after = position.play(&position.read_move(mv).unwrap()).unwrap();
        assert_eq!(after.outcome(), Some(Outcome::P), "{about}");
    }
}

#[test]
fn lamps_and_the_sentences_about_them_agree_with_the_solver() {
    let mut rng = rand::rngs::Xoshiro256PlusPlus::seed_from_u64(31);
    for &game in fibfob_games::GameId::ALL {
        for number in 0..POSITIONS {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            for _ in 0..number % 12 {
                let Some(mv) = random_move(&position, &mut rng) else {
                    break;
                };
                position = position.play(&mv).unwrap();
            }
            check(
                &position,
                &draw(&position, &position.explain(), LampSigns::ASCII),
            );
        }
    }
}
