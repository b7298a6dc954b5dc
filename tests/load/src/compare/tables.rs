//! The figures of a comparison, and the tables that are printed of them.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::plan::{ComparedServer, KEPT, SCENARIOS, WATCHED};

/// The figures of every round, by server, scenario and name.
#[derive(Clone, Debug, Default)]
pub struct ComparisonResult(
    pub(super) BTreeMap<(ComparedServer, &'static str, &'static str), Vec<f64>>,
);

/// Median, least and greatest of some rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_owned();
        sorted.sort_by(f64::total_cmp);
        let (first, last) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
            _ => sorted[middle],
        };
        Some(Self {
            median,
            least: *first,
            greatest: *last,
        })
    }
}

impl ComparisonResult {
    /// A figure of a server in a scenario, over all rounds.
    #[must_use]
    pub fn spread(
        &self,
        server: ComparedServer,
        scenario: &'static str,
        name: &'static str,
    ) -> Option<Spread> {
        Spread::of(self.0.get(&(server, scenario, name))?)
    }

    fn servers(&self) -> impl Iterator<Item = ComparedServer> {
        let known = |server| {
            let mut keys = self.0.keys();
            keys.any(|key| key.0 == server)
        };
        ComparedServer::ALL.into_iter().filter(move |&it| known(it))
    }

    /// All figures of all rounds as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let row = |((server, scenario, name), values): (
            &(ComparedServer, &str, &str),
            &Vec<f64>,
        )| {
            json!({"server": server.title(), "scenario": scenario, "figure": name, "rounds": values})
        };
        self.0.iter().map(row).collect()
    }

    /// The table of processor time with its range, and of latencies and bytes.
    fn figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "µs of server CPU per ply: median [least–greatest of all rounds]\n\n\
             | server | 100 matches | plies/s/core | 10 matches | 5000/s | p50 / p99 ms | bytes per ply and viewer |\n\
             |---|---|---|---|---|---|---|"
        )?;
        for server in self.servers() {
            let cpu = |scenario| self.spread(server, scenario, KEPT[0]);
            let [hundred, ten, paced] = SCENARIOS.map(|(name, _)| cpu(name));
            let median = |name| self.spread(server, "5000/s", name).map(|it| it.median);
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} / {} | {} |",
                server.title(),
                range(hundred),
                number(hundred.map(|it| 1e6 / it.median)),
                range(ten),
                range(paced),
                number(median("latency p50")),
                number(median("latency p99")),
                number(median("bytes per ply and viewer")),
            )?;
        }
        Ok(())
    }

    /// The table of the ratios of processor time.
    fn ratios(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const REFERENCES: [(ComparedServer, &str); 4] = [
            (ComparedServer::Relay, "bare relay"),
            (ComparedServer::RelaySqlite, "relay + SQLite"),
            (ComparedServer::Colyseus, "Colyseus"),
            (ComparedServer::BoardgameIo, "boardgame.io"),
        ];
        let mut head = "| server | scenario |".to_owned();
        for (_, title) in REFERENCES {
            let _ = write!(head, " × {title} |");
        }
        writeln!(
            f,
            "\nRatios of the medians\n\n{head}\n|---|---|---|---|---|---|"
        )?;
        let references = REFERENCES.map(|(server, _)| server);
        for server in self.servers().filter(|it| !references.contains(it)) {
            for (scenario, _) in SCENARIOS {
                let own = self.spread(server, scenario, KEPT[0]);
                write!(f, "| {} | {scenario} |", server.title())?;
                for reference in references {
                    let reference = self.spread(reference, scenario, KEPT[0]);
                    let ratio = own.zip(reference);
                    let ratio = ratio.map(|(own, reference)| own.median / reference.median);
                    write!(
                        f,
                        " {} |",
                        ratio.map_or("–".to_owned(), |it| format!("{it:.2}"))
                    )?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl ComparisonResult {
    /// The table of the match with many spectators.
    fn fan_out(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpu = |server| self.spread(server, WATCHED, "server CPU per frame");
        if !self.servers().any(|server| cpu(server).is_some()) {
            return Ok(());
        }
        writeln!(
            f,
            "\n{WATCHED} on one match\n\n\
             | server | CPU per frame, µs | × bare relay | players' p99 alone / watched, ms |\n\
             |---|---|---|---|"
        )?;
        let relay = cpu(ComparedServer::Relay);
        for server in self.servers() {
            let Some(own) = cpu(server) else { continue };
            let ratio = relay.map(|relay| own.median / relay.median);
            let median = |name| self.spread(server, WATCHED, name).map(|it| it.median);
            writeln!(
                f,
                "| {} | {} | {} | {} / {} |",
                server.title(),
                range(Some(own)),
                number(ratio),
                number(median("latency alone p99")),
                number(median("latency p99")),
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for ComparisonResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.figures(f)?;
        self.ratios(f)?;
        self.fan_out(f)
    }
}

fn range(spread: Option<Spread>) -> String {
    let Some(spread) = spread else {
        return "–".to_owned();
    };
    format!(
        "{} [{}–{}]",
        number(Some(spread.median)),
        number(Some(spread.least)),
        number(Some(spread.greatest))
    )
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_the_medians() {
        let mut result = ComparisonResult::default();
        for (server, values) in [
            (ComparedServer::Relay, vec![4.0, 5.0, 100.0]),
            (ComparedServer::SqliteNim, vec![50.0, 9.0, 10.0]),
        ] {
            result.0.insert((server, "100 matches", KEPT[0]), values);
        }
        let text = result.to_string();
        assert!(
            text.contains("| ours, SQLite, Nim | 100 matches | 2.00 | – | – | – |"),
            "{text}"
        );
        assert!(text.contains("| 5.00 [4.00–100] | 200000 |"), "{text}");
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(
            (spread.median, spread.least, spread.greatest),
            (2.5, 1.0, 4.0)
        );
        assert_eq!(Spread::of(&[]), None);
    }
}
