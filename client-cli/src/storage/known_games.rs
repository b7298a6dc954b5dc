//! The games that the user has played, so that their rules are shown by themselves only once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fibfob_games::GameId;

use super::{data_folder, read, write};

#[derive(Debug)]
pub struct KnownGames {
    path: PathBuf,
    is_guest: bool,
    /// Those of this run.
    shown: BTreeSet<GameId>,
}

impl KnownGames {
    /// The games that the user of this machine knows; what a guest learns is not kept.
    pub fn of_user(is_guest: bool) -> Self {
        Self::open(data_folder().join("known-games.json"), is_guest)
    }

    fn open(path: PathBuf, is_guest: bool) -> Self {
        Self {
            path,
            is_guest,
            shown: BTreeSet::new(),
        }
    }

    /// Returns true the first time, and keeps that the game is known.
    pub fn is_new(&mut self, game: GameId) -> bool {
        if !self.shown.insert(game) {
            return false;
        }
        // The ids, also those of games that this program does not have. Who cannot read the file sees
        // rules once more.
        let mut known: BTreeSet<String> = read(&self.path).ok().flatten().unwrap_or_default();
        let is_new = known.insert(game.id().to_owned());
        if is_new && !self.is_guest {
            // Not worth a word: the rules are shown once more.
            let _ = write(&self.path, &known);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_new_once_also_in_later_runs_but_for_a_guest_who_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known");
        let mut guest = KnownGames::open(path.clone(), true);
        assert!(guest.is_new(GameId::Nim) && !guest.is_new(GameId::Nim));
        let mut known = KnownGames::open(path.clone(), false);
        assert!(known.is_new(GameId::Nim) && !known.is_new(GameId::Nim));
        assert!(known.is_new(GameId::Kayles));
        let mut later = KnownGames::open(path, false);
        assert!(!later.is_new(GameId::Kayles) && later.is_new(GameId::FibFob));
    }
}
