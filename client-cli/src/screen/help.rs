//! The help window: commands and signs, above the screen until a key is pressed.

use fibfob_games::GameInfo;
use ratatui::Frame;
use ratatui::layout::Constraint;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Padding, Paragraph};

use super::theme::{StyleRole, Theme};
use crate::app::typed_command::COMMANDS;
use crate::wrapping::wrapped;

/// The maximum width of the window, in columns.
const COLUMNS_MAX: u16 = 72;

/// The columns and rows of its frame.
const FRAME: (u16, u16) = (4, 2);

/// Draws the window, with the rules of the game once the match is known.
pub fn draw(frame: &mut Frame, info: Option<&GameInfo>, theme: Theme) {
    let width = frame.area().width.min(COLUMNS_MAX);
    let mut texts: Vec<String> = Vec::new();
    if let Some(info) = info {
        texts.push(info.title.to_owned());
        texts.push(info.rules.to_owned());
        texts.push(format!(
            "A move is typed as, for example: {}",
            info.example_move
        ));
        texts.push(String::new());
    }
    texts.extend(COMMANDS.map(|(command, what)| format!("{command}: {what}")));
    texts.push(String::new());
    texts.push("◆ ship  • legal square  ◇ previous square".to_owned());
    texts.push("░ time from nuggets  ● connected  ○ disconnected".to_owned());
    texts.push("↑ ↓ history, Tab completes, Esc clears the line".to_owned());
    texts.push("F2, F3 give the first or second answer, Ctrl-C leaves".to_owned());
    let columns = usize::from(width.saturating_sub(FRAME.0).max(1));
    let rows = texts.iter().flat_map(|text| wrapped(text, columns));
    let mut lines: Vec<Line> = rows.map(Line::raw).collect();
    if info.is_some() {
        lines[0] = lines[0].clone().style(theme.style(StyleRole::Strong));
    }
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(FRAME.1);
    let size = [width, height.min(frame.area().height)].map(Constraint::Length);
    let area = frame.area().centered(size[0], size[1]);
    let block = Block::bordered()
        .title(" help ")
        .title_bottom(" any key closes ")
        .padding(Padding::horizontal(1));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
