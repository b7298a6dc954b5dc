//! The games that the user has played, so that their rules are shown by themselves only once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fibfob_games::GameId;

use super::{data_folder, read, write};

/// The games whose rules have been shown.
#[derive(Debug)]
pub struct KnownGames {
    /// None for a guest of whom nothing is kept.
    path: Option<PathBuf>,
    /// Their ids, also those of games that this program does not have.
    games: BTreeSet<String>,
}

impl KnownGames {
    /// The games that the user of this machine knows; what a guest learns is not kept.
    pub fn of_user(is_guest: bool) -> Self {
        Self::open(data_folder().join("known-games.json"), is_guest)
    }

    fn open(path: PathBuf, is_guest: bool) -> Self {
        // Who cannot read it sees rules once more.
        let games = read(&path).ok().flatten().unwrap_or_default();
        let path = (!is_guest).then_some(path);
        Self { path, games }
    }

    /// Returns true the first time, and keeps that the game is known.
    pub fn is_new(&mut self, game: GameId) -> bool {
        if self.games.contains(game.id()) {
            return false;
        }
        if let Some(path) = &self.path {
            // Another run may have shown another game meanwhile.
            let kept: BTreeSet<String> = read(path).ok().flatten().unwrap_or_default();
            self.games.extend(kept);
        }
        let is_new = self.games.insert(game.id().to_owned());
        if let (Some(path), true) = (&self.path, is_new) {
            // Not worth a word: the rules are shown once more.
            let _ = write(path, &self.games);
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
