//! The rules for alerts, and the metrics, as Prometheus itself reads them: needs `promtool`.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fibfob_server::Config;
use fixture::TestServer;

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Runs promtool on this input, and asserts that it finds no fault.
fn promtool(words: &[&str], input: &str) {
    let mut command = Command::new("promtool");
    command.args(words).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool is installed");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "promtool {words:?}: {said}");
}

#[tokio::test]
async fn prometheus_finds_no_fault_in_the_metrics() {
    let server = TestServer::start(Config::default()).await;
    let (head, text) = server.get("/metrics").await;
    assert!(
        head.contains("content-type: text/plain; version=0.0.4"),
        "{head}"
    );
    promtool(&["check", "metrics"], &text);
    // Every metric that an alert reads has a series before anything has happened.
    let alerts = std::fs::read_to_string(file("deploy/alerts.yml")).unwrap();
    let is_part = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    let words = alerts.split(is_part);
    for name in words.filter(|word| word.starts_with("fibfob_") || word.starts_with("process_")) {
        let has_series = |line: &str| line.starts_with(name);
        assert!(text.lines().any(has_series), "no series of {name}");
    }
}

#[test]
fn each_alert_fires_when_it_should_and_its_heading_says_what_to_do() {
    let path = file("deploy/alerts.yml");
    promtool(&["check", "rules", path.to_str().unwrap()], "");
    let cases = include_str!("alerts/rules.yml");
    let cases = cases.replace(
        "rule_files: [ALERTS]",
        &format!("rule_files: [{}]", path.display()),
    );
    let cases = cases.replace("'INFINITE'", &format!("'{}'", "Inf ".repeat(130).trim()));
    let folder = tempfile::TempDir::new().unwrap();
    let test = folder.path().join("rules.yml");
    std::fs::write(&test, cases).unwrap();
    promtool(&["test", "rules", test.to_str().unwrap()], "");

    let alerts = std::fs::read_to_string(path).unwrap();
    let handbook = std::fs::read_to_string(file("docs/OPERATING.md")).unwrap();
    let anchor = |heading: &str| heading.to_lowercase().replace(' ', "-");
    let headings: Vec<_> = handbook
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .map(anchor)
        .collect();
    let named: Vec<_> = alerts
        .lines()
        .filter_map(|line| line.split_once("runbook: docs/OPERATING.md#"))
        .map(|(_, anchor)| anchor.to_owned())
        .collect();
    assert_eq!(named.len(), alerts.matches("- alert: ").count());
    assert_eq!(named.len(), alerts.matches(" action: \"").count());
    for anchor in &named {
        assert!(headings.contains(anchor), "no heading is #{anchor}");
    }
}

/// Alertmanager's rules keep back alerts by name: each name must be that of an alert.
#[test]
fn the_inhibition_rules_name_alerts() {
    let alerts = std::fs::read_to_string(file("deploy/alerts.yml")).unwrap();
    let rules = std::fs::read_to_string(file("deploy/alertmanager.yml")).unwrap();
    let (_, rules) = rules.split_once("inhibit_rules:").unwrap();
    let words = rules.split(|letter: char| !letter.is_ascii_alphanumeric());
    let named: Vec<&str> = words
        .filter(|word| {
            word.strip_prefix("FibFob")
                .is_some_and(|rest| !rest.is_empty())
        })
        .collect();
    assert!(named.len() > 4, "{named:?}");
    for name in named {
        assert!(alerts.contains(&format!("- alert: {name}\n")), "{name}");
    }
}
