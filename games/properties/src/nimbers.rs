//! The properties of Sprague and Grundy: nimbers, who wins, and by which moves.

use fibfob_games::{Convention, Nimber, Outcome, Position, mex};

use crate::{
    Checked,
    moves::{option, options, some_options},
    source::ByteSource,
};

/// The number of winning moves tried where there are many.
const WINNING_PICKED: usize = 8;

fn lost(position: &Position) -> bool {
    position.outcome() == Some(Outcome::P)
}

/// The nimber is the mex of those of the options, and misère games have none.
///
/// # Panics
/// When it is not.
#[must_use]
pub fn nimber_is_mex(data: &[u8]) -> Option<Checked> {
    let position = ByteSource::new(data).position()?;
    let misere = position.game().convention() == Convention::Misere;
    assert_eq!(position.nimber() == Nimber::None, misere, "{position}");
    if misere {
        return Some(Checked);
    }
    let after = options(&position)?
        .iter()
        .map(|(_, after)| after.nimber().known())
        .collect::<Option<Vec<u64>>>()?;
    if let Nimber::Known(nimber) = position.nimber() {
        assert_eq!(mex(after), nimber, "{} {position}", position.game());
    }
    Some(Checked)
}

/// Every winning move leads to a position that is lost for the opponent.
///
/// # Panics
/// When one does not.
#[must_use]
pub fn winning_leads_to_p(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let winning = position.solve().winning;
    let mut texts: Vec<String> = winning.iter().take(WINNING_PICKED).collect();
    texts.extend((0..WINNING_PICKED).filter_map(|_| winning.pick(&mut bytes)));
    for text in texts {
        let (mv, after) = option(&position, &text);
        assert!(winning.contains(&text), "{position}, {mv}");
        assert!(lost(&after), "{} {position}, {mv}", position.game());
    }
    if let Some(favourite) = position.favourite() {
        let favourite = favourite.to_string();
        assert!(winning.contains(&favourite), "{position}, {favourite}");
    }
    Some(Checked)
}

/// No move wins from a lost position, some move wins from a won one, and no winning move is left out.
///
/// # Panics
/// When one is, or none does.
#[must_use]
pub fn no_win_from_p(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let solution = position.solve();
    for (mv, after) in some_options(&position, &mut bytes) {
        if lost(&after) {
            assert_ne!(solution.outcome, Some(Outcome::P), "{position}, {mv}");
        }
        if solution.complete {
            let listed = solution.winning.contains(&mv.to_string());
            assert_eq!(listed, lost(&after), "{position}, {mv}");
        }
    }
    match solution.outcome? {
        Outcome::P => assert!(solution.winning.is_empty(), "{position}"),
        Outcome::N if solution.complete && !position.is_terminal() => {
            assert!(!solution.winning.is_empty(), "{position}");
        }
        Outcome::N => {}
    }
    Some(Checked)
}

/// An outcome that is not known, or a list of winning moves that is not complete, comes with a reason.
///
/// # Panics
/// When it does not.
#[must_use]
pub fn unknown_is_honest(data: &[u8]) -> Option<Checked> {
    let position = ByteSource::new(data).position()?;
    let solution = position.solve();
    let reason = matches!(solution.nimber, Nimber::Unknown(_));
    let known = solution.outcome.is_some() && solution.complete;
    assert!(reason || known, "{} {position}", position.game());
    Some(Checked)
}

/// The moves to a nimber are all moves to it.
///
/// # Panics
/// When one is left out, or leads elsewhere.
#[must_use]
pub fn moves_to_a_value(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let options = some_options(&position, &mut bytes);
    let mut values = vec![0, 1, u64::from(bytes.byte() % 64), u64::MAX];
    values.extend(position.nimber().known());
    if !options.is_empty() {
        values.extend(bytes.one_of(&options).1.nimber().known());
    }
    for value in values {
        let Ok(moves) = position.moves_to(value) else {
            continue;
        };
        for (mv, after) in &options {
            if let Nimber::Known(nimber) = after.nimber() {
                let listed = moves.contains(&mv.to_string());
                assert_eq!(listed, nimber == value, "{position}, {mv}, {value}");
            }
        }
    }
    Some(Checked)
}
