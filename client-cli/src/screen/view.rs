//! The whole screen as a function of the model.

use fibfob_protocol::{FirstMove, PhaseView};
use ratatui::Frame;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::layout::{ScreenAreas, areas};
use super::model::ScreenModel;
use super::scene::{Scene, square};
use super::stack::Stack;
use super::text::{fitted, put, put_right, shortened, width};
use super::theme::StyleRole;
use super::{bars, header, help};
use crate::app::ConnectionStatus;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{self, OutputKind, OutputLine};
use crate::legal;
use crate::wrapping::wrapped;

/// The maximum number of rows of a message.
const MESSAGE_ROWS_MAX: u16 = 3;

/// The prompt before the input line.
const PROMPT: &str = "> ";

/// The columns of the prompt.
const PROMPT_COLUMNS: u16 = 2;

/// Draws the screen.
pub fn draw(frame: &mut Frame, model: &ScreenModel) {
    let followed = model.app.followed();
    let scene = followed
        .map(|followed| Scene::read(&followed.view.position))
        .unwrap_or_default();
    let areas = areas(frame.area(), &scene, model.chat.len());
    match followed {
        Some(followed) => {
            header::draw(frame, model, followed, areas.head);
            match_area(frame, model, followed, &scene, &areas);
        }
        None => {
            let title = Span::styled("Fib Fob", model.theme.style(StyleRole::Strong));
            let at = Span::raw(format!("  {}", model.app.server()));
            put(frame, areas.head, 0, Line::from(vec![title, at]));
            put(frame, areas.head, 1, Line::raw(connection_text(model)));
        }
    }
    chat(frame, model, areas.chat);
    // Chat that the rows above show is not repeated as a message.
    let seen = !areas.chat.is_empty();
    let shown = model
        .message
        .as_ref()
        .filter(|said| !(seen && said.tone == OutputKind::Chat));
    message(frame, model, shown, areas.message);
    input(frame, model, areas.input);
    if model.help {
        let info = followed.map(|followed| followed.view.game.info());
        help::draw(frame, info, model.theme);
    }
}

fn connection_text(model: &ScreenModel) -> &'static str {
    match model.app.connection() {
        None => "connecting …",
        Some(ConnectionStatus::Up) => "waiting for the server …",
        Some(ConnectionStatus::Down) => "no server answers; trying again …",
    }
}

fn match_area(
    frame: &mut Frame,
    model: &ScreenModel,
    followed: &DisplayedMatch,
    scene: &Scene,
    areas: &ScreenAreas,
) {
    let theme = model.theme;
    if let (Some(ship), Some((area, form))) = (scene.ship, areas.stack) {
        let before = followed.came_from.as_deref().unwrap_or_default();
        let before = before.split(' ').find_map(square);
        let trail = before.filter(|before| *before != ship);
        let stack = Stack {
            ship,
            trail,
            form,
            theme,
        };
        stack.draw(area, frame.buffer_mut());
    }
    let mut shown = scene.clone();
    if let (Some(_), None) = (scene.ship, areas.stack) {
        // Where the boards have no room, the notation shows the ship's square.
        let ship = followed.view.position.split(' ').next().unwrap_or_default();
        shown.rest.insert(0, format!("ship {ship}"));
    }
    let start = Scene::read(&followed.view.start);
    bars::draw(&shown, &start, theme, areas.amounts, frame.buffer_mut());
    let used = legal_moves(frame, model, followed, areas.legal);
    let spare = areas.legal.height - used;
    let mut rest = areas.plies;
    if (rest.x, rest.y) == (areas.legal.x, areas.legal.bottom()) {
        rest.y -= spare;
        rest.height += spare;
    }
    plies(frame, model, followed, rest);
}

/// Draws the legal moves or, where none can be made, the commands that can be given; returns the
/// number of rows used.
fn legal_moves(
    frame: &mut Frame,
    model: &ScreenModel,
    followed: &DisplayedMatch,
    area: Rect,
) -> u16 {
    let PhaseView::Playing { .. } = &followed.view.phase else {
        let Some((text, look)) = command_hint(followed) else {
            return 0;
        };
        return rows(frame, area, &text, model.theme.style(look));
    };
    let legal = followed.legal_moves();
    let title = match legal.count() {
        Some(1) => "1 move".to_owned(),
        Some(count) => format!("{count} moves"),
        None => "moves".to_owned(),
    };
    let text = format!("{title}: {}", legal::compact(&legal));
    let look = match model.app.wants_move() {
        true => StyleRole::Open,
        false => StyleRole::Faint,
    };
    rows(frame, area, &text, model.theme.style(look))
}

