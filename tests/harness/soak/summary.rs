//! The summary of a soak test: its memory, and the work done meanwhile.

use std::fmt;

use super::sample::Sample;

/// Memory that grows by no more than this share of itself in the measured time is flat.
const FLAT_SHARE: f64 = 0.05;

/// The fewest minutes that say anything about memory: a slow growth would pass as flat before.
const MEASURED_LEAST: f64 = 10.0;

/// Memory after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The measured time, in minutes.
    pub minutes: f64,
    /// The minimum, in KiB.
    pub least_kib: u64,
    /// The maximum, in KiB.
    pub most_kib: u64,
    /// The slope of the line that fits best, in KiB a minute.
    pub slope_kib_per_minute: f64,
    /// The rise of that line in the measured time, as a share of its start.
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

    /// Returns true if the memory does not grow noticeably; none after too short a time.
    #[must_use]
    pub fn is_flat(&self) -> Option<bool> {
        (self.minutes >= MEASURED_LEAST).then_some(self.rise <= FLAT_SHARE)
    }
}

/// Slope and height at zero of the line that fits best by least squares; none if all points
/// have the same x.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let announce = mean(&|point| (point.0 - x).powi(2));
    let common = mean(&|point| (point.0 - x) * (point.1 - y));
    let slope = common / announce;
    slope.is_finite().then_some((slope, y - slope * x))
}

/// The result of a soak test.
#[derive(Clone, Debug)]
pub struct SoakSummary {
    /// Connections of the plan.
    pub clients: usize,
    /// The connections that read slowly.
    pub slow: usize,
    /// Seconds of the warm-up.
    pub warm: f64,
    /// Seconds until the clients ended.
    pub until: f64,
    /// Memory between the two; none in a run that is too short.
    pub memory: Option<Memory>,
    /// All samples.
    pub samples: Vec<Sample>,
    /// Matches created.
    pub made: u64,
    /// Messages that clients received.
    pub received: u64,
    /// Connections that read steadily and were ended by the server: there should be none.
    pub steady_ended: u64,
}

impl SoakSummary {
    /// The last sample with all clients.
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

    /// Returns true if no steady reader was closed and, in a run long enough to tell, memory was
    /// flat.
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
