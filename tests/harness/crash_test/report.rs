//! The report of a crash test, as values and as text.

use std::fmt;

use fibfob_history::Violation;

/// Violations that are written out; the others are only counted.
const SHOWN_MAX: usize = 20;

/// One SIGKILL.
#[derive(Clone, Copy, Debug)]
pub struct Kill {
    /// Commands that were sent and not answered at that instant.
    pub in_flight: usize,
    /// Those of them that the server had stored.
    pub stored: usize,
    /// True if clients were still coming back from the kill before.
    pub early: bool,
}

/// The result of a crash test.
#[derive(Clone, Debug)]
pub struct CrashTestReport {
    /// The source of all choices.
    pub seed: u64,
    /// Every kill of a serving server.
    pub kills: Vec<Kill>,
    /// Kills of a server that was still starting.
    pub killed_starting: u32,
    /// Connections that were opened.
    pub connections: u64,
    /// Commands, each counted once.
    pub commands: u64,
    /// Those that were acknowledged.
    pub acknowledged: u64,
    /// Those that were refused for good: out of turn, or after a resignation.
    pub refused: u64,
    /// Commands sent again after a broken connection.
    pub resent: u64,
    /// Commands sent by two connections at once.
    pub doubled: u64,
    /// Matches created.
    pub matches: usize,
    /// Matches with a winner.
    pub over: usize,
    /// Events in all logs.
    pub events: usize,
    /// Frames and snapshots shown.
    pub shown: u64,
    /// Losses on time.
    pub timeouts: u64,
    /// Matches claimed of an absent opponent.
    pub claims: u64,
    /// Charges of clocks that were checked.
    pub charges: u64,
    /// Those of them over a kill and a restart.
    pub charges_over_restarts: u64,
    /// The time that these charges left out although the server ran, in milliseconds.
    pub given_back_ms: u64,
    /// Everything that the history checker found.
    pub violations: Vec<Violation>,
}

impl CrashTestReport {
    /// The maximum and the median of the commands in flight at all kills but early ones.
    #[must_use]
    pub fn in_flight(&self) -> (usize, usize) {
        let mut counts: Vec<usize> = self
            .kills
            .iter()
            .filter(|kill| !kill.early)
            .map(|kill| kill.in_flight)
            .collect();
        counts.sort_unstable();
        let middle = counts.get(counts.len() / 2).copied().unwrap_or(0);
        (counts.last().copied().unwrap_or(0), middle)
    }
}

impl fmt::Display for CrashTestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (most, middle) = self.in_flight();
        let early = self.kills.iter().filter(|kill| kill.early).count();
        let all: usize = self.kills.iter().map(|kill| kill.in_flight).sum();
        let stored: usize = self.kills.iter().map(|kill| kill.stored).sum();
        let row = |f: &mut fmt::Formatter<'_>, what: &str, count: &dyn fmt::Display| {
            writeln!(f, "{what:<32}{count:>9}")
        };
        row(f, "seed", &self.seed)?;
        row(f, "kills of a serving server", &self.kills.len())?;
        row(f, "  while clients came back", &early)?;
        row(f, "kills of a starting server", &self.killed_starting)?;
        row(f, "connections", &self.connections)?;
        row(f, "commands", &self.commands)?;
        row(f, "  acknowledged", &self.acknowledged)?;
        row(f, "  refused", &self.refused)?;
        row(f, "  sent again after a kill", &self.resent)?;
        row(f, "  sent on two connections at once", &self.doubled)?;
        row(f, "in flight at a kill, middle", &middle)?;
        row(f, "in flight at a kill, most", &most)?;
        row(f, "in flight at all kills", &all)?;
        row(f, "  of these stored already", &stored)?;
        row(f, "matches", &self.matches)?;
        row(f, "  over", &self.over)?;
        row(f, "events in the logs", &self.events)?;
        row(f, "frames and snapshots shown", &self.shown)?;
        row(f, "losses on time", &self.timeouts)?;
        row(f, "claims of an absent one's match", &self.claims)?;
        row(f, "charges of clocks", &self.charges)?;
        row(f, "  over a kill", &self.charges_over_restarts)?;
        let given_back = self.given_back_ms.checked_div(self.charges_over_restarts);
        row(f, "  given back by it, mean ms", &given_back.unwrap_or(0))?;
        row(f, "VIOLATIONS", &self.violations.len())?;
        for violation in self.violations.iter().take(SHOWN_MAX) {
            writeln!(f, "  {violation}")?;
        }
        if self.violations.len() > SHOWN_MAX {
            writeln!(f, "  and {} more", self.violations.len() - SHOWN_MAX)?;
        }
        Ok(())
    }
}
