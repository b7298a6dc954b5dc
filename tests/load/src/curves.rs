//! Growth curves: the figures of loads of growing size, drawn as panels of one SVG for light and
//! dark themes.

use std::fmt::Write as _;

/// A curve: one figure of loads of growing size.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The figure with its unit, and what grows.
    pub title: String,
    /// Sizes and values, both positive, by ascending size.
    pub points: Vec<(f64, f64)>,
}

/// The loads of a curve, and the figure that is drawn of each.
#[derive(Clone, Copy, Debug)]
pub struct CurvePlan {
    /// The curves' titles, each with the name of its figure.
    pub figures: &'static [(&'static str, &'static str)],
    /// The load's arguments before the size.
    pub arguments: &'static [&'static str],
    /// The option that takes the size.
    pub option: &'static str,
    /// The sizes.
    pub sizes: &'static [u32],
}

/// All curves.
pub const CURVES: [CurvePlan; 4] = [
    CurvePlan {
        figures: &[
            (
                "server CPU per ply (µs) by matches at once",
                "server CPU per ply",
            ),
            (
                "latency p99 saturated (ms) by matches at once",
                "latency p99",
            ),
        ],
        arguments: &["play", "--waves=1"],
        option: "--matches",
        sizes: &[1, 5, 20, 100, 500, 2_000, 5_000],
    },
    CurvePlan {
        figures: &[
            (
                "server CPU per delivered frame (µs) by spectators",
                "server CPU per frame",
            ),
            ("players' latency p99 (ms) by spectators", "latency p99"),
        ],
        arguments: &["watch", "--plies=40", "--rate=5"],
        option: "--spectators",
        sizes: &[1, 10, 100, 1_000, 3_000, 10_000],
    },
    CurvePlan {
        figures: &[
            (
                "memory per idle player (KiB) by connections",
                "memory per player",
            ),
            (
                "processor time when idle (%) by connections",
                "server CPU idle",
            ),
        ],
        arguments: &["idle", "--seconds=10"],
        option: "--connections",
        sizes: &[100, 1_000, 3_000, 10_000],
    },
    CurvePlan {
        figures: &[
            (
                "ready after kill -9 (ms) by matches in the store",
                "ready after",
            ),
            (
                "memory when ready (MiB) by matches in the store",
                "memory when ready",
            ),
        ],
        arguments: &["recover"],
        option: "--stored",
        sizes: &[100, 1_000, 10_000, 100_000],
    },
];

const WIDTH: f64 = 860.0;
const PANEL: (f64, f64) = (370.0, 150.0);
const LEFT: f64 = 40.0;
const TOP: f64 = 46.0;
const BETWEEN: (f64, f64) = (50.0, 64.0);

const STYLE: &str = "\
    svg{color-scheme:light dark;--paper:#fffdf8;--ink:#22283a;--soft:#667085;--rule:#e3ddd0;\
    --one:#b4491f}\
    @media(prefers-color-scheme:dark){svg{--paper:#12151f;--ink:#e8e6df;--soft:#9aa3b5;\
    --rule:#2c3242;--one:#ff9a6b}}\
    text{fill:var(--ink);font:13px system-ui,sans-serif}.soft{fill:var(--soft);font-size:11px}\
    .rule{stroke:var(--rule)}path{fill:none;stroke:var(--one);stroke-width:1.6}\
    circle{fill:var(--one)}";

/// The curves as an SVG document: two panels a row, sizes on a logarithmic scale, values on one
/// from zero, each point with its value.
#[must_use]
pub fn drawing(curves: &[Curve]) -> String {
    let rows = curves.len().div_ceil(2) as f64;
    let height = TOP + rows * (PANEL.1 + BETWEEN.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>The server under growing load</title><style>{STYLE}</style>\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"var(--paper)\"/>\n"
    );
    for (number, curve) in curves.iter().enumerate() {
        let (column, row) = ((number % 2) as f64, (number / 2) as f64);
        let left = LEFT + column * (PANEL.0 + BETWEEN.0);
        panel(&mut svg, curve, left, TOP + row * (PANEL.1 + BETWEEN.1));
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, curve: &Curve, left: f64, top: f64) {
    let bottom = top + PANEL.1;
    let sizes = curve.points.iter().map(|point| point.0.log10());
    let (least, greatest) = sizes.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    });
    let span = (greatest - least).max(f64::MIN_POSITIVE);
    let values = curve.points.iter().map(|point| point.1);
    let most = values.fold(f64::MIN_POSITIVE, f64::max);
    let place = |(size, value): (f64, f64)| {
        let x = left + (size.log10() - least) / span * PANEL.0;
        (x, bottom - value / most * PANEL.1)
    };
    let _ = write!(
        svg,
        "<text x=\"{left}\" y=\"{:.0}\">{}</text>\
         <line class=\"rule\" x1=\"{left}\" y1=\"{bottom}\" x2=\"{:.0}\" y2=\"{bottom}\"/>",
        top - 22.0,
        curve.title,
        left + PANEL.0,
    );
    let mut path = String::new();
    let mut marks = String::new();
    for (number, &point) in curve.points.iter().enumerate() {
        let (x, y) = place(point);
        let step = if number == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{step}{x:.1} {y:.1}");
        let digits = usize::from(point.1 < 10.0) + usize::from(point.1 < 1.0);
        let _ = write!(
            marks,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.digits$}</text>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y - 7.0,
            point.1,
            bottom + 15.0,
            point.0,
        );
    }
    let _ = writeln!(svg, "<path d=\"{path}\"/>{marks}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_with_its_value() {
        let curve = Curve {
            title: "memory (KiB) by connections".to_owned(),
            points: vec![(1.0, 20.0), (100.0, 14.25), (10_000.0, 9.5)],
        };
        let svg = drawing(&[curve.clone(), curve]);
        assert_eq!(svg.matches("<circle").count(), 6);
        assert_eq!(svg.matches("<path").count(), 2);
        for text in [">20<", ">14<", ">9.5<", ">10000<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_curve_of_one_point_has_a_place() {
        let curve = Curve {
            title: "one".to_owned(),
            points: vec![(10.0, 0.0)],
        };
        let svg = drawing(&[curve]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
