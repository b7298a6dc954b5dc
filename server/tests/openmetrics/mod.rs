//! Reads the text format of OpenMetrics. `promtool` checks the same metrics in `alerts.rs`.

use std::collections::{BTreeMap, BTreeSet};

/// Everything that was served.
pub struct Exposition {
    pub families: BTreeMap<String, Family>,
}

/// One number with all its series.
#[derive(Debug, Default)]
pub struct Family {
    pub kind: String,
    pub help: String,
    pub samples: Vec<Sample>,
}

#[derive(Debug)]
pub struct Sample {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

impl Exposition {
    pub fn read(text: &str) -> Self {
        let body = text.strip_suffix("# EOF\n").expect("the end is marked");
        let mut families = BTreeMap::new();
        let mut current: Option<(String, Family)> = None;
        for line in body.lines() {
            if let Some(about) = line.strip_prefix("# ") {
                let (what, rest) = about.split_once(' ').unwrap();
                let (name, rest) = rest.split_once(' ').unwrap();
                if current.as_ref().is_none_or(|(before, _)| before != name) {
                    put(&mut families, current.take());
                    current = Some((name.to_owned(), Family::default()));
                }
                let (name, family) = current.as_mut().unwrap();
                assert!(family.samples.is_empty(), "{line} stands after numbers");
                match what {
                    "HELP" => rest.clone_into(&mut family.help),
                    "TYPE" => rest.clone_into(&mut family.kind),
                    "UNIT" => assert!(name.ends_with(&format!("_{rest}")), "{line}"),
                    _ => panic!("{line}"),
                }
            } else {
                let (_, family) = current.as_mut().expect("a family before its numbers");
                family.samples.push(sample(line));
            }
        }
        put(&mut families, current);
        Self { families }
    }

    /// One number, 0 if it was never counted.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let wanted: BTreeMap<_, _> = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let samples = self.families.values().flat_map(|family| &family.samples);
        let mut found = samples.filter(|sample| sample.name == name && sample.labels == wanted);
        found.next().map_or(0.0, |sample| sample.value)
    }
}

impl Family {
    /// The names of its labels, without the bounds of a histogram.
    pub fn labels(&self) -> BTreeSet<&str> {
        let labels = self.samples.iter().flat_map(|sample| sample.labels.keys());
        labels
            .map(String::as_str)
            .filter(|label| *label != "le")
            .collect()
    }
}

fn put(families: &mut BTreeMap<String, Family>, done: Option<(String, Family)>) {
    if let Some((name, family)) = done {
        assert!(
            families.insert(name, family).is_none(),
            "a family stands twice"
        );
    }
}

/// `name{label="value",…} number`
fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let (name, labels) = match series.split_once('{') {
        None => (series, BTreeMap::new()),
        Some((name, rest)) => (name, labels(rest.strip_suffix('}').expect(line))),
    };
    Sample {
        name: name.to_owned(),
        labels,
        value: number(value),
    }
}

/// No value of ours needs an escape, so that none may have one.
fn labels(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    for label in text.split(',') {
        let (key, value) = label.split_once('=').expect(text);
        let value = value
            .strip_prefix('"')
            .and_then(|value| value.strip_suffix('"'));
        let value = value.expect(text);
        assert!(!value.contains(['"', '\\']), "{text}");
        assert!(labels.insert(key.to_owned(), value.to_owned()).is_none());
    }
    labels
}

fn number(text: &str) -> f64 {
    match text {
        "+Inf" => f64::INFINITY,
        text => text
            .parse()
            .unwrap_or_else(|_| panic!("{text} is no number")),
    }
}
