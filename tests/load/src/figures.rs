//! The figures of a run, as a table for people and as JSON for programs.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::idle::IdleResult;
use crate::lobby::LobbyResult;
use crate::matches::MatchLoadResult;
use crate::recover::RecoverResult;
use crate::watch::WatchResult;

/// The figures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    title: String,
    rows: Vec<Figure>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; empty for a count.
    pub unit: &'static str,
}

impl Figures {
    /// No figures yet, under this title.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64, unit: &'static str) -> Self {
        self.rows.push(Figure { name, value, unit });
        self
    }

    /// Adds a figure that may be unknown.
    #[must_use]
    pub fn with_known(self, name: &'static str, value: Option<f64>, unit: &'static str) -> Self {
        match value {
            Some(value) => self.with(name, value, unit),
            None => self,
        }
    }

    /// The value of a figure.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.name == name)?;
        Some(row.value)
    }

    /// All figures.
    #[must_use]
    pub fn rows(&self) -> &[Figure] {
        &self.rows
    }

    /// The figures as a JSON object: each name with its unit, and the value.
    #[must_use]
    pub fn json(&self) -> Value {
        let key = |row: &Figure| match row.unit {
            "" => row.name.replace(' ', "_"),
            unit => format!("{}_{}", row.name, unit.replace('/', "_per_")).replace(' ', "_"),
        };
        let rows = self.rows.iter().map(|row| (key(row), json!(row.value)));
        let rows: Map<String, Value> = rows.collect();
        json!({ "run": self.title, "figures": rows })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let width = self.rows.iter().map(|row| row.name.len()).max();
        let width = width.unwrap_or_default();
        for Figure { name, value, unit } in &self.rows {
            let digits = digits(*value);
            writeln!(f, "  {name:width$}  {value:>12.digits$} {unit}")?;
        }
        Ok(())
    }
}

/// The decimal places with which a value has about three significant digits.
fn digits(value: f64) -> usize {
    match value.abs() {
        size if size == size.trunc() || size >= 1_000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    }
}

/// The figures of a load of matches.
#[must_use]
pub fn of_matches(title: String, result: &MatchLoadResult) -> Figures {
    let plies = result.plies as f64;
    let seconds = result.elapsed.as_secs_f64();
    let cpu = result.server_cpu.as_secs_f64();
    let client = result.client_cpu.as_secs_f64();
    let latency = result.latencies.percentiles([0.5, 0.99, 0.999, 1.0]);
    let latency = |at: usize| latency.map(|found| milliseconds(found[at]));
    Figures::new(title)
        .with("plies", plies, "")
        .with("time", seconds, "s")
        .with("rate", plies / seconds, "plies/s")
        .with("server CPU per ply", cpu / plies * 1e6, "µs")
        .with("plies per core", plies / cpu, "plies/s")
        .with("client CPU per ply", client / plies * 1e6, "µs")
        // Both players receive each ply.
        .with(
            "bytes per ply and viewer",
            result.bytes as f64 / plies / 2.0,
            "B",
        )
        .with_known("latency p50", latency(0), "ms")
        .with_known("latency p99", latency(1), "ms")
        .with_known("latency p99.9", latency(2), "ms")
        .with_known("latency max", latency(3), "ms")
        .with("server memory", mebibytes(result.resident_bytes), "MiB")
}

/// The figures of a load of spectators.
#[must_use]
pub fn of_watch(title: String, result: &WatchResult) -> Figures {
    let frames = result.frames as f64;
    let watched = &result.watched;
    let spectators = frames / watched.plies as f64 - 2.0;
    let cpu = watched.server_cpu.as_secs_f64();
    let with = watched.latencies.percentiles([0.5, 0.99]);
    let alone = result.alone.percentiles([0.5, 0.99]);
    let latency = |found: Option<[Duration; 2]>, at: usize| found.map(|it| milliseconds(it[at]));
    let bytes = result.spectator_bytes as f64 / watched.plies as f64 / spectators;
    Figures::new(title)
        .with("frames delivered", frames, "")
        .with("server CPU per frame", cpu / frames * 1e6, "µs")
        .with("server CPU per ply", cpu / watched.plies as f64 * 1e6, "µs")
        .with("bytes per ply and viewer", bytes, "B")
        .with_known("latency alone p50", latency(alone, 0), "ms")
        .with_known("latency alone p99", latency(alone, 1), "ms")
        .with_known("latency p50", latency(with, 0), "ms")
        .with_known("latency p99", latency(with, 1), "ms")
        .with("server memory", mebibytes(watched.resident_bytes), "MiB")
}

