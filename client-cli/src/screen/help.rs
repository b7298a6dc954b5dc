//! The help: how the game is played, commands and signs, above the screen until it is closed.

use fibfob_games::GameId;
use ratatui::Frame;
use ratatui::layout::Constraint;
use ratatui::text::Line;
use ratatui::widgets::{Block, Padding, Paragraph};

use super::text::clear;
use super::theme::{StyleRole, Theme};
use crate::app::typed_command::COMMANDS;
use fibfob_theory::{sheet, wrap_indented};

/// The maximum width of the window, in columns.
const COLUMNS_MAX: u16 = 84;

/// The columns and rows of its frame.
const FRAME: (u16, u16) = (4, 2);

const SIGNS: [&str; 8] = [
    "◆ ship  • square it can reach  ◇ its square before  ⌂ a1 on board 1, where it arrives",
    "← ↓ choose a square for the ship (◈), → ↑ go back, Shift-↓ the lift; Enter flies",
    "█ ● what is there  ▒ ◌ what the newest move took  ░ time from nuggets",
    "● connected  ○ disconnected",
    "Tab completes commands and moves; ↑ ↓ earlier lines; Esc clears the line",
    "PgUp, PgDn: the position a move earlier and later; Esc: the newest one",
    "Ctrl-PgUp, Ctrl-PgDn: older and newer messages; Ctrl-↑ ↓: the rest of a long picture",
    "F2, F3: first or second answer to a question; Ctrl-C leaves, Ctrl-Z pauses",
];

/// Returns the paragraphs: those of the game once the match is known.
pub fn paragraphs(game: Option<GameId>, useless: &[&str]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    if let Some(game) = game {
        texts.push(format!("How to play {}", game.info().title));
        texts.extend(sheet(game));
        texts.push(String::new());
    }
    texts.push("Commands".to_owned());
    let commands = COMMANDS.iter();
    let commands = commands.filter(|(command, _)| !useless.contains(command));
    let widths = COMMANDS.map(|(command, _)| command.chars().count());
    let width = widths.into_iter().max().unwrap_or(0);
    texts.extend(commands.map(|(command, what)| format!("  {command:<width$}  {what}")));
    texts.push(String::new());
    texts.push("Signs and keys".to_owned());
    texts.extend(SIGNS.map(|sign| format!("  {sign}")));
    texts
}

/// Draws the window with these paragraphs from this row on. Returns the last row from which it can be drawn.
pub fn draw(frame: &mut Frame, title: &str, texts: &[String], from: usize, theme: Theme) -> usize {
    let width = frame.area().width.min(COLUMNS_MAX);
    let columns = usize::from(width.saturating_sub(FRAME.0).max(1));
    let mut lines: Vec<Line> = Vec::new();
    for text in texts {
        let is_heading = !text.starts_with(' ') && !text.ends_with(['.', ':', '!']);
        let style = theme.style(match is_heading {
            true => StyleRole::Strong,
            false => StyleRole::Plain,
        });
        let rows = wrap_indented(text, columns).into_iter();
        lines.extend(rows.map(|row| Line::styled(row, style)));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let height = height.saturating_add(FRAME.1).min(frame.area().height);
    let shown = usize::from(height.saturating_sub(FRAME.1));
    let last = lines.len().saturating_sub(shown);
    let from = from.min(last);
    let size = [width, height].map(Constraint::Length);
    let area = frame.area().centered(size[0], size[1]);
    let keys = match last {
        0 => " any key closes ",
        _ => " ↑ ↓ PgUp PgDn more, any other key closes ",
    };
    let block = Block::bordered()
        .title(title.to_owned())
        .title_bottom(keys)
        .padding(Padding::horizontal(1));
    clear(frame, area, theme);
    let shown: Vec<Line> = lines.into_iter().skip(from).collect();
    frame.render_widget(Paragraph::new(shown).block(block), area);
    last
}
