//! The whole screen as a function of the model.

use ratatui::Frame;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

use super::layout::{ScreenAreas, areas};
use super::model::ScreenModel;
use super::picture::Picture;
use super::text::{clear, fit, fitting_keys, put, put_right};
use super::theme::StyleRole;
use super::{analysis_panel, header, help};
use crate::app::ConnectionStatus;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{self, OutputLine};
use crate::legal;

/// The maximum number of rows of a message.
const MESSAGE_ROWS_MAX: u16 = 3;

const PROMPT: &str = "> ";

const PROMPT_COLUMNS: u16 = 2;

pub fn draw(frame: &mut Frame, model: &ScreenModel) {
    let area = frame.area();
    frame.buffer_mut().set_style(area, model.theme.ground());
    let picture = model.picture();
    let areas = areas(area, &picture);
    match (model.app.followed(), model.app.analysis()) {
        (Some(followed), _) => {
            header::draw(frame, model, followed, areas.head);
            match_area(frame, model, &picture, &areas);
        }
        (None, Some(analysis)) => {
            analysis_panel::head(frame, analysis, areas.head, model.theme);
            match_area(frame, model, &picture, &areas);
        }
        (None, None) => {
            let title = model.theme.span("Fib Fob", StyleRole::Strong);
            let at = Span::raw(format!("  {}", model.app.server));
            put(frame, areas.head, 0, Line::from(vec![title, at]));
            let state = match model.app.connection {
                None => "connecting …",
                Some(ConnectionStatus::Up) => "waiting for the server …",
                Some(ConnectionStatus::Down) => "the connection is lost; reconnecting …",
            };
            put(frame, areas.head, 1, Line::raw(state));
            log(frame, model, None, areas.log);
        }
    }
    message(frame, model, &areas);
    input(frame, model, areas.input);
    if let Some(from) = model.help {
        let help = || help::paragraphs(model.game(), model.useless_commands());
        let (title, texts) = match model.sheet.is_empty() {
            true => (" help ", &help()),
            false => ("", &model.sheet),
        };
        let last = help::draw(frame, title, texts, from, model.theme);
        model.help_last.set(last);
    }
}

fn match_area(frame: &mut Frame, model: &ScreenModel, picture: &Picture, areas: &ScreenAreas) {
    let theme = model.theme;
    if let Some((area, form)) = areas.stack
        && let Some(stack) = picture.stack(form, model.chosen, theme)
    {
        frame.render_widget(Text::from(stack.rows()), area);
    }
    let mut area = areas.picture;
    if let (None, Some(ship)) = (areas.stack, picture.ship_text()) {
        let ship = theme.line(ship, StyleRole::Strong);
        put(frame, area, 0, ship);
        let taken = area.height.min(1);
        (area.y, area.height) = (area.y + taken, area.height - taken);
    }
    let mut from = model.picture_from.get();
    let picture = picture.rows(area.width, area.height, &mut from, theme);
    model.picture_from.set(from);
    frame.render_widget(Text::from(picture), area);
    let rows = match (model.app.analysis(), model.app.followed()) {
        (Some(analysis), _) => analysis_panel::below(analysis, areas.legal, theme),
        (None, Some(followed)) => legal_moves(model, followed, areas.legal),
        (None, None) => Vec::new(),
    };
    let used = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    frame.render_widget(Text::from(rows), areas.legal);
    let spare = areas.legal.height.saturating_sub(used);
    let mut rest = areas.log;
    if (rest.x, rest.y) == (areas.legal.x, areas.legal.bottom()) {
        rest.y -= spare;
        rest.height += spare;
    }
    let said = model.message.as_ref().filter(|_| !areas.message.is_empty());
    let elsewhere = said.map(OutputLine::beside_picture);
    log(frame, model, elsewhere, rest);
}

/// Draws the messages, as many as fit, the newest at the bottom.
fn log(frame: &mut Frame, model: &ScreenModel, elsewhere: Option<&str>, area: Rect) {
    let size = (usize::from(area.width), usize::from(area.height));
    let rows = model.log.rows(size, elsewhere, model.theme);
    frame.render_widget(Text::from(rows), area);
}

/// The legal moves or, where none can be made, the commands that can be given.
fn legal_moves(model: &ScreenModel, followed: &DisplayedMatch, area: Rect) -> Vec<Line<'static>> {
    let is_now = model.moves_back == 0;
    let said = if is_now && followed.turn().is_some() {
        let legal = followed.legal_moves();
        let title = match legal.count() {
            Some(count) => text::count_of(count, "move"),
            None => "Moves".to_owned(),
        };
        let look = match model.app.wants_move() {
            true => StyleRole::Open,
            false => StyleRole::Faint,
        };
        Some((format!("{title}: {}", legal::compact(&legal)), look))
    } else {
        header::state(model, followed).1
    };
    let rows = |(text, look): (String, StyleRole)| {
        fit(&text, model.theme.style(look), (area.width, area.height))
    };
    said.map_or_else(Vec::new, rows)
}

/// Draws the newest message, if the log does not show it whole.
fn message(frame: &mut Frame, model: &ScreenModel, areas: &ScreenAreas) {
    let Some(said) = &model.message else { return };
    let beside = !areas.message.is_empty();
    let bottom = if beside { areas.message } else { areas.log };
    let style = model.theme.tone(said.tone);
    let size = (bottom.width, MESSAGE_ROWS_MAX);
    let rows = fit(said.beside_picture(), style, size);
    let height = u16::try_from(rows.len()).expect("there are few rows");
    if bottom.is_empty() || !beside && height <= bottom.height {
        return;
    }
    // A long message covers older ones, and never the match.
    let stack = areas.stack.map_or(0, |(area, _)| area.bottom());
    let shown = [stack, areas.picture.bottom(), areas.legal.bottom()];
    let shown = shown.into_iter().filter(|_| model.game().is_some());
    let above = bottom.y.saturating_sub(shown.max().unwrap_or(0));
    let height = height.min(bottom.height + above);
    let rows = fit(said.beside_picture(), style, (bottom.width, height));
    let area = Rect {
        y: bottom.bottom() - height,
        height,
        ..bottom
    };
    clear(frame, area, model.theme);
    frame.render_widget(Text::from(rows), area);
}

fn input(frame: &mut Frame, model: &ScreenModel, area: Rect) {
    if area.is_empty() {
        return;
    }
    put(frame, area, 0, Line::raw(PROMPT));
    let [_, line] = Layout::horizontal([Length(PROMPT_COLUMNS), Fill(1)]).areas(area);
    let input = model.editor.input();
    // The last column is the cursor's. A long line scrolls with it.
    let scroll = input.visual_scroll(usize::from(line.width.saturating_sub(1)));
    let scroll = u16::try_from(scroll).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(input.value()).scroll((0, scroll)), line);
    if model.editor.is_empty() {
        let hint = match (model.app.analysis(), model.app.followed()) {
            (Some(analysis), _) => {
                let [.., keys] = analysis.head();
                keys
            }
            (None, Some(_)) => "? how to play".to_owned(),
            (None, None) => "? help".to_owned(),
        };
        let hint = fitting_keys(&hint, line.width.into());
        let hint = model.theme.line(hint, StyleRole::Faint);
        put_right(frame, area, 0, hint);
    }
    let cursor = u16::try_from(input.visual_cursor()).unwrap_or(u16::MAX);
    let column = (PROMPT_COLUMNS + cursor - scroll).min(area.width - 1);
    frame.set_cursor_position(Position::new(area.x + column, area.y));
}

#[cfg(test)]
mod tests;
