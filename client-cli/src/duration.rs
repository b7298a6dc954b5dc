//! Durations of options, such as `90s`, `15m` and `250ms`.

use std::time::Duration;

use thiserror::Error;

/// The longest duration an option takes.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A text that is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number with ms, s, m or h, such as 90s or 15m, of at most 30 days")]
pub struct ParseDurationError;

/// Reads a duration.
///
/// # Errors
/// [`ParseDurationError`].
pub fn read(text: &str) -> Result<Duration, ParseDurationError> {
    let duration = humantime::parse_duration(text).map_err(|_| ParseDurationError)?;
    match duration <= LONGEST {
        true => Ok(duration),
        false => Err(ParseDurationError),
    }
}

/// Writes milliseconds as an option takes them, in the largest unit that divides them. `humantime`
/// would write several units with spaces between them.
pub fn written(millis: u64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let whole = units
        .iter()
        .find(|(unit, _)| millis > 0 && millis.is_multiple_of(*unit));
    match whole {
        Some((unit, name)) => format!("{}{name}", millis / unit),
        None => format!("{millis}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_numbers_with_units_within_the_bound() {
        let read = |text: &str| read(text).map(|duration| duration.as_millis());
        assert_eq!(read("250ms"), Ok(250));
        assert_eq!(read("0s"), Ok(0));
        assert_eq!(read("90s"), Ok(90_000));
        assert_eq!(read("15m"), Ok(900_000));
        assert_eq!(read("15min"), Ok(900_000));
        assert_eq!(read(" 1 h "), Ok(3_600_000));
        assert_eq!(read("1h 30m"), Ok(5_400_000));
        assert_eq!(read("720h"), Ok(2_592_000_000));
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "5x",
            "1M",
            "99999999999999999999s",
            "31d",
            "721h",
        ] {
            assert_eq!(read(text), Err(ParseDurationError), "{text}");
        }
    }
}
