//! Colours, and the text attributes that replace them where there are none.

use ratatui::style::{Color, Modifier, Style};

use crate::app::text::OutputKind;

/// The role of a text on the screen, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StyleRole {
    /// Ordinary text.
    Plain,
    /// Names and headings.
    Strong,
    /// Less important text.
    Faint,
    /// The ship.
    Ship,
    /// Squares the ship can reach, and other legal moves.
    Open,
    /// The ship's previous square.
    Trail,
    /// The time that is left.
    Time,
    /// The time that nuggets could become.
    Nuggets,
    /// The first tank.
    Fib,
    /// The second tank.
    Fob,
    /// Heaps of coins.
    Coins,
    /// The user's turn or win.
    Good,
    /// A refusal, or the user's loss.
    Bad,
    /// A problem that may pass, or a question to the user.
    Warning,
}

/// The set of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// 256 colours, chosen for dark and light backgrounds alike.
    Colour,
    /// No colours, for `NO_COLOR` (<https://no-color.org>).
    Plain,
}

impl Theme {
    /// Returns the theme that the environment asks for.
    pub fn of_environment() -> Self {
        match std::env::var_os("NO_COLOR") {
            Some(set) if !set.is_empty() => Self::Plain,
            _ => Self::Colour,
        }
    }

    /// Returns the style of a role.
    pub fn style(self, look: StyleRole) -> Style {
        let style = Style::new();
        let style = match look {
            StyleRole::Strong | StyleRole::Ship | StyleRole::Good => {
                style.add_modifier(Modifier::BOLD)
            }
            StyleRole::Faint | StyleRole::Trail => style.add_modifier(Modifier::DIM),
            _ => style,
        };
        let colour = match look {
            _ if self == Self::Plain => None,
            StyleRole::Plain | StyleRole::Strong | StyleRole::Faint => None,
            StyleRole::Ship | StyleRole::Time => Some(Color::Indexed(220)),
            StyleRole::Open | StyleRole::Good => Some(Color::Indexed(42)),
            StyleRole::Trail => Some(Color::Indexed(180)),
            StyleRole::Nuggets => Some(Color::Indexed(178)),
            StyleRole::Fib => Some(Color::Indexed(39)),
            StyleRole::Fob => Some(Color::Indexed(170)),
            StyleRole::Coins => Some(Color::Indexed(214)),
            StyleRole::Bad => Some(Color::Indexed(203)),
            StyleRole::Warning => Some(Color::Indexed(214)),
        };
        colour.map_or(style, |colour| style.fg(colour))
    }

    /// Returns the background of a square: boards are chequered, those out of reach darker.
    pub fn square(self, dark: bool, within_reach: bool) -> Style {
        let ground = match (self, within_reach, dark) {
            (Self::Plain, ..) => return Style::new(),
            (Self::Colour, true, true) => 236,
            (Self::Colour, true, false) => 239,
            (Self::Colour, false, true) => 234,
            (Self::Colour, false, false) => 235,
        };
        Style::new().bg(Color::Indexed(ground))
    }

    /// Returns the style of the ship's own square.
    pub fn ship_square(self) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        match self {
            Self::Plain => style.add_modifier(Modifier::REVERSED),
            Self::Colour => style.fg(Color::Indexed(16)).bg(Color::Indexed(220)),
        }
    }

    /// Returns the style of a line of text.
    pub fn tone(self, tone: OutputKind) -> Style {
        self.style(match tone {
            OutputKind::Visible | OutputKind::Event | OutputKind::Note | OutputKind::Prompt => {
                StyleRole::Plain
            }
            OutputKind::Chat => StyleRole::Fib,
            OutputKind::Refusal => StyleRole::Bad,
            OutputKind::Problem => StyleRole::Warning,
            OutputKind::Result => StyleRole::Strong,
        })
    }
}
