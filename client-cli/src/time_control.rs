//! Time controls and grace periods of options: `5m+3s`, `30s/move`, `none`, `2m`.

use std::time::Duration;

use fibfob_protocol::{
    CLOCK_MS, DurationText, GRACE_MS, INCREMENT_MS_MAX, TimeControl, durations_within,
};
use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseTimeControlError {
    #[error(
        "expected time for all moves of a player, such as 10m or 5m+3s (3s more after each move), time for each move, such as 30s/move, or none"
    )]
    Form,
    #[error("expected {} to {} on a clock", written_ms(*CLOCK_MS.start()), written_ms(*CLOCK_MS.end()))]
    Clock,
    #[error(
        "expected at most {} more after each move",
        written_ms(INCREMENT_MS_MAX)
    )]
    Increment,
    #[error("expected how long, from {} to {}, such as 2m", written_ms(*GRACE_MS.start()), written_ms(*GRACE_MS.end()))]
    Grace,
}

pub fn read(text: &str) -> Result<TimeControl, ParseTimeControlError> {
    let text = text.trim();
    if text == "none" {
        return Ok(TimeControl::None);
    }
    if let Some(each) = text.strip_suffix("/move") {
        let each_ms = clock(each)?;
        return Ok(TimeControl::Move { each_ms });
    }
    let (initial, increment_ms) = match text.split_once('+') {
        Some((initial, increment)) => (initial, millis(increment)?),
        None => (text, 0),
    };
    let initial_ms = clock(initial)?;
    if increment_ms > INCREMENT_MS_MAX {
        return Err(ParseTimeControlError::Increment);
    }
    Ok(TimeControl::Match {
        initial_ms,
        increment_ms,
    })
}

fn millis(text: &str) -> Result<u64, ParseTimeControlError> {
    let read = durations_within(Duration::ZERO..=Duration::MAX)(text);
    read.map(fibfob_protocol::millis)
        .map_err(|_| ParseTimeControlError::Form)
}

fn clock(text: &str) -> Result<u64, ParseTimeControlError> {
    let millis = millis(text)?;
    CLOCK_MS
        .contains(&millis)
        .then_some(millis)
        .ok_or(ParseTimeControlError::Clock)
}

fn written_ms(millis: u64) -> DurationText {
    DurationText(Duration::from_millis(millis))
}

/// Writes a time control after these words; nothing without clocks.
pub fn after(words: &str, control: TimeControl) -> String {
    match control {
        TimeControl::None => String::new(),
        control => format!("{words}{}", write_time(control)),
    }
}

fn write_time(control: TimeControl) -> String {
    match control {
        TimeControl::None => "none".to_owned(),
        TimeControl::Match {
            initial_ms,
            increment_ms,
        } => {
            let [initial, more] = [initial_ms, increment_ms].map(written_ms);
            match increment_ms {
                0 => initial.to_string(),
                _ => format!("{initial}+{more}"),
            }
        }
        TimeControl::Move { each_ms } => format!("{}/move", written_ms(each_ms)),
    }
}

/// Reads the time a player may be away, in milliseconds within [`GRACE_MS`].
pub fn read_grace(text: &str) -> Result<u64, ParseTimeControlError> {
    let millis = millis(text).ok().filter(|it| GRACE_MS.contains(it));
    millis.ok_or(ParseTimeControlError::Grace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_control_is_written_as_it_was_read() {
        for text in [
            "none", "10m", "5m+3s", "30s/move", "1h+10m", "5500ms", "90s/move", "7d",
        ] {
            assert_eq!(read(text).map(write_time).as_deref(), Ok(text));
        }
        let blitz = TimeControl::Match {
            initial_ms: 300_000,
            increment_ms: 3_000,
        };
        assert_eq!(read(" 5m + 3s "), Ok(blitz));
        assert_eq!(read("30s/move"), Ok(TimeControl::Move { each_ms: 30_000 }));
    }

    #[test]
    fn an_invalid_time_control_is_refused_with_what_was_expected() {
        for text in [
            "",
            "5",
            "m",
            "5m+",
            "+3s",
            "5m+3s/move",
            "30s/turn",
            "never",
        ] {
            assert_eq!(read(text), Err(ParseTimeControlError::Form), "{text}");
        }
        for text in ["4999ms", "169h", "1s/move", "4s+1s"] {
            assert_eq!(read(text), Err(ParseTimeControlError::Clock), "{text}");
        }
        assert_eq!(read("5m+11m"), Err(ParseTimeControlError::Increment));
        let text = ParseTimeControlError::Clock.to_string();
        assert_eq!(text, "expected 5s to 7d on a clock");
        let text = ParseTimeControlError::Increment.to_string();
        assert_eq!(text, "expected at most 10m more after each move");
        assert_eq!(read_grace("2m"), Ok(120_000));
        for text in ["9s", "169h", "2", "long"] {
            assert_eq!(
                read_grace(text),
                Err(ParseTimeControlError::Grace),
                "{text}"
            );
        }
        let text = ParseTimeControlError::Grace.to_string();
        assert_eq!(text, "expected how long, from 10s to 7d, such as 2m");
    }
}
