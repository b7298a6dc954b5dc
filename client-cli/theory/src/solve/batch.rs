//! `fibfob solve --batch`: one line of output for each line of input, in order and at once, so that a program
//! can wait for each answer. An invalid or empty line is answered with an error.

use std::io::{self, BufRead, Read, Write};

use fibfob_games::{NotationError, Position, UnknownGame};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::json::SolutionJson;
use crate::exit::Exit;
use crate::json_line;

/// The maximum length of a line. A line with thousands of winning moves, as in files of test
/// vectors, is far shorter.
const LINE_BYTES_MAX: usize = 1024 * 1024;

/// The reason why a line has no solution.
#[derive(Debug, Error)]
enum BatchLineError {
    #[error("the line is longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    #[error("the line is not a JSON object {{\"game\":…,\"position\":…}} of two texts: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error(transparent)]
    Game(#[from] UnknownGame),
    #[error(transparent)]
    Position(#[from] NotationError),
}

/// A line of the input; other fields are ignored.
#[derive(Deserialize)]
struct BatchLine {
    game: String,
    position: String,
}

/// The answer to a line without a solution.
#[derive(Serialize)]
struct Invalid {
    error: String,
}

/// Answers every line; returns [`Exit::No`] if one was invalid.
pub fn run(mut input: impl BufRead, out: &mut impl Write) -> io::Result<Exit> {
    let mut exit = Exit::Done;
    let mut line = Vec::new();
    while next_line(&mut input, &mut line)? {
        let answer = match solve(&line) {
            Ok(solution) => json_line(&solution),
            Err(error) => {
                exit = Exit::No;
                let error = error.to_string();
                json_line(&Invalid { error })
            }
        };
        out.write_all(answer.as_bytes())?;
        // The other program may wait for this answer before it writes the next line.
        out.flush()?;
    }
    Ok(exit)
}

/// Reads a line without its line break, and only the start of one that is too long. Returns false at the end
/// of the input.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let bound = LINE_BYTES_MAX as u64 + 1;
    let read = input.by_ref().take(bound).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LINE_BYTES_MAX {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

fn solve(line: &[u8]) -> Result<SolutionJson, BatchLineError> {
    if line.len() > LINE_BYTES_MAX {
        return Err(BatchLineError::TooLong);
    }
    let BatchLine { game, position } = serde_json::from_slice(line)?;
    let position = Position::read(game.parse()?, &position)?;
    Ok(SolutionJson::solve(&position, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &[u8]) -> (Vec<String>, Exit) {
        let mut out = Vec::new();
        let exit = run(input, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        (text.lines().map(str::to_owned).collect(), exit)
    }

    fn check(input: &str, expected: &str) {
        assert_eq!(
            answers(input.as_bytes()),
            (vec![expected.to_owned()], Exit::Done)
        );
    }

    #[test]
    fn the_worked_example_is_solved() {
        check(
            r#"{"game":"fib-fob","position":"g6@3 fob=9 fib=12 time=15 nuggets=5","more":1}"#,
            r#"{"game":"fib-fob","position":"g6@3 time=15 nuggets=5 fib=12 fob=9","outcome":"N","nimber":13,"winning":["time -13"],"complete":true,"legal_count":37}"#,
        );
        check(
            r#"{"game":"fib-fob","position":"a1@1 time=1 fib=2"}"#,
            r#"{"game":"fib-fob","position":"a1@1 time=1 nuggets=0 fib=2 fob=0","outcome":"N","nimber":3,"winning":["spend fib"],"complete":true,"legal_count":3}"#,
        );
    }

    #[test]
    fn an_invalid_line_is_answered_and_the_batch_continues() {
        let mut input = b"nonsense\n\n[]\n{\"game\":\"nim\"}\n\
            {\"game\":\"chess\",\"position\":\"e4\"}\n{\"game\":\"nim\",\"position\":\"x\"}\n"
            .to_vec();
        input.extend([0xFF, b'\n']);
        input.extend(b"{\"game\":\"nim\",\"position\":\"");
        input.extend(vec![b'1'; LINE_BYTES_MAX]);
        input.extend(b"\"}\n");
        input.extend(br#"{"game":"nim","position":"1"}"#);
        let (answers, exit) = answers(&input);
        let starts = [
            r#"{"error":"the line is not a JSON object"#,
            r#"{"error":"the line is not a JSON object"#,
            r#"{"error":"the line is not a JSON object"#,
            r#"{"error":"the line is not a JSON object {\"game\":…,\"position\":…} of two texts: missing field `position`"#,
            r#"{"error":"there is no such game"#,
            r#"{"error":"this is no whole number"#,
            r#"{"error":"the line is not a JSON object"#,
            r#"{"error":"the line is longer than"#,
            r#"{"game":"nim","position":"1","outcome":"N","nimber":1"#,
        ];
        assert_eq!(answers.len(), starts.len(), "{answers:#?}");
        for (answer, start) in answers.iter().zip(starts) {
            assert!(answer.starts_with(start), "{answer}");
        }
        assert_eq!(exit, Exit::No);
    }

    #[test]
    fn the_longest_line_allowed_is_read() {
        let mut line = br#"{"game":"nim","position":"1"}"#.to_vec();
        line.resize(LINE_BYTES_MAX, b' ');
        line.extend(b"\n{\"game\":\"nim\",\"position\":\"2\"}");
        let (answers, exit) = answers(&line);
        assert_eq!((answers.len(), exit), (2, Exit::Done));
    }

    #[test]
    fn empty_input_is_not_an_error() {
        assert_eq!(answers(b""), (Vec::new(), Exit::Done));
    }
}
