//! What a storm is: its size, and who plays whom.

use fibfob_games::Level;
use rand::RngExt;

use crate::tables::Choices;

/// Matches against another guest that each guest begins to be in; as many are begun by others.
const TABLES_EACH: usize = 2;
/// Matches against a bot that each guest is in.
const BOT_TABLES_EACH: usize = 2;
/// Matches that each watcher follows.
pub(super) const WATCHED_EACH: usize = 5;

/// The size of a storm.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What all choices are drawn from.
    pub seed: u64,
    /// How often the server is killed.
    pub rounds: u32,
    /// Clients that play, each in six matches at once.
    pub guests: usize,
    /// Clients that watch, each five matches at once.
    pub watchers: usize,
    /// Commands that must be unanswered at a kill in the middle of play.
    pub in_flight: usize,
    /// The least and most answers between two such kills.
    pub answers: (u64, u64),
}

impl Plan {
    /// A storm of the usual size.
    #[must_use]
    pub fn new(seed: u64, rounds: u32) -> Self {
        Self {
            seed,
            rounds,
            guests: 120,
            watchers: 24,
            in_flight: 200,
            answers: (200, 1_500),
        }
    }

    /// What its clients choose.
    pub(super) fn choices(&self) -> Choices {
        Choices { seed: self.seed }
    }

    /// Who plays whom.
    pub(super) fn tables(&self) -> Vec<Table> {
        let choices = self.choices();
        let mut tables = Vec::new();
        for guest in 0..self.guests {
            for step in 1..=TABLES_EACH {
                let other = (guest + step) % self.guests;
                tables.push(Table::Guests([guest, other]));
            }
            for _ in 0..BOT_TABLES_EACH {
                let levels = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
                let level = choices
                    .chance("bot", &[tables.len() as u64])
                    .random_range(0..levels.len());
                tables.push(Table::Bot(guest, levels[level]));
            }
        }
        tables
    }
}

/// Where one match after the other is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    /// By these two.
    Guests([usize; 2]),
    /// By this one against a bot.
    Bot(usize, Level),
}
