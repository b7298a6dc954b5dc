//! The medians of all rounds.

use std::collections::BTreeMap;
use std::fmt;

use super::Servers;
use crate::compare::Spread;
use crate::figures::Figures;

/// The figures that are kept of each scenario that has them.
const KEPT: [&str; 7] = [
    "all servers' CPU per ply",
    "primary's CPU per ply",
    "standby's CPU per ply",
    "client CPU per ply",
    "rate",
    "latency p50",
    "latency p99",
];

/// The figures of all rounds.
#[derive(Clone, Debug, Default)]
pub struct ClusterResult(BTreeMap<(&'static str, &'static str, Servers), Vec<f64>>);

impl ClusterResult {
    pub(super) fn add(&mut self, servers: Servers, scenario: &'static str, figures: &Figures) {
        for name in KEPT {
            if let Some(value) = figures.get(name) {
                let values = self.0.entry((scenario, name, servers)).or_default();
                values.push(value);
            }
        }
    }
}

impl fmt::Display for ClusterResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = None;
        for ((scenario, name, servers), values) in &self.0 {
            let Some(Spread {
                median,
                least,
                greatest,
            }) = Spread::of(values)
            else {
                continue;
            };
            if shown != Some((scenario, name)) {
                writeln!(f, "{scenario}: {name}")?;
                shown = Some((scenario, name));
            }
            let servers = servers.to_string();
            writeln!(
                f,
                "  {servers:<24} {median:>9.2}   {least:.2} to {greatest:.2}"
            )?;
        }
        Ok(())
    }
}
