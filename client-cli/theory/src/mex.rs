//! `fibfob mex`: the minimal excluded value of some numbers, or of what a position's moves lead to.

use fibfob_games::{Budget, Options, mex};
use serde::Serialize;
use thiserror::Error;

use crate::args::MexArgs;
use crate::typed::{read_game_and_position, read_position};
use crate::wrapping::in_window;
use crate::{Failure, json_line, options};

/// A word that is not a number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is not a nimber: expected whole numbers from 0 on, such as 0 1 1 3")]
pub struct NotANumber(String);

/// The result as JSON.
#[derive(Serialize)]
struct MexJson {
    numbers: Vec<u64>,
    mex: u64,
}

/// The procedure for a position as JSON.
#[derive(Serialize)]
struct OptionsJson {
    game: String,
    position: String,
    #[serde(flatten)]
    options: Options,
}

/// Returns the mex of the numbers, or the values of a position's moves and their mex.
pub fn answer(args: &MexArgs) -> Result<String, Failure> {
    let text = args.numbers.join(" ");
    if let Some((game, text)) = read_game_and_position(&text) {
        let position = read_position(game, text)?;
        return Ok(match args.json {
            true => json_line(&OptionsJson {
                game: game.to_string(),
                position: position.to_string(),
                options: position.options(&mut Budget::of_question()),
            }),
            false => in_window(&(options::write(&position).join("\n") + "\n")),
        });
    }
    let numbers = read(&args.numbers)?;
    let mex = mex(numbers.iter().copied());
    Ok(match args.json {
        true => json_line(&MexJson { numbers, mex }),
        false => format!("{mex}\n"),
    })
}

/// Reads numbers separated by spaces or commas.
fn read(words: &[String]) -> Result<Vec<u64>, NotANumber> {
    let numbers = words.iter().flat_map(|word| word.split([',', ' ']));
    let numbers = numbers.filter(|number| !number.is_empty());
    numbers
        .map(|number| {
            number
                .parse()
                .map_err(|_| NotANumber(number.chars().take(40).collect()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Vec<u64>, NotANumber> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        super::read(&words)
    }

    #[test]
    fn spaces_and_commas_separate_numbers() {
        assert_eq!(read("0 1 1 3"), Ok(vec![0, 1, 1, 3]));
        assert_eq!(read("0,1, 3"), Ok(vec![0, 1, 3]));
        assert_eq!(read(""), Ok(vec![]));
    }

    #[test]
    fn a_word_that_is_not_a_number_is_named() {
        for wrong in ["x", "-1", "1.5", "18446744073709551616"] {
            assert_eq!(
                read(&format!("0 {wrong}")),
                Err(NotANumber(wrong.to_owned()))
            );
        }
    }
}
