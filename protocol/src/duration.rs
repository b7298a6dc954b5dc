//! Durations as people type them in options and as programs count them: `250ms`, `90s`, `15m`, `24h`.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use thiserror::Error;

/// Converts a duration to milliseconds, the unit of the wire. A duration too long for that becomes the longest one.
#[must_use]
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A text that is no duration, or one outside of its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a number with ms, s, m, h or d, such as 90s or 15m, from {} to {}",
    DurationText(*.0.start()),
    DurationText(*.0.end())
)]
pub struct InvalidDuration(RangeInclusive<Duration>);

/// Returns a parser of durations within `bounds`, for clap's options.
pub fn durations_within(
    bounds: RangeInclusive<Duration>,
) -> impl Fn(&str) -> Result<Duration, InvalidDuration> + Clone + Send + Sync + 'static {
    move |text| {
        humantime::parse_duration(text)
            .ok()
            .filter(|duration| bounds.contains(duration))
            .ok_or_else(|| InvalidDuration(bounds.clone()))
    }
}

/// Prints a duration in the largest unit that divides it, as the options take it. `humantime` would write a
/// year as months and days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationText(pub Duration);

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = millis(self.0);
        let units = [
            (86_400_000, "d"),
            (3_600_000, "h"),
            (60_000, "m"),
            (1_000, "s"),
        ];
        let whole = units
            .iter()
            .find(|(unit, _)| millis > 0 && millis.is_multiple_of(*unit));
        match whole {
            Some((unit, name)) => write!(f, "{}{name}", millis / unit),
            None => write!(f, "{millis}ms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_unit_and_is_within_its_bounds() {
        let read = durations_within(Duration::ZERO..=Duration::from_secs(86_400));
        let millis = |text: &str| read(text).map(millis);
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("0s"), Ok(0));
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("2m"), Ok(120_000));
        assert_eq!(millis("1h 30m"), Ok(5_400_000));
        assert_eq!(millis("24h"), Ok(86_400_000));
        for wrong in ["", "5", "s", "-1s", "5x", "25h", "99999999999999999999s"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.ends_with("from 0ms to 1d"), "{wrong}: {error}");
        }
    }
}
