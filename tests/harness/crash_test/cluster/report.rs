//! The report of a cluster's crash test.

use std::collections::BTreeMap;
use std::fmt;

use crate::crash_test::CrashTestReport;
use crate::crash_test::counters::LongestRetry;

/// The outcome of a cluster's crash test.
pub struct ClusterReport {
    /// What failed.
    pub failures: Failures,
    /// The counts, and what is wrong.
    pub report: CrashTestReport,
}

/// The failures that have happened.
#[derive(Default)]
pub struct Failures(Vec<(String, Noted)>);

#[derive(Default)]
struct Noted {
    count: u32,
    longest_retry: LongestRetry,
}

impl Failures {
    pub(super) fn of<F: Ord + fmt::Display>(all: impl Iterator<Item = (F, LongestRetry)>) -> Self {
        let mut failures: BTreeMap<F, Noted> = BTreeMap::new();
        for (failure, longest_retry) in all {
            let noted = failures.entry(failure).or_default();
            noted.count += 1;
            if longest_retry.time > noted.longest_retry.time {
                noted.longest_retry = longest_retry;
            }
        }
        let failures = failures.into_iter();
        Self(
            failures
                .map(|(failure, noted)| (failure.to_string(), noted))
                .collect(),
        )
    }

    /// The number of failures.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(_, noted)| noted.count).sum()
    }
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (failure, noted) in &self.failures.0 {
            let LongestRetry { time, refusal } = &noted.longest_retry;
            let (count, millis) = (noted.count, time.as_millis());
            writeln!(
                f,
                "{failure:<36}{count:>4}   retried for {millis:>6} ms at most  {refusal}"
            )?;
        }
        writeln!(f, "{} failures", self.failures.count())?;
        self.report.fmt(f)
    }
}
