//! The two text formats of metrics: OpenMetrics, which the library writes, and the older one of Prometheus,
//! which is made from it.

use std::borrow::Cow;

/// The media type of the text of OpenMetrics.
pub const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The media type of the text that Prometheus has always read.
pub const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Converts to the older format. There a family is named as its series, the type `info` is a gauge, and there
/// are no units and no end mark.
pub fn prometheus_text(openmetrics: &str) -> String {
    let mut text = String::with_capacity(openmetrics.len());
    let mut help = None;
    for line in openmetrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described.split_once(' ');
        } else if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|of| of.split_once(' '))
        {
            let (series, kind): (Cow<'_, str>, _) = match kind {
                "counter" => (format!("{name}_total").into(), kind),
                "info" => (format!("{name}_info").into(), "gauge"),
                _ => (name.into(), kind),
            };
            let (_, help) = help.take().unwrap_or_default();
            text += &format!("# HELP {series} {help}\n# TYPE {series} {kind}\n");
        } else if !line.starts_with('#') {
            text += line;
            text.push('\n');
        }
    }
    text
}
