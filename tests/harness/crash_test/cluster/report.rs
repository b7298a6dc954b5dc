//! The report of a cluster's crash test.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::failures::Failure;
use crate::crash_test::CrashTestReport;

/// Violations that are written out; the others are only counted.
const SHOWN_MAX: usize = 20;

/// The outcome of a cluster's crash test.
pub struct ClusterReport {
    /// What failed.
    pub failures: Failures,
    /// The counts, and what is wrong.
    pub report: CrashTestReport,
}

/// The failures that have happened.
#[derive(Default)]
pub struct Failures(BTreeMap<Failure, Noted>);

#[derive(Default)]
struct Noted {
    count: u32,
    /// The longest time from the first refusal of a command to its answer.
    longest_retry: Duration,
}

impl Failures {
    pub(super) fn note(&mut self, failure: Failure, longest_retry: Duration) {
        let noted = self.0.entry(failure).or_default();
        noted.count += 1;
        noted.longest_retry = noted.longest_retry.max(longest_retry);
    }

    /// The number of failures.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.values().map(|noted| noted.count).sum()
    }
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (failure, noted) in &self.failures.0 {
            let (count, millis) = (noted.count, noted.longest_retry.as_millis());
            let failure = failure.to_string();
            writeln!(
                f,
                "{failure:<36}{count:>4}   retried for {millis:>6} ms at most"
            )?;
        }
        let report = &self.report;
        writeln!(
            f,
            "{} failures; {} commands, {} acknowledged, {} refused for good, {} resent; {} matches, {} \
             over, {} events, {} shown; {} out of time, {} claimed; {} violations",
            self.failures.count(),
            report.commands,
            report.acknowledged,
            report.refused,
            report.resent,
            report.matches,
            report.over,
            report.events,
            report.shown,
            report.timeouts,
            report.claims,
            report.violations.len(),
        )?;
        for violation in report.violations.iter().take(SHOWN_MAX) {
            writeln!(f, "  {violation}")?;
        }
        Ok(())
    }
}
