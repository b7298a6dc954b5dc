//! The components of a position, read from its notation alone.
//!
//! Knows the words of the notation, and no rules. Of very long positions it reads the beginning.

use fibfob_games::GameId;

/// The most heaps, fields, edges or places that are read; the picture has no room for more.
const READ_MAX: usize = 128;
/// The most components of a sum that are drawn.
pub(super) const COMPONENTS_MAX: usize = 4;

/// A part of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PicturedPart {
    /// The stack of boards with a ship: its file, rank and board, each from 0 to 7.
    Ship(u8, u8, u8),
    /// Named amounts.
    Amounts(Vec<(String, u64)>),
    /// Heaps of coins, and how many more there are.
    Heaps(Vec<u64>, usize),
    /// Heaps on the steps of a staircase.
    Steps(Vec<u64>, usize),
    /// One heap.
    Coins(u64),
    /// Pins, fallen ones false.
    Pins(Vec<bool>, usize),
    /// Coins with heads up, or tails.
    Turtles(Vec<bool>, usize),
    /// Edges between vertices; 0 is the ground.
    Edges(Vec<(u64, u64)>, usize),
    /// Games side by side, each with its title.
    Components(Vec<(String, Vec<PicturedPart>)>, usize),
    /// A short text about the rest.
    Note(String),
}

/// The parts of a position.
pub(super) fn parts(game: GameId, position: &str) -> Vec<PicturedPart> {
    match game {
        GameId::Sum => vec![components(position)],
        GameId::Kayles => row(position, 'x', PicturedPart::Pins),
        GameId::TurningTurtles => row(position, 'H', PicturedPart::Turtles),
        GameId::GreenHackenbush => {
            let all = position.split(',').filter_map(edge);
            let (edges, more) = first(all);
            vec![PicturedPart::Edges(edges, more)]
        }
        _ => fields(game, position),
    }
}

fn components(position: &str) -> PicturedPart {
    let all = position.split(" + ");
    let mut read = Vec::new();
    for text in all.clone().take(COMPONENTS_MAX) {
        let (id, rest) = text.split_once(' ').unwrap_or((text, ""));
        let game = id
            .parse::<GameId>()
            .ok()
            .filter(|game| *game != GameId::Sum);
        let Some(game) = game else { continue };
        read.push((game.info().title.to_owned(), parts(game, rest)));
    }
    let more = all.skip(COMPONENTS_MAX).count();
    PicturedPart::Components(read, more)
}

/// The places of a row, in which `on` stands for true.
fn row(position: &str, on: char, part: fn(Vec<bool>, usize) -> PicturedPart) -> Vec<PicturedPart> {
    let (places, more) = first(position.chars().map(|place| place == on));
    vec![part(places, more)]
}

fn edge(text: &str) -> Option<(u64, u64)> {
    let (low, high) = text.split_once('-')?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

fn fields(game: GameId, position: &str) -> Vec<PicturedPart> {
    let mut read = Vec::new();
    let mut amounts = Vec::new();
    let mut notes = Vec::new();
    for word in position.split(' ') {
        if let Some((name, value)) = word.split_once('=') {
            match (name, value.parse::<u64>()) {
                ("coins", Ok(coins)) => read.push(PicturedPart::Coins(coins)),
                ("p" | "q" | "pass" | "last", _) => notes.push(format!("{name} {value}")),
                (_, Ok(amount)) if amounts.len() < READ_MAX => {
                    amounts.push((name.to_owned(), amount));
                }
                _ => {}
            }
        } else if let Some((file, rank, board)) = square(word) {
            read.push(PicturedPart::Ship(file, rank, board));
        } else if word.starts_with(|sign: char| sign.is_ascii_digit()) {
            let (heaps, more) = first(word.split(',').filter_map(|heap| heap.parse().ok()));
            read.push(match game {
                GameId::StaircaseNim => PicturedPart::Steps(heaps, more),
                _ => PicturedPart::Heaps(heaps, more),
            });
        }
    }
    if !amounts.is_empty() {
        read.push(PicturedPart::Amounts(amounts));
    }
    if !notes.is_empty() {
        read.push(PicturedPart::Note(notes.join(", ")));
    }
    read
}

/// Reads a square such as `g6@3`.
fn square(word: &str) -> Option<(u8, u8, u8)> {
    let &[
        file @ b'a'..=b'h',
        rank @ b'1'..=b'8',
        b'@',
        board @ b'1'..=b'8',
    ] = word.as_bytes()
    else {
        return None;
    };
    Some((file - b'a', rank - b'1', board - b'1'))
}

/// The first ones, and the number of the others.
fn first<T>(mut all: impl Iterator<Item = T>) -> (Vec<T>, usize) {
    let read = all.by_ref().take(READ_MAX).collect();
    (read, all.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_of_the_catalogue_has_parts() {
        for game in GameId::ALL {
            let example = game.info().example;
            assert!(!parts(*game, example).is_empty(), "{game}: {example}");
        }
    }

    #[test]
    fn fields_and_squares_are_read_from_the_notation() {
        let amount = |name: &str, amount| (name.to_owned(), amount);
        assert_eq!(
            parts(GameId::FibFob, "g6@3 time=15 nuggets=5 fib=12 fob=9"),
            [
                PicturedPart::Ship(6, 5, 2),
                PicturedPart::Amounts(vec![
                    amount("time", 15),
                    amount("nuggets", 5),
                    amount("fib", 12),
                    amount("fob", 9)
                ])
            ]
        );
        assert_eq!(
            parts(GameId::RyuoNimPass, "5,7 p=3 pass=yes"),
            [
                PicturedPart::Heaps(vec![5, 7], 0),
                PicturedPart::Note("p 3, pass yes".to_owned())
            ]
        );
        assert_eq!(
            parts(GameId::GreenHackenbush, "0-1,1-1"),
            [PicturedPart::Edges(vec![(0, 1), (1, 1)], 0)]
        );
        let PicturedPart::Components(components, more) = &parts(
            GameId::Sum,
            "nim 3 + kayles x.x + nim 1 + nim 2 + nim 5 + nim 6",
        )[0] else {
            panic!("a sum has components")
        };
        assert_eq!((components.len(), *more), (COMPONENTS_MAX, 2));
        assert_eq!(
            components[1].1,
            [PicturedPart::Pins(vec![true, false, true], 0)]
        );
    }

    #[test]
    fn of_a_long_position_the_beginning_is_read() {
        let row = "x".repeat(READ_MAX + 7);
        assert_eq!(
            parts(GameId::Kayles, &row),
            [PicturedPart::Pins(vec![true; READ_MAX], 7)]
        );
    }
}
