//! Today's flight: one won start a day, the same for everybody, made from the date alone.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use crate::budget::Budget;
use crate::catalogue::{GameId, Position};
use crate::puzzle::draw_start;

/// The day of the first flight, 2026-11-26, in days since 1970-01-01.
const FIRST_DAY: u32 = 20_783;
/// The fewest and the most moves that a flight may last.
const PLIES: std::ops::RangeInclusive<u128> = 8..=60;

/// A flight: the start of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The number, 1 on 2026-11-26 (and before).
    pub number: u32,
    /// The game.
    pub game: GameId,
    /// The start, which the player to move wins.
    pub position: Position,
}

impl Flight {
    /// Searches within a budget for the flight of a day, which is counted from 1970-01-01 UTC. None if the budget holds
    /// no won start. That of a question ([`Budget::of_question`]) does for every day: in every game most starts of the
    /// default ranges are won.
    #[must_use]
    pub fn of_day(day: u32, budget: &mut Budget) -> Option<Self> {
        let number = day.saturating_sub(FIRST_DAY) + 1;
        let game = GameId::ALL[(number as usize - 1) % GameId::ALL.len()];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(number));
        let mut last = None;
        while let Ok(position) = draw_start(game, budget, &mut rng) {
            if !position.solve().is_task() {
                continue;
            }
            let is_moderate = PLIES.contains(&position.longest_play());
            last = Some(position);
            if is_moderate {
                break;
            }
        }
        last.map(|position| Self {
            number,
            game,
            position,
        })
    }
}
