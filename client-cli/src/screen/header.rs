//! The top of the screen: the match, its players with their clocks, and its state.

use fibfob_protocol::{FirstMover, PhaseView, Seat, TimeControl, Timestamp};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::model::ScreenModel;
use super::text::{fitted, put, put_right, shortened};
use super::theme::{PLAYER_COLOURS, StyleRole, Theme};
use crate::app::ConnectionStatus;
use crate::app::UserRole;
use crate::app::clock::{ClockReading, clock_text, minutes};
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{self, capitalised};
use crate::names;
use crate::time_control;

/// The columns of a name where there is room, and where there is none.
const NAME_COLUMNS: [usize; 2] = [48, 4];

/// Draws the header.
pub fn draw(frame: &mut Frame, model: &ScreenModel, followed: &DisplayedMatch, area: Rect) {
    let style = |look| model.theme.style(look);
    let view = &followed.view;
    let mut title = vec![
        Span::styled(view.game.info().title, style(StyleRole::Strong)),
        Span::raw("  "),
        Span::styled(followed.code.to_string(), style(StyleRole::Strong)),
    ];
    if view.time != TimeControl::None {
        let control = time_control::written(view.time);
        title.push(Span::styled(
            format!("  {control}"),
            style(StyleRole::Faint),
        ));
    }
    let title = Line::from(title);
    let room = usize::from(area.width).saturating_sub(title.width());
    put(frame, area, 0, title);
    let watching = match followed.spectators() {
        0 => String::new(),
        spectators => format!("{spectators} watching  "),
    };
    let version = format!("  {watching}version {}", followed.version);
    let version = Line::styled(version, style(StyleRole::Faint));
    if version.width() <= room {
        put_right(frame, area, 0, version);
    }

    let line = match model.app.connection() {
        Some(ConnectionStatus::Down) => Line::styled("  reconnecting …", style(StyleRole::Warning)),
        _ => Line::default(),
    };
    let room = usize::from(area.width).saturating_sub(line.width());
    put(frame, area, 1, players(model, followed, room));
    put_right(frame, area, 1, line);

    let (text, look) = state_line(model, followed);
    for row in fitted(&text, usize::from(area.width), 1) {
        put(frame, area, 2, Line::styled(row, style(look)));
    }
}

/// Returns both players; where the row is short, names are shortened, clocks are not.
fn players(model: &ScreenModel, followed: &DisplayedMatch, columns: usize) -> Line<'static> {
    let first = match followed.view.first.by() {
        FirstMover::Agreed(seat) => seat,
        FirstMover::ChosenBy(_) => Seat::Creator,
    };
    let against = Span::styled("  against  ", model.theme.style(StyleRole::Faint));
    let row = |name_columns| {
        let mut row = player(model, followed, first, name_columns);
        row.push(against.clone());
        row.extend(player(model, followed, first.other(), name_columns));
        Line::from(row)
    };
    let [most, least] = NAME_COLUMNS;
    let fitting = (least..=most).rev().map(row);
    let mut fitting = fitting.filter(|row| row.width() <= columns);
    fitting.next().unwrap_or_else(|| row(least))
}

fn player(
    model: &ScreenModel,
    followed: &DisplayedMatch,
    seat: Seat,
    name_columns: usize,
) -> Vec<Span<'static>> {
    let style = |look| model.theme.style(look);
    let presence = match followed.is_connected(seat) {
        Some(true) => Span::styled("● ", style(StyleRole::Good)),
        Some(false) => Span::styled("○ ", style(StyleRole::Faint)),
        None => Span::raw("  "),
    };
    if followed.view.players.get(seat).is_none() {
        return vec![Span::styled("no opponent yet", style(StyleRole::Faint))];
    }
    let name = shortened(&text::named(&followed.view, seat), name_columns);
    let turn = followed.turn() == Some(seat);
    let mut name_style = player_style(model.theme, followed, seat);
    if turn {
        name_style = name_style.add_modifier(Modifier::UNDERLINED);
    }
    let name = Span::styled(name, name_style);
    let you = if followed.seat == Some(seat) {
        " (you)"
    } else {
        ""
    };
    let mut player = vec![presence, name, Span::styled(you, style(StyleRole::Faint))];
    player.extend(clock(model, followed, seat));
    player
}

/// Returns the style of a player's name and moves.
pub fn player_style(theme: Theme, followed: &DisplayedMatch, seat: Seat) -> Style {
    let colour = names::seat_colour(&followed.view, seat, PLAYER_COLOURS);
    theme.style(StyleRole::Player(colour))
}

/// Returns the clock of a seat. Words repeat what its colour says.
fn clock(model: &ScreenModel, followed: &DisplayedMatch, seat: Seat) -> Option<Span<'static>> {
    let reading = ClockReading::of(followed, seat, model.app.server_now(model.now))?;
    let left = clock_text(reading.left_ms);
    let (text, look) = match reading {
        reading if reading.is_low() => (format!("  {left}, hurry!"), StyleRole::Bad),
        ClockReading { runs: true, .. } => (format!("  {left} running"), StyleRole::Good),
        ClockReading { runs: false, .. } => (format!("  {left}"), StyleRole::Plain),
    };
    Some(Span::styled(text, model.theme.style(look)))
}

