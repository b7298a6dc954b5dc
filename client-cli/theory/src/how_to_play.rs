//! The rules for somebody who sees a game for the first time, as lines for a terminal. The sentences, and the
//! moves that show them, are the game's own.

use fibfob_games::{GameId, HowToPlay, ShownMove};

/// Returns the sheet of a game: a paragraph, or a kind of move, for each text.
pub fn sheet(game: GameId) -> Vec<String> {
    let HowToPlay {
        introduction,
        goal,
        moves,
    } = game.how_to_play();
    let mut texts: Vec<String> = introduction.into_iter().chain([goal]).collect();
    let width = moves.iter().map(|shown| shown.mv.len()).max();
    let width = width.unwrap_or(0);
    let row = |shown: &ShownMove| format!("  {:width$}  {}", shown.mv, shown.sentence);
    let is_from_same = |one: &ShownMove, next: &ShownMove| one.position == next.position;
    for (index, shown) in moves.chunk_by(is_from_same).enumerate() {
        let position = &shown[0].position;
        texts.push(match index {
            0 => format!("You type a move. From `{position}`, for example:"),
            _ => format!("From `{position}`:"),
        });
        texts.extend(shown.iter().map(row));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_stands_below_its_own_position() {
        assert_eq!(
            sheet(GameId::MisereFibonacciNim)[1..],
            [
                "Misère: whoever makes the last move LOSES. Leave the last move to the other one!",
                "You type a move. From `coins=10`, for example:",
                "  take 3  First move: take as many coins as you like, but not all.",
                "From `coins=8 last=2`:",
                "  take 4  Afterwards: at most twice as many as the other one just took. After 2, that is up to 4.",
            ]
        );
        assert!(sheet(GameId::FibFob)[0].contains("erased from reality"));
    }
}
