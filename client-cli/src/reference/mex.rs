//! `fibfob mex`: the minimal excluded value of a set of numbers.

use std::io::{self, Write};

use fibfob_games::mex;
use serde::Serialize;
use thiserror::Error;

use crate::args::MexArgs;
use crate::exit::Exit;

/// A word that is not a number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is not a nimber: expected whole numbers from 0 on, such as 0 1 1 3")]
struct NotANumber(String);

/// The result as JSON.
#[derive(Serialize)]
struct MexJson {
    numbers: Vec<u64>,
    mex: u64,
}

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written to.
pub fn run(args: &MexArgs) -> io::Result<Exit> {
    let numbers = match read(&args.numbers) {
        Ok(numbers) => numbers,
        Err(fault) => return Ok(super::refused(&fault)),
    };
    let mex = mex(numbers.iter().copied());
    let mut out = io::stdout().lock();
    if args.json {
        super::json(&MexJson { numbers, mex }, &mut out)?;
    } else {
        writeln!(out, "{mex}")?;
        out.flush()?;
    }
    Ok(Exit::Done)
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