/// Returns the state of the match in one line, with its style.
fn state_line(model: &ScreenModel, followed: &DisplayedMatch) -> (String, StyleRole) {
    let server = model.app.server_for_friends();
    let now = model.app.server_now(model.now);
    match &followed.view.phase {
        PhaseView::Open if followed.seat == Some(Seat::Creator) => {
            let join_command = text::join_command(followed.code, server);
            (
                format!("A friend joins with: {join_command}"),
                StyleRole::Open,
            )
        }
        PhaseView::Open => (
            "Waiting for an opponent to join.".to_owned(),
            StyleRole::Plain,
        ),
        PhaseView::Choosing { chooser, until } => {
            let left = now.map(|now| minutes(until.0.saturating_sub(now.0)));
            let left = left.map_or_else(String::new, |left| format!(", {left} left"));
            let solver = matches!(model.app.role(), UserRole::Player(Some(_)));
            match followed.seat == Some(*chooser) {
                true if solver => ("The solver chooses for you …".to_owned(), StyleRole::Good),
                true => (
                    format!("Move first or second? `first` (F2) or `second` (F3){left}."),
                    StyleRole::Good,
                ),
                false => {
                    let name = text::named(&followed.view, *chooser);
                    (
                        format!("{name} chooses who moves first{left}."),
                        StyleRole::Plain,
                    )
                }
            }
        }
        PhaseView::Playing { takeback, .. } => play_line(model, followed, *takeback),
        PhaseView::Over { winner, .. } => {
            let look = match followed.seat {
                Some(seat) if seat == *winner => StyleRole::Good,
                Some(_) => StyleRole::Bad,
                None => StyleRole::Strong,
            };
            (text::verdict(followed).unwrap_or_default(), look)
        }
        PhaseView::Closed { .. } => (text::verdict(followed).unwrap_or_default(), StyleRole::Bad),
    }
}

/// Returns the line of a match in play: the player to move, a takeback offer, an absence.
fn play_line(
    model: &ScreenModel,
    followed: &DisplayedMatch,
    takeback: Option<Seat>,
) -> (String, StyleRole) {
    let (mut text, mut look) = turn(model, followed);
    if let Some(by) = takeback {
        let turn = match followed.is_our_turn() {
            true => "Your move.".to_owned(),
            false => text,
        };
        text = format!("{turn} {}", takeback_text(followed, by));
        if followed.seat == Some(by.other()) {
            look = StyleRole::Warning;
        }
    }
    if let Some((seat, absence)) = absence_text(followed, model.app.server_now(model.now)) {
        let name = capitalised(&text::who(followed, seat));
        text = match followed.turn() == Some(seat) && takeback.is_none() {
            true => format!("{name} to move, {absence}"),
            false => format!("{text} {name} has been {absence}"),
        };
    }
    (text, look)
}

/// Returns the player to move, in words.
fn turn(model: &ScreenModel, followed: &DisplayedMatch) -> (String, StyleRole) {
    match (model.app.in_flight(), followed.turn()) {
        (Some(moved), _) if model.app.connection() != Some(ConnectionStatus::Up) => (
            format!("{} is not played yet …", moved.text),
            StyleRole::Warning,
        ),
        (Some(moved), _) => (
            format!("{} is on its way …", moved.text),
            StyleRole::Warning,
        ),
        (None, Some(turn)) if !followed.is_our_turn() => {
            let name = text::who(followed, turn);
            (format!("{} to move.", capitalised(&name)), StyleRole::Plain)
        }
        _ if matches!(model.app.role(), UserRole::Player(Some(_))) => {
            ("The solver plays for you …".to_owned(), StyleRole::Good)
        }
        _ => {
            let text = match followed.answered_move() {
                Some(last) => {
                    let name = capitalised(&text::named(&followed.view, last.seat));
                    format!("Your move. {name} played `{}`.", last.text)
                }
                None => "Your move.".to_owned(),
            };
            (text, StyleRole::Good)
        }
    }
}

/// Returns the pending takeback request, in words.
fn takeback_text(followed: &DisplayedMatch, by: Seat) -> String {
    let name = text::named(&followed.view, by);
    match followed.seat {
        Some(seat) if seat == by => "You asked for a takeback.".to_owned(),
        Some(_) => format!("{name} asks for a takeback: `yes` (F2) or `no` (F3)?"),
        None => format!("{name} asks for a takeback."),
    }
}

/// Returns the absent player's seat, the length of the absence, and the time until the match may
/// be claimed.
fn absence_text(followed: &DisplayedMatch, now: Option<Timestamp>) -> Option<(Seat, String)> {
    let (away, now) = (followed.away()?, now?);
    let gone = now.0.saturating_sub(away.since.0);
    let gone_for = format!("away for {}", minutes(gone));
    let text = match (followed.seat, followed.view.grace_ms.checked_sub(gone)) {
        (None, _) => format!("{gone_for}."),
        (Some(_), Some(left)) if left > 0 => {
            format!("{gone_for}, `claim` possible in {}.", minutes(left))
        }
        (Some(_), _) => format!("{gone_for}: `claim` wins the match."),
    };
    Some((away.seat, text))
}
