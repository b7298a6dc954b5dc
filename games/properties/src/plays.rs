//! The properties of plays: every one ends, and when.

use fibfob_games::{Level, PLIES_MAX, choose_move, random_move};

use crate::{
    Checked,
    moves::{options, some_options},
    source::{ByteSource, played},
};

/// Every move shortens the longest play, every play from an allowed start is over within the bound on matches, and when
/// no move is left, none is counted.
///
/// # Panics
/// When a play is longer.
#[must_use]
pub fn plays_end(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let mut position = bytes.position()?;
    // Not every play by a bot: in a lost position it looks at many moves.
    let bot = bytes.byte().is_multiple_of(4);
    if position.check_start().is_ok() {
        assert!(position.longest_play() <= PLIES_MAX, "{position}");
    }
    for _ in 0..PLIES_MAX {
        let mv = if bot {
            choose_move(&position, Level::Casual, &mut bytes)
        } else {
            random_move(&position, &mut bytes)
        };
        let left = position.longest_play();
        let Some(mv) = mv else {
            assert!(position.is_terminal() && left == 0, "{position}");
            break;
        };
        position = played(&position, &mv);
        assert!(position.longest_play() < left, "{position} after {mv}");
    }
    Some(Checked)
}

/// The longest play is that of the best option and one move more.
///
/// # Panics
/// When it is not.
#[must_use]
pub fn longest_play_is_exact(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let plays = |(_, after): (_, fibfob_games::Position)| after.longest_play() + 1;
    let longest = position.longest_play();
    if let Some(options) = options(&position) {
        let best = options.into_iter().map(plays).max();
        assert_eq!(best.unwrap_or(0), longest, "{position}");
    } else {
        let mut some = some_options(&position, &mut bytes).into_iter().map(plays);
        assert!(some.all(|plays| plays <= longest), "{position}");
    }
    Some(Checked)
}
