//! An analysis on the screen: its head, and the flight recorder's bar.

use fibfob_protocol::Seat;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::text::{fit, put, width};
use super::theme::{StyleRole, Theme};
use crate::app::analysis::{AnalysisBoard, Recorder};
use crate::legal;

/// The signs for who can win, which differ without colours: the creator's above, the joiner's below.
const SIGNS: [(Seat, &str); 2] = [(Seat::Creator, "▀"), (Seat::Joiner, "▄")];

/// The signs of a turning point, and of the position that is shown.
const TURNED: &str = "▲";
const HERE: &str = "↑";

/// Draws the head of an analysis without a match.
pub fn head(frame: &mut Frame, analysis: &AnalysisBoard, area: Rect, theme: Theme) {
    let [title, asked, _] = analysis.head();
    put(frame, area, 0, theme.line(title, StyleRole::Strong));
    let size = (area.width, area.height.saturating_sub(1));
    let rows = fit(&asked, theme.style(StyleRole::Good), size);
    for (row, line) in (1..).zip(rows) {
        put(frame, area, row, line);
    }
}

/// The recorder's bar, or the legal moves of what is analysed.
pub fn below(analysis: &AnalysisBoard, area: Rect, theme: Theme) -> Vec<Line<'static>> {
    let style = theme.style(StyleRole::Open);
    match &analysis.recorder {
        Some(recorder) => {
            let summary = recorder.summary(analysis.line.at);
            let mut rows = bar(recorder, analysis.line.at, area.width, theme);
            rows.extend(fit(&summary, style, (area.width, 1)));
            rows
        }
        None => {
            let moves = legal::compact(&analysis.line.current().legal_moves());
            let text = format!("Moves: {moves}");
            fit(&text, style, (area.width, area.height))
        }
    }
}

/// Draws the bar of who could win move by move, and below it the turning points and the shown position.
fn bar(recorder: &Recorder, at: usize, columns: u16, theme: Theme) -> Vec<Line<'static>> {
    let mut legend = vec![Span::raw("   ")];
    for (seat, sign) in SIGNS {
        let text = format!("{sign} {} can win  ", recorder.name(seat));
        legend.push(theme.span(text, StyleRole::Player(seat)));
    }
    let beside: usize = legend.iter().map(|span| width(&span.content)).sum();
    let all: Vec<_> = recorder.bar().collect();
    // A long match is shown around the position.
    let room = usize::from(columns).saturating_sub(beside).max(1);
    let from = at
        .saturating_sub(room / 2)
        .min(all.len().saturating_sub(room));
    let mut bar = Line::default();
    let mut marks = String::new();
    for (index, (can_win, turned)) in all.iter().enumerate().skip(from).take(room) {
        let sign = SIGNS.into_iter().find(|(seat, _)| Some(*seat) == *can_win);
        bar.push_span(match sign {
            Some((seat, sign)) => theme.span(sign, StyleRole::Player(seat)),
            None => theme.span("?", StyleRole::Faint),
        });
        marks.push_str(match (index == at, turned) {
            (true, _) => HERE,
            (false, true) => TURNED,
            (false, false) => " ",
        });
    }
    bar.extend(legend);
    let mut marks = Line::from(theme.span(marks, StyleRole::Warning));
    marks.push_span(theme.span(
        format!("   {TURNED} the win was given away  {HERE} here"),
        StyleRole::Faint,
    ));
    vec![bar, marks]
}
