//! The properties of foreign text: whatever is sent, it is read or refused, answered, and soon.

use std::{
    fmt::Display,
    time::{Duration, Instant},
};

use fibfob_games::{Level, Position, TEXT_MAX, choose_move, normalise_typed};

use crate::{Checked, source::ByteSource};

/// The longest that a text may take. Linear time is a hundredth of it, on a busy machine too; quadratic time in a text of
/// [`TEXT_MAX`] bytes would be hours.
const READING_MAX: Duration = Duration::from_secs(5);

/// The longest that all answers about a position may take together, building tables included: half a second where nothing
/// slows the program down, as a fuzzer does.
const ANSWERING_MAX: Duration = Duration::from_secs(60);

/// The most characters of an error: it repeats an excerpt, not the text.
const ERROR_MAX: usize = 400;

/// The most characters of the error of a move that is not legal: it offers some families of legal moves instead.
const ILLEGAL_MAX: usize = 2000;

/// Does what may not take longer than this.
fn within<T>(most: Duration, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    let taken = start.elapsed();
    assert!(taken <= most, "{what} took {taken:?}");
    done
}

/// Checks that an error is one bounded line.
fn check_error(error: &impl Display, most: usize) {
    let error = error.to_string();
    assert!(error.chars().count() <= most, "{error}");
    assert!(!error.contains(char::is_control), "{error:?}");
}

/// Reads a text as a move of a position: what is read is written and read again, and is legal iff it is listed.
fn read_as_move(position: &Position, text: &str) -> Option<Checked> {
    match position.read_move(text) {
        Err(error) => {
            check_error(&error, ERROR_MAX);
            None
        }
        Ok(mv) => {
            let written = mv.to_string();
            assert_eq!(position.read_move(&written).as_ref(), Ok(&mv));
            let played = position.play(&mv);
            let listed = position.legal_moves().contains(&written);
            assert_eq!(played.is_ok(), listed, "{position}, {mv}");
            if let Err(refused) = played {
                check_error(&refused, ILLEGAL_MAX);
            }
            Some(Checked)
        }
    }
}

/// No text makes the reader of positions or of moves panic or take long; what it reads, it writes and reads again. `Some`
/// if the text was notation.
///
/// # Panics
/// When one does.
#[must_use]
pub fn any_text_is_read(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let game = bytes.game();
    // Most texts are short; of the others, bytes too few for a long one are repeated, since what is slow is slow there.
    let times = 1 << bytes.byte().saturating_sub(230);
    let text = bytes.text();
    let times = times.min(TEXT_MAX / text.len().max(1) + 1);
    let text = text.repeat(times);
    let normal = normalise_typed(&text);
    assert_eq!(normalise_typed(&normal), normal);
    let position = within(READING_MAX, "reading", || game.read(&text));
    let example = game.read(game.info().example).ok();
    let mut moved = example.and_then(|example| {
        within(READING_MAX, "reading a move", || {
            read_as_move(&example, &text)
        })
    });
    match position {
        Err(error) => {
            check_error(&error, ERROR_MAX);
            moved
        }
        Ok(position) => {
            let again = within(READING_MAX, "reading again", || {
                game.read(&position.to_string())
            });
            assert_eq!(again.as_ref(), Ok(&position));
            moved = moved.or_else(|| read_as_move(&position, &text));
            moved.or(Some(Checked))
        }
    }
}

/// Every position that can be read gets all answers, and soon, and they agree with each other.
///
/// # Panics
/// When one does not.
#[must_use]
pub fn any_position_is_answered(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    within(ANSWERING_MAX, "answering", || {
        let solution = position.solve();
        assert_eq!(solution.outcome, position.outcome(), "{position}");
        assert_eq!(solution.nimber, position.nimber(), "{position}");
        assert_eq!(solution.legal_moves, position.legal_count(), "{position}");
        assert!(!position.explain().steps.is_empty(), "{position}");
        if let Err(refused) = position.check_start() {
            check_error(&refused, ERROR_MAX);
        }
        let legal = position.legal_moves();
        for level in Level::ALL {
            match choose_move(&position, level, &mut bytes) {
                Some(mv) => assert!(legal.contains(&mv.to_string()), "{position}, {mv}"),
                None => assert!(position.is_terminal(), "{position}"),
            }
        }
    });
    Some(Checked)
}
