//! The moves that every match of a load makes, with the position after each, from the games crate.
//! Played once before the load, so that checking an answer is a comparison of texts.

use fibfob_games::{GameId, Position, Ranges};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::error::LoadError;

/// Random starts that are tried until one is long enough.
const STARTS_MAX: u32 = 20_000;
/// Random moves that are tried until one leaves enough moves to make.
const DRAWS_MAX: u32 = 32;
/// Moves of which the one that leaves most is taken, if all drawn ones leave too few.
const LISTED_MAX: usize = 4_096;

/// A start and a sequence of legal moves from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSequence {
    /// The game.
    pub game: GameId,
    /// The start, in canonical notation.
    pub start: String,
    plies: Vec<SequencePly>,
}

/// A move and the position after it, in canonical notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequencePly {
    /// The move.
    pub move_text: String,
    /// The position after it.
    pub position: String,
}

impl MoveSequence {
    /// Draws a start and this many moves; the same ones for the same seed.
    ///
    /// # Errors
    /// [`LoadError::Unsuitable`] if no start, or not the given one, is long enough.
    pub fn draw(
        game: GameId,
        start: Option<&str>,
        plies: usize,
        seed: u64,
    ) -> Result<Self, LoadError> {
        let mut rng = StdRng::seed_from_u64(seed);
        let first = match start {
            Some(text) => given_start(game, text, plies)?,
            None => random_start(game, plies, &mut rng)?,
        };
        let mut position = first.clone();
        let mut sequence = Vec::with_capacity(plies);
        for left in (0..plies).rev() {
            let (move_text, after) = long_enough_move(&position, left, &mut rng)?;
            sequence.push(SequencePly {
                move_text,
                position: after.to_string(),
            });
            position = after;
        }
        Ok(Self {
            game,
            start: first.to_string(),
            plies: sequence,
        })
    }

    /// The moves.
    #[must_use]
    pub fn plies(&self) -> &[SequencePly] {
        &self.plies
    }

    /// The position after so many moves.
    #[must_use]
    pub fn position_after(&self, plies: usize) -> Option<&str> {
        match plies.checked_sub(1) {
            None => Some(&self.start),
            Some(last) => self.plies.get(last).map(|ply| ply.position.as_str()),
        }
    }
}

fn given_start(game: GameId, text: &str, plies: usize) -> Result<Position, LoadError> {
    let position = game.read(text);
    let position = position.map_err(|error| LoadError::Unsuitable(error.to_string()))?;
    match position.longest_play() {
        longest if longest >= plies as u128 => Ok(position),
        longest => Err(LoadError::Unsuitable(format!(
            "`{text}` ends after at most {longest} plies, and {plies} are wanted"
        ))),
    }
}

/// Draws a start from the game's usual ranges, or from larger and larger ones if those are too
/// short.
fn random_start(game: GameId, plies: usize, rng: &mut StdRng) -> Result<Position, LoadError> {
    let usual = Ranges::default();
    let mut largest = Ranges::default();
    for range in game.start_ranges() {
        let upper = (range.default_to.midpoint(range.most), range.most);
        largest = largest
            .with(range.name, upper.0, upper.1)
            .map_err(|error| LoadError::Unsuitable(error.to_string()))?;
    }
    for ranges in [usual, largest] {
        for _ in 0..STARTS_MAX {
            let drawn = game.random_start(&ranges, rng);
            let drawn = drawn.map_err(|error| LoadError::Unsuitable(error.to_string()))?;
            if drawn.longest_play() >= plies as u128 {
                return Ok(drawn);
            }
        }
    }
    Err(LoadError::Unsuitable(format!(
        "no start of {game} with {plies} plies was found; name one with --start, or take fewer --plies"
    )))
}

/// Returns a legal move after which `left` more can be made.
fn long_enough_move(
    position: &Position,
    left: usize,
    rng: &mut StdRng,
) -> Result<(String, Position), LoadError> {
    let moves = position.legal_moves();
    let play = |text: String| {
        let after = position
            .read_move(&text)
            .ok()
            .and_then(|made| position.play(&made).ok());
        after
            .map(|after| (text, after))
            .ok_or_else(|| LoadError::Unsuitable("a listed move is not legal".to_owned()))
    };
    for _ in 0..DRAWS_MAX {
        let Some(text) = moves.pick(rng) else { break };
        let (text, after) = play(text)?;
        if after.longest_play() >= left as u128 {
            return Ok((text, after));
        }
    }
    let mut longest: Option<(String, Position)> = None;
    for text in moves.iter().take(LISTED_MAX) {
        let candidate = play(text)?;
        let length = candidate.1.longest_play();
        if longest
            .as_ref()
            .is_none_or(|(_, best)| best.longest_play() < length)
        {
            longest = Some(candidate);
        }
    }
    longest
        .filter(|(_, after)| after.longest_play() >= left as u128)
        .ok_or_else(|| LoadError::Unsuitable(format!("{position} has no long enough move")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_sequence_of_legal_moves() {
        for &game in GameId::ALL {
            let sequence = MoveSequence::draw(game, None, 8, 1).unwrap();
            let mut position = game.read(&sequence.start).unwrap();
            for ply in sequence.plies() {
                let made = position.read_move(&ply.move_text).unwrap();
                position = position.play(&made).unwrap();
                assert_eq!(position.to_string(), ply.position);
            }
            assert_eq!(sequence.plies().len(), 8);
            assert_eq!(sequence, MoveSequence::draw(game, None, 8, 1).unwrap());
        }
    }

    #[test]
    fn sixty_four_plies_end_within_the_usual_starts() {
        for game in [GameId::Nim, GameId::FibFob] {
            assert_eq!(
                MoveSequence::draw(game, None, 64, 1).unwrap().plies().len(),
                64
            );
        }
    }

    #[test]
    fn a_start_that_is_too_short_is_refused() {
        let error = MoveSequence::draw(GameId::Nim, Some("1,2"), 4, 1).unwrap_err();
        assert!(error.to_string().contains("at most 3 plies"), "{error}");
        MoveSequence::draw(GameId::Nim, Some("1,2"), 3, 1).unwrap();
    }
}
