//! What an attack did, as a row of a table.

use std::fmt;
use std::time::Duration;

use super::AttackKind;

/// The times of honest moves.
#[derive(Clone, Debug, Default)]
pub struct MoveTimes {
    taken: Vec<Duration>,
    /// Matches that could not be played to their end.
    pub failures: u64,
    /// Matches that were lost on time.
    pub lost: u64,
}

impl MoveTimes {
    pub(super) fn add(&mut self, time: Duration) {
        self.taken.push(time);
    }

    /// The number of moves.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.taken.len()
    }

    /// The time, in milliseconds, that this share of the moves did not exceed; none without moves.
    #[must_use]
    pub fn quantile_ms(&self, share: f64) -> Option<f64> {
        let mut sorted = self.taken.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        let place = (share * last as f64).round() as usize;
        Some(sorted[place.min(last)].as_secs_f64() * 1_000.0)
    }

    /// Returns the p99 as a multiple of that of other times; none without times.
    #[must_use]
    pub fn slower_than(&self, other: &Self) -> Option<f64> {
        Some(self.quantile_ms(0.99)? / other.quantile_ms(0.99)?)
    }
}

/// What an attack did.
#[derive(Clone, Debug)]
pub struct AttackReport {
    /// The way.
    pub kind: AttackKind,
    /// Its time in seconds.
    pub seconds: f64,
    /// Matches that the attackers made.
    pub made: u64,
    /// Connections that they held at its end.
    pub held: usize,
    /// Bytes that they received.
    pub bytes: u64,
    /// Their requests that were answered.
    pub answered: u64,
    /// Their requests and connections that were refused.
    pub refused: u64,
    /// Those refused because too many bytes were sent to their address.
    pub refused_for_bytes: u64,
    /// The server's memory before, in KiB.
    pub quiet_kib: u64,
    /// Its greatest memory during the attack, in KiB.
    pub peak_kib: u64,
    /// Honest moves before the attack.
    pub quiet: MoveTimes,
    /// Honest moves during it.
    pub attacked: MoveTimes,
    /// True if the lobby showed the match of an honest person at its end.
    pub listed: bool,
    /// The size of the store at its end, in KiB.
    pub store_kib: u64,
}

impl AttackReport {
    /// The heads of the columns.
    pub const HEAD: &str = "\
| attack | made /s | held | answered /s | MB out /s | memory MiB | store MiB | p50 ms | p99 ms | p99 times | moves /s | failures | lost on time | listed |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|";
}

impl AttackReport {
    /// The honest p99 during the attack as a multiple of that before it; none without moves.
    #[must_use]
    pub fn slower(&self) -> Option<f64> {
        self.attacked.slower_than(&self.quiet)
    }
}

impl fmt::Display for AttackReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_second = |count: u64| count as f64 / self.seconds;
        let mib = |kib: u64| kib as f64 / 1024.0;
        let ms = |times: &MoveTimes, share| {
            let time = times.quantile_ms(share);
            time.map_or("none".to_owned(), |time| format!("{time:.1}"))
        };
        let both = |share| {
            let (quiet, attacked) = (ms(&self.quiet, share), ms(&self.attacked, share));
            format!("{quiet} → {attacked}")
        };
        let slower = self.slower();
        let slower = slower.map_or("none".to_owned(), |times| format!("{times:.1}"));
        write!(
            f,
            "| {} | {:.1} | {} | {:.0} | {:.1} | {:.0} → {:.0} | {:.0} | {} | {} | {slower} | {:.0} | {} | {} | {} |",
            self.kind.name(),
            per_second(self.made),
            self.held,
            per_second(self.answered),
            per_second(self.bytes) / 1e6,
            mib(self.quiet_kib),
            mib(self.peak_kib),
            mib(self.store_kib),
            both(0.5),
            both(0.99),
            self.attacked.moves() as f64 / self.seconds,
            self.attacked.failures,
            self.attacked.lost,
            if self.listed { "yes" } else { "no" },
        )
    }
}
