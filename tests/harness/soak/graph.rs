//! The picture of a soak test: three panels over the same minutes, for light and dark themes.

use std::fmt::Write as _;

use super::sample::Sample;
use super::summary::SoakSummary;

/// The width, in pixels at the picture's own size.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 58.0;
const PANEL: f64 = 130.0;
const BETWEEN: f64 = 46.0;
const BOTTOM: f64 = 44.0;
/// Points of one curve; of more samples, the median of each group is drawn.
const POINTS_MAX: usize = 400;
/// The approximate number of marks of a scale.
const MARKS: f64 = 5.0;

const STYLE: &str = "\
    svg{color-scheme:light dark;--paper:#fffdf8;--ink:#22283a;--soft:#667085;--rule:#e3ddd0;\
    --one:#b4491f;--two:#1d5fa8;--three:#7a5c00}\
    @media(prefers-color-scheme:dark){svg{--paper:#12151f;--ink:#e8e6df;--soft:#9aa3b5;\
    --rule:#2c3242;--one:#ff9a6b;--two:#7fb8ff;--three:#e5c558}}\
    text{fill:var(--ink);font:13px system-ui,sans-serif}.soft{fill:var(--soft);font-size:11px}\
    .rule{stroke:var(--rule)}path{fill:none;stroke-width:1.6;stroke-linejoin:round}\
    .one{stroke:var(--one)}.two{stroke:var(--two)}.three{stroke:var(--three)}\
    .warm{fill:var(--rule);opacity:.45}";

/// One curve and its style.
struct Curve {
    class: &'static str,
    points: Vec<(f64, f64)>,
}

/// The picture, as an SVG document.
#[must_use]
pub fn graph(summary: &SoakSummary) -> String {
    let minutes = summary
        .samples
        .last()
        .map_or(1.0, |last| last.seconds / 60.0);
    let across = Scale::upto(minutes.max(f64::MIN_POSITIVE));
    let height = TOP + 3.0 * PANEL + 2.0 * BETWEEN + BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>{0}</title><style>{STYLE}</style>\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"var(--paper)\"/>\
         <text x=\"{LEFT}\" y=\"24\" font-weight=\"600\">{0}</text>\n",
        title(summary),
    );
    let of = |value: fn(&Sample) -> f64| curve(&summary.samples, value);
    let panels: [(&str, Vec<Curve>); 3] = [
        (
            "memory of the server, MiB",
            vec![Curve {
                class: "one",
                points: of(|sample| sample.rss_kib as f64 / 1024.0),
            }],
        ),
        (
            "moves a second",
            vec![Curve {
                class: "two",
                points: of(|sample| sample.moves_per_second),
            }],
        ),
        (
            "connections (upper curve) and matches in play (lower curve)",
            vec![
                Curve {
                    class: "one",
                    points: of(|sample| sample.connections as f64),
                },
                Curve {
                    class: "three",
                    points: of(|sample| sample.matches as f64),
                },
            ],
        ),
    ];
    for (number, (name, curves)) in panels.iter().enumerate() {
        let top = TOP + number as f64 * (PANEL + BETWEEN);
        panel(&mut svg, summary, &across, top, name, curves);
    }
    for mark in across.marks() {
        let x = across.participant(mark);
        let y = height - BOTTOM + 16.0;
        let _ = write!(
            svg,
            "<text class=\"soft\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{mark}</text>"
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">minutes; shaded: warm-up, and after everybody has left</text></svg>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        height - 8.0
    );
    svg
}

fn title(summary: &SoakSummary) -> String {
    format!(
        "{} connections for {:.0} minutes, {} of them slow readers: memory, pace, crowd",
        summary.clients,
        summary.until / 60.0,
        summary.slow
    )
}

fn panel(
    svg: &mut String,
    summary: &SoakSummary,
    across: &Scale,
    top: f64,
    name: &str,
    curves: &[Curve],
) {
    let most = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|point| point.1)
        .fold(0.0, f64::max);
    let up = Scale::upto(most.max(1.0));
    let bottom = top + PANEL;
    let y = |value: f64| bottom - value / up.end * PANEL;
    let (start, end) = (across.participant(0.0), across.participant(across.end));
    let last = summary.samples.last().map_or(0.0, |last| last.seconds);
    for (from, to) in [(0.0, summary.warm), (summary.until, last)] {
        let (from, to) = (
            across.participant(from / 60.0),
            across.participant(to / 60.0),
        );
        let width = (to - from).max(0.0);
        let _ = write!(
            svg,
            "<rect class=\"warm\" x=\"{from:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{PANEL}\"/>"
        );
    }
    let _ = write!(svg, "<text x=\"{LEFT}\" y=\"{}\">{name}</text>", top - 8.0);
    for mark in up.marks() {
        let y = y(mark);
        let _ = write!(
            svg,
            "<line class=\"rule\" x1=\"{start:.1}\" y1=\"{y:.1}\" x2=\"{end:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{mark}</text>",
            LEFT - 8.0,
            y + 4.0,
        );
    }
    for curve in curves {
        let mut path = String::new();
        for (at, (minute, value)) in curve.points.iter().enumerate() {
            let step = if at == 0 { 'M' } else { 'L' };
            let _ = write!(
                path,
                "{step}{:.1} {:.1}",
                across.participant(*minute),
                y(*value)
            );
        }
        let _ = writeln!(svg, "<path class=\"{}\" d=\"{path}\"/>", curve.class);
    }
}

/// Minutes and values; of many samples, the median of each group.
fn curve(samples: &[Sample], value: fn(&Sample) -> f64) -> Vec<(f64, f64)> {
    let few = samples.len().div_ceil(POINTS_MAX).max(1);
    samples
        .chunks(few)
        .map(|few| {
            let mut values: Vec<f64> = few.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            (few[few.len() / 2].seconds / 60.0, values[values.len() / 2])
        })
        .collect()
}

/// A scale from 0 to a little more than the largest value, with round marks.
struct Scale {
    end: f64,
    step: f64,
}

impl Scale {
    fn upto(most: f64) -> Self {
        let rough = most / MARKS;
        let tens = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * tens)
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * tens);
        Self {
            end: (most / step).ceil() * step,
            step,
        }
    }

    fn participant(&self, value: f64) -> f64 {
        LEFT + (value / self.end).min(1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn marks(&self) -> impl Iterator<Item = f64> {
        let count = (self.end / self.step).round() as u32;
        let step = self.step;
        // Rounded, or a sum of tenths would show its last digits.
        (0..=count).map(move |mark| (f64::from(mark) * step * 1e6).round() / 1e6)
    }
}
