//! `fibfob games`: the games that can be played and solved.

use std::fmt::Write;

use fibfob_games::{Catalogue, GameId};

use crate::args::GamesArgs;
use crate::json_line;
use crate::wrapping::in_window;

/// Returns the list of games.
pub fn answer(args: &GamesArgs) -> String {
    if args.json {
        return json_line(Catalogue::built());
    }
    in_window(&list_games())
}

fn list_games() -> String {
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
        let text = list_games();
        assert_eq!(text.lines().count(), 3 * GameId::ALL.len());
        assert!(text.contains(
            "nim · Nim\n  Take any number of coins from one heap. Whoever cannot move loses.\n  3,4,5 · take 2 from 1\n"
        ));
    }
}
