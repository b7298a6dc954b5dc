//! Reads games and positions as people type them.
//!
//! `games` reads the notation itself. Here spaces, capitals and words that follow from the rest may be
//! missing; anything still not understood is answered with the nearest right text.

use fibfob_games::{GameId, NotationError, Position};
use thiserror::Error;

use crate::spelling::suggestion;

/// A text that names no game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownGameName {
    /// The text is like the names of games.
    #[error("there is no such game; {0} `fibfob games` lists all")]
    Misspelt(String),
    /// The text is like no name.
    #[error("there is no such game; `fibfob games` lists all")]
    Unlike,
}

/// The most words of a game's title.
const TITLE_WORDS_MAX: usize = 5;

/// Reads the id or the title of a game, whatever its capitals, hyphens and accents.
///
/// # Errors
/// [`UnknownGameName`].
pub fn read_game(text: &str) -> Result<GameId, UnknownGameName> {
    let wanted = letters(text);
    let named = |game: &&GameId| {
        [game.id(), game.info().title]
            .map(letters)
            .contains(&wanted)
    };
    if let Some(game) = GameId::ALL.iter().find(named) {
        return Ok(*game);
    }
    let ids = GameId::ALL.iter().map(|game| game.id());
    Err(suggestion(text, ids).map_or(UnknownGameName::Unlike, UnknownGameName::Misspelt))
}

/// The letters and digits of a name in lower case, without accents.
fn letters(text: &str) -> String {
    let plain = |letter: char| match letter {
        'à' | 'á' | 'â' | 'ā' => 'a',
        'è' | 'é' | 'ê' | 'ē' => 'e',
        'ó' | 'ô' | 'ö' | 'ō' => 'o',
        'ú' | 'û' | 'ü' | 'ū' => 'u',
        other => other,
    };
    let lower = text.chars().flat_map(char::to_lowercase).map(plain);
    lower.filter(char::is_ascii_alphanumeric).collect()
}

/// Reads a position, whatever its capitals.
///
/// # Errors
/// As [`Position::read`], for the text as it was typed.
pub fn read_position(game: GameId, text: &str) -> Result<Position, NotationError> {
    let exact = Position::read(game, text);
    exact.or_else(|fault| {
        let lower = Position::read(game, &text.to_lowercase());
        let any_case = lower.or_else(|_| Position::read(game, &text.to_uppercase()));
        any_case.map_err(|_| fault)
    })
}

/// Reads a game and a position from one text, such as `nim 3,4,5`; none if it does not begin with a game.
#[must_use]
pub fn read_game_and_position(text: &str) -> Option<(GameId, &str)> {
    let text = text.trim_ascii();
    let blanks = text.match_indices(|letter: char| letter.is_ascii_whitespace());
    let ends = blanks
        .map(|(at, _)| at)
        .filter(|&at| !text[..at].ends_with(|letter: char| letter.is_ascii_whitespace()))
        .take(TITLE_WORDS_MAX)
        .chain([text.len()]);
    // The longest name counts: `Ryūō Nim` begins that of another game.
    ends.filter_map(|end| {
        let (name, rest) = text.split_at(end);
        Some((read_game(name).ok()?, rest.trim_ascii()))
    })
    .last()
}

/// A text that is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidPosition {
    /// It begins with a word that is nearly a game's name.
    #[error("{0}: {1}")]
    Game(String, UnknownGameName),
    /// It is none of the game's positions.
    #[error(transparent)]
    Notation(#[from] NotationError),
}

/// Reads a position, perhaps after its game's name. Without a name it is one of `game`, and without a
/// position it is the game's example.
///
/// # Errors
/// [`InvalidPosition`].
pub fn read_named_position(text: &str, game: GameId) -> Result<Position, InvalidPosition> {
    let named = read_game_and_position(text);
    let (game, position) = named.unwrap_or((game, text));
    let position = match position {
        "" => game.info().example,
        position => position,
    };
    read_position(game, position).map_err(|fault| match misspelt_game(text) {
        Some((first, fault)) if named.is_none() => InvalidPosition::Game(first.to_owned(), fault),
        _ => fault.into(),
    })
}

/// Returns the first word of a text if it is nearly a game's name, and the suggestion.
fn misspelt_game(text: &str) -> Option<(&str, UnknownGameName)> {
    let first = text.split_ascii_whitespace().next()?;
    let is_name = |it: u8| it.is_ascii_alphabetic() || it == b'-';
    match read_game(first) {
        Err(fault @ UnknownGameName::Misspelt(_)) if first.bytes().all(is_name) => {
            Some((first, fault))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_by_id_and_title_in_any_spelling() {
        for text in ["kayles", "Kayles", "KAYLES"] {
            assert_eq!(read_game(text), Ok(GameId::Kayles));
        }
        for text in ["fib-fob", "Fib Fob", "fibfob", "fib_fob"] {
            assert_eq!(read_game(text), Ok(GameId::FibFob));
        }
        assert_eq!(read_game("Misère Nim"), Ok(GameId::MisereNim));
        for &game in GameId::ALL {
            assert_eq!(read_game(game.id()), Ok(game));
            assert_eq!(read_game(game.info().title), Ok(game));
        }
        assert_eq!(
            read_game("kayels").unwrap_err().to_string(),
            "there is no such game; did you mean `kayles`? `fibfob games` lists all"
        );
        assert_eq!(
            read_game("chess").unwrap_err().to_string(),
            "there is no such game; `fibfob games` lists all"
        );
    }

    #[test]
    fn a_misspelt_game_before_a_position_is_answered_with_the_name() {
        let read = |text| {
            read_named_position(text, GameId::FibFob)
                .unwrap_err()
                .to_string()
        };
        for (text, meant) in [("nimm 3,4,5", "`nim`"), ("ryuo 5,7 p=3", "`ryuo-nim`")] {
            let said = read(text);
            let first = text.split(' ').next().unwrap();
            assert!(
                said.starts_with(&format!("{first}: there is no such game")),
                "{said}"
            );
            assert!(said.contains(meant), "{said}");
        }
        assert!(read("z9").contains("expected"), "{}", read("z9"));
        assert!(read("nim x").contains("expected"), "{}", read("nim x"));
    }

    #[test]
    fn positions_are_read_in_any_capitals() {
        let read = |game, text| read_position(game, text).map(|position| position.to_string());
        assert_eq!(read(GameId::Rooks, "G6@3").as_deref(), Ok("g6@3"));
        assert_eq!(read(GameId::TurningTurtles, "htth").as_deref(), Ok("HTTH"));
        assert_eq!(read(GameId::Kayles, "XX.X").as_deref(), Ok("xx.x"));
        assert!(read(GameId::Nim, "three").is_err());
        let both = read_game_and_position("Nim  3,4,5");
        assert_eq!(both, Some((GameId::Nim, "3,4,5")));
        assert_eq!(read_game_and_position("g6@3 time=2"), None);
        for (text, game) in [
            ("Wythoff's Nim  3,6", GameId::WythoffNim),
            ("Ryūō Nim 3,6", GameId::RyuoNim),
            ("Ryūō Nim with a pass 3,6", GameId::RyuoNimPass),
            ("Misère Fibonacci Nim 3,6", GameId::MisereFibonacciNim),
        ] {
            assert_eq!(read_game_and_position(text), Some((game, "3,6")), "{text}");
        }
    }
}
