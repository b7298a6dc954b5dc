//! The properties of notation and of lists: what is written is read, and what is listed is what may be played.

use fibfob_games::{Move, Position, normalise_typed};

use crate::{
    Checked,
    source::{ByteSource, played},
};

/// The most moves of a position that a property looks at one by one.
const OPTIONS_MAX: u128 = 600;

/// The number of moves tried where there are more.
const PICKED: usize = 16;

/// The number of tried moves that need not be legal.
const STRANGERS: usize = 8;

/// All moves with the positions after them, if there are not too many.
pub fn options(position: &Position) -> Option<Vec<(Move, Position)>> {
    let few = position
        .legal_count()
        .is_some_and(|count| count <= OPTIONS_MAX);
    few.then(|| {
        let moves = position.legal_moves();
        moves.iter().map(|text| option(position, &text)).collect()
    })
}

/// All moves with the positions after them, or some moves if there are too many.
pub fn some_options(position: &Position, bytes: &mut ByteSource<'_>) -> Vec<(Move, Position)> {
    options(position).unwrap_or_else(|| {
        let moves = position.legal_moves();
        let ends = moves.families().iter().flat_map(|family| family.ends());
        let mut texts: Vec<String> = ends.take(PICKED).collect();
        texts.extend((0..PICKED).filter_map(|_| moves.pick(bytes)));
        texts.iter().map(|text| option(position, text)).collect()
    })
}

/// A listed move, and where it leads.
pub fn option(position: &Position, text: &str) -> (Move, Position) {
    let mv = position.read_move(text);
    let mv = mv.unwrap_or_else(|error| panic!("{} {position}: {error}", position.game()));
    assert_eq!(mv.to_string(), text, "listed moves are canonical");
    let after = played(position, &mv);
    (mv, after)
}

/// Positions and moves that are written are read back as equal, and are normal texts.
///
/// # Panics
/// When it is not.
#[must_use]
pub fn written_is_read(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let written = position.to_string();
    assert_eq!(normalise_typed(&written), written);
    assert_eq!(
        Position::read(position.game(), &written).as_ref(),
        Ok(&position)
    );
    for _ in 0..PICKED {
        if let Some(text) = position.legal_moves().pick(&mut bytes) {
            assert_eq!(normalise_typed(&text), text);
            let mv = position.read_move(&text);
            assert_eq!(mv.map(|mv| mv.to_string()), Ok(text), "{position}");
        }
    }
    Some(Checked)
}

/// Moves are listed iff they may be played, each once, and as many as are counted.
///
/// # Panics
/// When they are not.
#[must_use]
pub fn listed_is_playable(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let position = bytes.position()?;
    let legal = position.legal_moves();
    let options = some_options(&position, &mut bytes);
    for (mv, after) in &options {
        assert!(legal.contains(&mv.to_string()), "{position}, {mv}");
        assert_ne!(after, &position, "{mv} changes nothing");
    }
    assert_eq!(position.is_terminal(), options.is_empty(), "{position}");
    assert_eq!(legal.count(), position.legal_count(), "{position}");
    if position
        .legal_count()
        .is_some_and(|count| count <= OPTIONS_MAX)
    {
        let mut texts: Vec<String> = options.iter().map(|(mv, _)| mv.to_string()).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), options.len(), "{position} lists a move twice");
        assert_eq!(Some(texts.len() as u128), legal.count(), "{position}");
    }
    for _ in 0..STRANGERS {
        let listed = legal.pick(&mut bytes);
        let like = listed.unwrap_or_else(|| position.game().info().example_move.to_owned());
        if let Ok(mv) = position.read_move(&bytes.altered(&like)) {
            assert_eq!(
                position.play(&mv).is_ok(),
                legal.contains(&mv.to_string()),
                "{position}, {mv}"
            );
        }
    }
    Some(Checked)
}
