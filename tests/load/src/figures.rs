//! The figures of a run, as a table for people and as JSON for programs, and those of many rounds.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::latency::Latencies;

/// The figures of a run: name, value and unit, which is empty for a count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<(String, f64, &'static str)>);

impl Figures {
    /// Adds a figure.
    pub fn with(mut self, name: &str, value: f64, unit: &'static str) -> Self {
        self.0.push((name.to_owned(), value, unit));
        self
    }

    /// Adds a figure that may be unknown.
    pub fn with_known(self, name: &str, value: Option<f64>, unit: &'static str) -> Self {
        match value {
            Some(value) => self.with(name, value, unit),
            None => self,
        }
    }

    /// Adds the percentiles of these times, if there are any.
    pub fn with_latencies(self, name: &str, times: &Latencies) -> Self {
        let found = times.percentiles([0.5, 0.99, 1.0]);
        let ms = |at: usize| found.map(|found: [Duration; 3]| found[at].as_secs_f64() * 1e3);
        self.with_known(&format!("{name} p50"), ms(0), "ms")
            .with_known(&format!("{name} p99"), ms(1), "ms")
            .with_known(&format!("{name} max"), ms(2), "ms")
    }

    /// Adds other figures.
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// The figures as a JSON object: each name with its unit, and the value.
    pub fn json(&self) -> Value {
        let row = |(name, value, unit): &(String, f64, &str)| {
            let key = match *unit {
                "" => name.replace(' ', "_"),
                unit => format!("{name}_{}", unit.replace('/', "_per_")).replace(' ', "_"),
            };
            (key, json!(value))
        };
        self.0.iter().map(row).collect::<Map<_, _>>().into()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value, unit) in &self.0 {
            let digits = digits(*value);
            writeln!(f, "{name:28} {value:>12.digits$} {unit}")?;
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

/// Bytes in mebibytes.
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The figures of all rounds of a comparison, by scenario, name and place of the compared server.
#[derive(Clone, Debug, Default)]
pub struct Rounds(BTreeMap<(&'static str, String, usize), Vec<f64>>);

impl Rounds {
    /// Adds those of one server in one round that are named so.
    pub fn add(&mut self, at: usize, scenario: &'static str, figures: &Figures, kept: &[&str]) {
        for (name, value, unit) in &figures.0 {
            if kept.contains(&name.as_str()) {
                let key = (scenario, format!("{name}, {unit}"), at);
                self.0.entry(key).or_default().push(*value);
            }
        }
    }

    /// Draws a table: medians with their ranges, and their ratios to the first server, which is the reference.
    pub fn table(&self, titles: &[String]) -> String {
        let mut table = "| scenario | figure | server | median [least–greatest] | × first |\n\
                         |---|---|---|---|---|\n"
            .to_owned();
        let mut first = f64::NAN;
        let mut shown = None;
        for ((scenario, name, at), values) in &self.0 {
            let Some((median, least, greatest)) = spread(values) else {
                continue;
            };
            if shown != Some((scenario, name)) {
                (shown, first) = (Some((scenario, name)), median);
            }
            let [median_text, least, greatest] =
                [median, least, greatest].map(|it| format!("{it:.*}", digits(it)));
            let ratio = median / first;
            table += &format!(
                "| {scenario} | {name} | {} | {median_text} [{least}–{greatest}] | {ratio:.2} |\n",
                titles[*at]
            );
        }
        table
    }
}

/// Median, least and greatest of some values.
fn spread(values: &[f64]) -> Option<(f64, f64, f64)> {
    let mut sorted = values.to_owned();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (sorted.first()?, sorted.last()?);
    let middle = sorted.len() / 2;
    let median = match sorted.len() % 2 {
        0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    };
    Some((median, *first, *last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_medians_of_all_rounds_and_ratios_to_the_first_server() {
        let mut rounds = Rounds::default();
        for (at, values) in [(0, [4.0, 5.0, 100.0, 2.0]), (1, [50.0, 9.0, 10.0, 8.0])] {
            for value in values {
                let figures = Figures::default()
                    .with("CPU", value, "µs")
                    .with("x", 1.0, "");
                rounds.add(at, "play", &figures, &["CPU"]);
            }
        }
        let table = rounds.table(&["relay".to_owned(), "ours".to_owned()]);
        assert!(table.ends_with(
            "| play | CPU, µs | relay | 4.50 [2–100] | 1.00 |\n\
             | play | CPU, µs | ours | 9.50 [8–50] | 2.11 |\n"
        ));
        assert!(!table.contains("| x |"));
    }
}
