//! The summary of a soak test: its memory, and the work done meanwhile.

use std::fmt;

use super::sample::Sample;

/// Memory that grows by no more than this share of itself in the measured time is flat.
const FLAT_SHARE: f64 = 0.05;

/// A run that measures fewer minutes says nothing of memory: a slow growth would pass as flat.
const MEASURED_LEAST: f64 = 10.0;

/// Memory after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// For how long it was measured, in minutes.
    pub minutes: f64,
    /// The least, in KiB.
    pub least_kib: u64,
    /// The most, in KiB.
    pub most_kib: u64,
    /// How fast it grows by the line that fits best, in KiB a minute.
    pub slope_kib_per_minute: f64,
    /// How far that line rises in the measured time, as a share of where it begins.
    pub rise: f64,
}

impl Memory {
    /// The memory of all samples from `warm` to `until`, both in seconds; none if there are
    /// fewer than two.
    #[must_use]
    pub fn between(samples: &[Sample], warm: f64, until: f64) -> Option<Self> {
        let measured: Vec<(f64, f64)> = samples
            .iter()
            .filter(|sample| (warm..=until).contains(&sample.seconds))
            .map(|sample| (sample.seconds / 60.0, sample.rss_kib as f64))
            .collect();
        let (first, last) = (measured.first()?.0, measured.last()?.0);
        let (slope, at_zero) = line(&measured)?;
        let sizes = measured.iter().map(|(_, size)| *size as u64);
        Some(Self {
            minutes: last - first,
            least_kib: sizes.clone().min()?,
            most_kib: sizes.max()?,
            slope_kib_per_minute: slope,
            rise: slope * (last - first) / (at_zero + slope * first),
        })
    }

    /// Whether it does not grow to speak of; none after too short a time.
    #[must_use]
    pub fn is_flat(&self) -> Option<bool> {
        (self.minutes >= MEASURED_LEAST).then_some(self.rise <= FLAT_SHARE)
    }
}

/// Slope and height at zero of the line that fits best by least squares; none where all
/// points stand above one another.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let announce = mean(&|point| (point.0 - x).powi(2));
    let common = mean(&|point| (point.0 - x) * (point.1 - y));
    let slope = common / announce;
    slope.is_finite().then_some((slope, y - slope * x))
}

/// What a soak came to.
#[derive(Clone, Debug)]
pub struct SoakSummary {
    /// Connections that were wanted, and how many of them read slowly.
    pub clients: usize,
    /// Those that read slowly.
    pub slow: usize,
    /// Seconds until memory was measured.
    pub warm: f64,
    /// Seconds until everybody was sent away.
    pub until: f64,
    /// Memory between the two; none in a run too short to say.
    pub memory: Option<Memory>,
    /// Every sample.
    pub samples: Vec<Sample>,
    /// Matches that were made.
    pub made: u64,
    /// Messages that clients received.
    pub received: u64,
    /// Connections that read steadily and were ended by the server: there should be none.
    pub steady_ended: u64,
}

impl SoakSummary {
    /// The last sample with everybody there.
    #[must_use]
    pub fn last_busy(&self) -> Sample {
        let busy = |sample: &&Sample| sample.seconds <= self.until;
        self.samples
            .iter()
            .rev()
            .find(busy)
            .copied()
            .unwrap_or_default()
    }

    /// Whether all is as promised: nobody sent away who reads steadily, and memory flat, where
    /// the run was long enough to say.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let flat = self.memory.as_ref().and_then(Memory::is_flat);
        self.steady_ended == 0 && flat != Some(false)
    }
}

impl fmt::Display for SoakSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let busy = self.last_busy();
        let rested = self.samples.last().copied().unwrap_or_default();
        let mib = |kib: u64| kib as f64 / 1024.0;
        let most = |of: fn(&Sample) -> u64| self.samples.iter().map(of).max().unwrap_or(0);
        let pace = busy.moves as f64 / busy.seconds.max(1.0);
        writeln!(
            f,
            "connections      {} wanted, {} at most, {} of them slow readers",
            self.clients,
            most(|sample| sample.connections),
            self.slow
        )?;
        writeln!(
            f,
            "time             {:.1} minutes, measured from {:.1} on",
            self.until / 60.0,
            self.warm / 60.0
        )?;
        match &self.memory {
            Some(memory) => {
                writeln!(
                    f,
                    "memory           {:.1} to {:.1} MiB",
                    mib(memory.least_kib),
                    mib(memory.most_kib)
                )?;
                writeln!(
                    f,
                    "  slope          {:+.1} KiB a minute, {:+.2} % in the measured time: {}",
                    memory.slope_kib_per_minute,
                    memory.rise * 100.0,
                    match memory.is_flat() {
                        Some(true) => "flat",
                        Some(false) => "NOT FLAT",
                        None => "too short a run to say more",
                    }
                )?;
            }
            None => writeln!(f, "memory           too short a run to say")?,
        }
        writeln!(
            f,
            "  after the end  {:.1} MiB, {} descriptors",
            mib(rested.rss_kib),
            rested.descriptors
        )?;
        writeln!(
            f,
            "descriptors      {} at most",
            most(|sample| sample.descriptors)
        )?;
        writeln!(
            f,
            "threads          {} at most",
            most(|sample| sample.threads)
        )?;
        writeln!(
            f,
            "processor        {:.2} of one core",
            busy.cpu_seconds / busy.seconds.max(1.0)
        )?;
        writeln!(f, "store            {:.1} MiB", mib(busy.store_kib))?;
        writeln!(
            f,
            "matches          {} made, {} in play at most",
            self.made,
            most(|sample| sample.matches)
        )?;
        writeln!(f, "moves            {}, {pace:.0} a second", busy.moves)?;
        writeln!(f, "messages taken   {}", self.received)?;
        writeln!(f, "refused          {}", busy.refused)?;
        writeln!(f, "closed as slow   {}", busy.slow_closed)?;
        writeln!(f, "closed as silent {}", busy.silent_closed)?;
        writeln!(f, "came back        {}", busy.reconnected)?;
        writeln!(
            f,
            "steady readers that were sent away: {}",
            self.steady_ended
        )
    }
}
