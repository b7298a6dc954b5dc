//! Questions about positions of any game, which need no match.

use std::sync::Arc;

use fibfob_games::{GameId, Position, Puzzle};
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    CommandId, PositionAnalysis, Refusal, STUDY_BYTES_MAX, ServerMessage, Study,
};

use crate::app::App;

/// A position to study.
pub(super) enum Studied {
    /// The position of a game, both as texts, after a move if there is one.
    Position(String, String, Option<String>),
    /// That of the puzzle of a game, a grade and a seed.
    Puzzle(String, Option<String>, u32),
}

impl Studied {
    /// # Errors
    /// If there is no such position, or it is too long.
    fn position(self) -> Result<Position, Refusal> {
        match self {
            Self::Position(game, position, text) => {
                let game: GameId = game.parse()?;
                if position.len() > STUDY_BYTES_MAX {
                    return Err(Refusal::PositionTooLong(position.len()));
                }
                let position = game.read(&position)?;
                Ok(match text {
                    Some(text) => position.play(&position.read_move(&text)?)?,
                    None => position,
                })
            }
            Self::Puzzle(game, grade, seed) => {
                let game: GameId = game.parse()?;
                let grade = grade.map(|grade| grade.parse()).transpose()?;
                let found = Puzzle::of_seed(game, grade, u64::from(seed));
                let puzzle = found.ok_or(Refusal::NoSuchPuzzle { game, grade })?;
                Ok(puzzle.position)
            }
        }
    }
}

/// Returns the answer to a question about a position.
pub(super) async fn answer(
    app: Arc<App>,
    id: CommandId,
    studied: Studied,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    // A solver may need much processor time, and a puzzle is searched for.
    let computed = app.directory.answer(&asker, move || {
        let position = studied.position()?;
        Ok(ServerMessage::Study(Box::new(Study {
            id,
            game: position.game(),
            legal: position.legal_moves(),
            of: PositionAnalysis::of(&position),
        })))
    });
    computed.await?
}
