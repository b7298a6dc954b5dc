//! The bound on the work of one computation, counted in steps and never in seconds, so that the same question has
//! the same answer on every machine.
//!
//! One step is what it takes to look at one part of a position, such as a heap, a pin or an edge, and to write it.
//! `docs/BENCHMARKS.md` says how many steps a millisecond holds. Each game bounds its own steps
//! ([`Position::play_steps`](crate::Position::play_steps), [`Position::solve_steps`](crate::Position::solve_steps));
//! searches over many positions spend them before they look at the next one.

use thiserror::Error;

/// The most steps of a bot's move: less than 50 ms. Solving the dearest position of a match takes a small part of
/// them, so a bot always knows a winning move; the rest is for the hardest answer in a lost position.
pub const MOVE_STEPS_MAX: u64 = 400_000;

/// The most steps of the answer to a question: less than 100 ms.
pub const QUESTION_STEPS_MAX: u64 = 800_000;

/// The steps of a first try: less than 1 ms. Most answers and most moves of bots need fewer.
pub const TRIAL_STEPS: u64 = 6_000;

/// The steps that a computation may still take.
///
/// The caller of a search makes it, and the search spends it. It is never refilled.
#[derive(Clone, Debug)]
pub struct Budget {
    most: u64,
    spent: u64,
    is_short: bool,
    is_trial: bool,
}

/// The budget does not hold the steps that would be needed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this would be too much work")]
pub struct TooMuchWork;

impl Budget {
    /// A budget of so many steps.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self {
            most: steps,
            spent: 0,
            is_short: false,
            is_trial: false,
        }
    }

    /// The budget of a first try. If it falls short, the work is done again with a whole budget.
    #[must_use]
    pub const fn of_trial() -> Self {
        Self {
            is_trial: true,
            ..Self::new(TRIAL_STEPS)
        }
    }

    /// The budget of a bot's move.
    #[must_use]
    pub const fn of_move() -> Self {
        Self::new(MOVE_STEPS_MAX)
    }

    /// The budget of the answer to a question.
    #[must_use]
    pub const fn of_question() -> Self {
        Self::new(QUESTION_STEPS_MAX)
    }

    /// Takes these steps from the budget before they are made.
    ///
    /// # Errors
    /// Fewer steps are left, or an earlier search fell short: no cheaper one goes on after it.
    pub const fn spend(&mut self, steps: u64) -> Result<(), TooMuchWork> {
        self.is_short |= steps > self.most - self.spent;
        if self.is_short {
            return Err(TooMuchWork);
        }
        self.spent += steps;
        Ok(())
    }

    /// The steps spent so far.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.spent
    }

    /// Returns true if something was left out because the budget did not hold it.
    #[must_use]
    pub const fn is_short(&self) -> bool {
        self.is_short
    }

    /// Returns true if this was a first try that fell short. The computation may then end with any result, because
    /// nobody uses it.
    #[must_use]
    pub const fn needs_more(&self) -> bool {
        self.is_trial && self.is_short
    }
}