/// The figures of idle players.
#[must_use]
pub fn of_idle(title: String, result: &IdleResult) -> Figures {
    let players = result.players as f64;
    let grown = result.opened.resident_bytes as f64 - result.before.resident_bytes as f64;
    let cpu = result.after.cpu.saturating_sub(result.opened.cpu);
    let share = cpu.as_secs_f64() / result.idle.as_secs_f64();
    Figures::new(title)
        .with("players", players, "")
        .with("opened in", result.opening.as_secs_f64(), "s")
        .with("memory per player", grown / players / 1024.0, "KiB")
        .with(
            "server memory",
            mebibytes(result.opened.resident_bytes),
            "MiB",
        )
        .with(
            "server memory after",
            mebibytes(result.after.resident_bytes),
            "MiB",
        )
        .with("idle time", result.idle.as_secs_f64(), "s")
        .with("server CPU idle", share * 100.0, "%")
}

/// The figures of a start after a kill.
#[must_use]
pub fn of_recover(title: String, result: &RecoverResult) -> Figures {
    // Each match was created and joined.
    let events = (result.matches * (result.plies + 2)) as f64;
    Figures::new(title)
        .with("matches stored", result.matches as f64, "")
        .with("events stored", events, "")
        .with("ready after", milliseconds(result.ready_after), "ms")
        .with(
            "memory when ready",
            mebibytes(result.ready.resident_bytes),
            "MiB",
        )
        .with(
            "memory at most",
            mebibytes(result.ready.resident_bytes_max),
            "MiB",
        )
        .with("server CPU", milliseconds(result.ready.cpu), "ms")
        .with("matches read again", result.read_again as f64, "")
        .with("store at the kill", mebibytes(result.store_bytes), "MiB")
        .with(
            "store at rest",
            mebibytes(result.store_bytes_at_rest),
            "MiB",
        )
        .with(
            "store per event",
            result.store_bytes_at_rest as f64 / events,
            "B",
        )
}

/// The figures of a load of the lobby.
#[must_use]
pub fn of_lobby(title: String, result: &LobbyResult) -> Figures {
    let (creates, messages) = (result.creates as f64, result.messages as f64);
    let cpu = result.server_cpu.as_secs_f64();
    let answers = result.answers.percentiles([0.5, 0.99]);
    let latency = |at: usize| answers.map(|found| milliseconds(found[at]));
    let per_message = |value: f64| (result.messages > 0).then(|| value / messages);
    Figures::new(title)
        .with("matches created", creates, "")
        .with("time", result.elapsed.as_secs_f64(), "s")
        .with("lobby messages", messages, "")
        .with("server CPU per create", cpu / creates * 1e6, "µs")
        .with_known("server CPU per message", per_message(cpu * 1e6), "µs")
        .with_known("bytes per message", per_message(result.bytes as f64), "B")
        .with_known("answer p50", latency(0), "ms")
        .with_known("answer p99", latency(1), "ms")
}

/// A duration in milliseconds.
#[must_use]
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Bytes in mebibytes.
#[must_use]
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_json_hold_the_same_figures() {
        let figures = Figures::new("play")
            .with("plies", 64.0, "")
            .with("rate", 1234.5, "plies/s")
            .with_known("latency p50", None, "ms");
        assert_eq!(
            figures.to_string(),
            "play\n  plies            64 \n  rate           1234 plies/s\n"
        );
        let expected =
            json!({"run": "play", "figures": {"plies": 64.0, "rate_plies_per_s": 1234.5}});
        assert_eq!(figures.json(), expected);
        assert_eq!(figures.get("plies"), Some(64.0));
    }
}
