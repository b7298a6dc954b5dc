//! `fibfob games`: the games that can be played and solved.

use std::fmt::Write;

use fibfob_games::{GameId, GameInfo};

use crate::args::GamesArgs;
use crate::json_line;

/// Returns the list of games.
pub fn answer(args: &GamesArgs) -> String {
    if args.json {
        let games: Vec<&GameInfo> = GameId::ALL.iter().map(|game| game.info()).collect();
        return json_line(&games);
    }
    written()
}

fn written() -> String {
    let mut text = String::new();
    for game in GameId::ALL {
        let info = game.info();
        let _ = write!(
            text,
            "{} · {}\n  {}\n  {} · {}\n",
            info.id, info.title, info.rules, info.example, info.example_move
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_listed() {
        let text = written();
        assert_eq!(text.lines().count(), 3 * GameId::ALL.len());
        assert!(text.contains(
            "nim · Nim\n  Take any number of coins from one heap. Whoever cannot move loses.\n  3,4,5 · take 2 from 1\n"
        ));
    }

    #[test]
    fn the_json_form_has_the_same_facts() {
        let json = serde_json::to_string(GameId::MisereNim.info()).unwrap();
        assert_eq!(
            json,
            r#"{"id":"misere-nim","title":"Misère Nim","rules":"Take any number of coins from one heap. Whoever cannot move wins.","example":"3,4,5","example_move":"take 2 from 1","convention":"misere"}"#
        );
    }
}