/// The commands that can be given while no move can be made, with their style.
fn command_hint(followed: &DisplayedMatch) -> Option<(String, StyleRole)> {
    match (&followed.view.phase, followed.seat) {
        (PhaseView::Choosing { chooser, .. }, Some(seat)) if *chooser == seat => {
            let other = text::named(&followed.view, seat.other());
            let text = format!(
                "This is the start. `first` makes the first move, `second` leaves it to {other}; \
                 without a choice in time you move second."
            );
            Some((text, StyleRole::Open))
        }
        (PhaseView::Choosing { chooser, .. }, _) => {
            let chooser = text::named(&followed.view, *chooser);
            let text = format!("This is the start. {chooser} chooses who moves first.");
            Some((text, StyleRole::Plain))
        }
        (PhaseView::Over { .. } | PhaseView::Closed { .. }, Some(_)) => {
            let text = "`rematch` offers a rematch with sides swapped; `quit` leaves.";
            Some((text.to_owned(), StyleRole::Faint))
        }
        (PhaseView::Over { .. } | PhaseView::Closed { .. }, None) => {
            Some(("`quit` leaves.".to_owned(), StyleRole::Faint))
        }
        (PhaseView::Open, _) if followed.view.first == FirstMove::JoinerChooses => {
            let text = "The player who joins sees this start and chooses who moves first.";
            Some((text.to_owned(), StyleRole::Plain))
        }
        (PhaseView::Open | PhaseView::Playing { .. }, _) => None,
    }
}

/// Draws a text; returns the number of rows used.
fn rows(frame: &mut Frame, area: Rect, text: &str, style: Style) -> u16 {
    let mut used = 0;
    for row in fitted(text, usize::from(area.width), usize::from(area.height)) {
        put(frame, area, used, Line::styled(row, style));
        used += 1;
    }
    used
}

/// Draws the newest moves, as many as fit; a row holds several moves where it has room.
fn plies(frame: &mut Frame, model: &ScreenModel, followed: &DisplayedMatch, area: Rect) {
    let texts = followed.plies.iter().map(|ply| {
        let name = text::who(followed, ply.seat);
        format!("{}. {name}: {}", ply.number, ply.text)
    });
    let texts: Vec<String> = texts.collect();
    let rows = usize::from(area.height);
    let columns = usize::from(area.width);
    let mut filled: Vec<String> = Vec::new();
    for start in (0..texts.len()).rev() {
        let flowing = flowed(&texts[start..], columns);
        if flowing.len() > rows {
            break;
        }
        filled = flowing;
    }
    for (index, row) in (0..).zip(filled) {
        put(
            frame,
            area,
            index,
            Line::styled(row, model.theme.style(StyleRole::Plain)),
        );
    }
}

/// Fills rows with texts; only a text longer than a row is broken.
fn flowed(texts: &[String], columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for text in texts {
        match rows.last_mut() {
            Some(row) if width(row) + 3 + width(text) <= columns => {
                row.push_str("   ");
                row.push_str(text);
            }
            _ => rows.extend(wrapped(text, columns)),
        }
    }
    rows
}

/// Draws the newest chat, one line a row.
fn chat(frame: &mut Frame, model: &ScreenModel, area: Rect) {
    let hidden = model.chat.len().saturating_sub(area.height.into());
    for (row, said) in (0..).zip(model.chat.iter().skip(hidden)) {
        let text = shortened(said, area.width.into());
        put(
            frame,
            area,
            row,
            Line::styled(text, model.theme.tone(OutputKind::Chat)),
        );
    }
}

fn message(frame: &mut Frame, model: &ScreenModel, said: Option<&OutputLine>, area: Rect) {
    let (Some(OutputLine { tone, text }), false) = (said, area.is_empty()) else {
        return;
    };
    let rows = fitted(text, usize::from(area.width), MESSAGE_ROWS_MAX.into());
    // A long message covers the rows above it.
    let above = u16::try_from(rows.len()).expect("there are few rows") - 1;
    let above = above.min(area.y);
    let area = Rect {
        y: area.y - above,
        height: area.height + above,
        ..area
    };
    frame.render_widget(Clear, area);
    for (row, text) in (0..).zip(rows) {
        put(
            frame,
            area,
            row,
            Line::styled(text, model.theme.tone(*tone)),
        );
    }
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
        let hint = Line::styled("? help", model.theme.style(StyleRole::Faint));
        put_right(frame, area, 0, hint);
    }
    let cursor = u16::try_from(input.visual_cursor()).unwrap_or(u16::MAX);
    let column = (PROMPT_COLUMNS + cursor - scroll).min(area.width - 1);
    frame.set_cursor_position(Position::new(area.x + column, area.y));
}

#[cfg(test)]
mod tests;
