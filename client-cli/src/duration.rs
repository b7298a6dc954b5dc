//! Durations as people write them: `90s`, `15m`, `250ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// The longest duration an option takes.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A duration of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationArg(pub Duration);

/// A text that is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number with ms, s, m or h, such as 90s or 15m, of at most 30 days")]
pub struct ParseDurationError;

/// In the greatest unit that leaves nothing over, as the option takes it.
impl fmt::Display for DurationArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
        let whole = units
            .iter()
            .find(|(unit, _)| millis > 0 && millis.is_multiple_of(*unit));
        match whole {
            Some((unit, name)) => write!(f, "{}{name}", millis / unit),
            None => write!(f, "{millis}ms"),
        }
    }
}

impl FromStr for DurationArg {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| ParseDurationError)?;
        let millis = match unit.trim() {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            _ => return Err(ParseDurationError),
        };
        number
            .checked_mul(millis)
            .map(Duration::from_millis)
            .filter(|span| *span <= LONGEST)
            .map(Self)
            .ok_or(ParseDurationError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        let read = |text: &str| text.parse::<DurationArg>().map(|span| span.0.as_millis());
        assert_eq!(read("250ms"), Ok(250));
        assert_eq!(read("90s"), Ok(90_000));
        assert_eq!(read("15m"), Ok(900_000));
        assert_eq!(read("1 h"), Ok(3_600_000));
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1.5s",
            "99999999999999999999s",
            "31d",
            "721h",
        ] {
            assert_eq!(read(text), Err(ParseDurationError), "{text}");
        }
    }
}
