//! The plan of a crash test: its size, and the pairings.

use fibfob_games::Level;
use fibfob_protocol::GRACE_MS;
use rand::RngExt;

use crate::workload::SeededChoices;

/// Pairings with another guest that each guest starts; as many are started by others.
const PAIRINGS_EACH: usize = 2;
/// Pairings with a bot that each guest is in.
const BOT_PAIRINGS_EACH: usize = 2;
/// Matches that each watcher follows.
pub(super) const WATCHED_EACH: usize = 5;

/// The grace in a cluster, in milliseconds: longer than any server is frozen or cut off, because its
/// players count as away meanwhile.
const CLUSTER_GRACE_MS: u64 = 30_000;

/// The size of a crash test.
#[derive(Clone, Debug)]
pub struct CrashTestPlan {
    /// The source of all choices.
    pub seed: u64,
    /// The number of kills.
    pub rounds: u32,
    /// Clients that play, each in six matches at once.
    pub guests: usize,
    /// Clients that watch, each five matches at once.
    pub watchers: usize,
    /// Commands that must be unanswered at a kill in the middle of play.
    pub in_flight: usize,
    /// The least and most answers between two such kills.
    pub answers: (u64, u64),
    /// The time after which an absent player's match may be claimed, in milliseconds.
    pub grace_ms: u64,
}

impl CrashTestPlan {
    /// A crash test of the usual size.
    #[must_use]
    pub fn new(seed: u64, rounds: u32) -> Self {
        Self {
            seed,
            rounds,
            guests: 120,
            watchers: 24,
            in_flight: 200,
            answers: (200, 1_500),
            grace_ms: *GRACE_MS.start(),
        }
    }

    /// The crash test of a cluster, in which a round has all kinds of failures.
    #[must_use]
    pub fn of_cluster(seed: u64, rounds: u32) -> Self {
        Self {
            guests: 36,
            watchers: 9,
            answers: (150, 300),
            grace_ms: CLUSTER_GRACE_MS,
            ..Self::new(seed, rounds)
        }
    }

    /// The crash test of a cluster under Patroni, most of which is a wait until it promotes another
    /// database.
    #[must_use]
    pub fn of_patroni(seed: u64, rounds: u32) -> Self {
        Self {
            guests: 16,
            watchers: 4,
            ..Self::of_cluster(seed, rounds)
        }
    }

    /// The choices of its clients.
    pub(super) fn choices(&self) -> SeededChoices {
        SeededChoices {
            seed: self.seed,
            grace_ms: self.grace_ms,
        }
    }

    /// The pairings.
    pub(super) fn pairings(&self) -> Vec<Pairing> {
        let choices = self.choices();
        let mut pairings = Vec::new();
        for guest in 0..self.guests {
            for step in 1..=PAIRINGS_EACH {
                let other = (guest + step) % self.guests;
                pairings.push(Pairing::Guests([guest, other]));
            }
            for _ in 0..BOT_PAIRINGS_EACH {
                let levels = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
                let level = choices
                    .rng("bot", &[pairings.len() as u64])
                    .random_range(0..levels.len());
                pairings.push(Pairing::Bot(guest, levels[level]));
            }
        }
        pairings
    }
}

/// Two players who play one match after the other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pairing {
    /// Two guests.
    Guests([usize; 2]),
    /// A guest and a bot.
    Bot(usize, Level),
}
