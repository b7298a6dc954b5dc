//! Colours for dark and light backgrounds, and text attributes that replace them where there are no colours.
//!
//! Every colour has a contrast of at least 4.5 to each background it is used on, which a test computes.

use std::borrow::Cow;
use std::env::{var, var_os};

use fibfob_protocol::Seat;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

use crate::app::text::OutputKind;

#[cfg(test)]
mod contrast;

/// The role of a text on the screen, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StyleRole {
    Plain,
    /// Names and headings.
    Strong,
    Faint,
    Ship,
    /// Squares the ship can reach, and other legal moves.
    Open,
    /// The change that the newest move has made.
    Trail,
    Time,
    /// The time that nuggets could become.
    Nuggets,
    Fib,
    Fob,
    /// Heaps of coins, and pins.
    Coins,
    /// The user's turn or win.
    Good,
    /// A refusal, or the user's loss.
    Bad,
    /// A problem that may pass, or a question to the user.
    Warning,
    /// A player, in the colour of the seat: teal and magenta, as on the page.
    Player(Seat),
}

/// The variable that names the theme: `dark`, `light` or `none`.
const THEME_VARIABLE: &str = "FIBFOB_THEME";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Dark,
    Light,
    /// For a terminal that does not say which background it has: that of [`Theme::Dark`], on a background of its own.
    Painted,
    /// No colours, for `NO_COLOR` (<https://no-color.org>).
    Plain,
}

impl Theme {
    /// Returns the theme that the environment or the configuration asks for, or else the one for the
    /// terminal's background. It asks the terminal, so nothing else may read from it meanwhile.
    pub fn of_terminal(configured: Option<&str>) -> Self {
        let named = var(THEME_VARIABLE).ok().filter(|name| !name.is_empty());
        match named.as_deref().or(configured) {
            Some("dark") => return Self::Dark,
            Some("light") => return Self::Light,
            Some("none") => return Self::Plain,
            _ => {}
        }
        if var_os("NO_COLOR").is_some_and(|set| !set.is_empty()) {
            return Self::Plain;
        }
        match theme_mode(QueryOptions::default()) {
            Ok(ThemeMode::Dark) => Self::Dark,
            Ok(ThemeMode::Light) => Self::Light,
            Err(_) => Self::Painted,
        }
    }

    /// The style of the whole screen, under all others.
    pub fn ground(self) -> Style {
        match self {
            Self::Painted => Style::new().fg(Color::Indexed(255)).bg(Color::Indexed(233)),
            Self::Dark | Self::Light | Self::Plain => Style::new(),
        }
    }

    pub fn style(self, look: StyleRole) -> Style {
        let style = Style::new();
        let style = match look {
            StyleRole::Strong | StyleRole::Ship | StyleRole::Good | StyleRole::Player(_) => {
                style.add_modifier(Modifier::BOLD)
            }
            StyleRole::Trail if self == Self::Plain => style.add_modifier(Modifier::UNDERLINED),
            _ => style,
        };
        let fg = colours(look).and_then(|pair| self.colour(pair));
        Style { fg, ..style }
    }

    pub fn span<'a>(self, text: impl Into<Cow<'a, str>>, look: StyleRole) -> Span<'a> {
        Span::styled(text, self.style(look))
    }

    pub fn line<'a>(self, text: impl Into<Cow<'a, str>>, look: StyleRole) -> Line<'a> {
        Line::styled(text, self.style(look))
    }

    /// Returns the colour for this background, out of those for a dark and a light one.
    fn colour(self, [on_dark, on_light]: [u8; 2]) -> Option<Color> {
        match self {
            Self::Plain => None,
            Self::Dark | Self::Painted => Some(Color::Indexed(on_dark)),
            Self::Light => Some(Color::Indexed(on_light)),
        }
    }

    /// Returns a square's background. Boards are chequered; squares out of reach are nearer to the screen's
    /// own background.
    pub fn square(self, dark: bool, within_reach: bool) -> Style {
        let bg = self.colour(match (within_reach, dark) {
            (true, true) => [235, 253],
            (true, false) => [237, 255],
            (false, true) => [233, 255],
            (false, false) => [234, 231],
        });
        Style { bg, ..Style::new() }
    }

    pub fn ship_square(self) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        match self {
            Self::Plain => style.add_modifier(Modifier::REVERSED),
            _ => Style {
                fg: self.colour([16, 231]),
                bg: self.colour([220, 88]),
                ..style
            },
        }
    }

    pub fn tone(self, tone: OutputKind) -> Style {
        self.style(match tone {
            OutputKind::Visible | OutputKind::Event | OutputKind::Prompt => StyleRole::Plain,
            OutputKind::Note => StyleRole::Faint,
            OutputKind::Chat => StyleRole::Fib,
            OutputKind::Refusal => StyleRole::Bad,
            OutputKind::Problem => StyleRole::Warning,
            OutputKind::Result => StyleRole::Strong,
        })
    }
}

/// The colours of a role on a dark and on a light background, out of xterm's 256.
fn colours(role: StyleRole) -> Option<[u8; 2]> {
    Some(match role {
        StyleRole::Plain | StyleRole::Strong => return None,
        StyleRole::Faint => [249, 239],
        StyleRole::Ship => [220, 88],
        StyleRole::Time => [220, 58],
        StyleRole::Nuggets => [179, 58],
        StyleRole::Open | StyleRole::Good => [78, 22],
        StyleRole::Trail => [216, 89],
        StyleRole::Fib => [81, 24],
        StyleRole::Fob => [213, 90],
        StyleRole::Coins | StyleRole::Warning => [215, 52],
        StyleRole::Bad => [210, 88],
        StyleRole::Player(Seat::Creator) => [80, 23],
        StyleRole::Player(Seat::Joiner) => [213, 90],
    })
}
