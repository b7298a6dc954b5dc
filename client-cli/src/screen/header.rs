//! The top of the screen: the match, its players with their clocks, and its state.

use fibfob_protocol::{FirstMove, FirstMover, PhaseView, RematchView, Seat, Timestamp};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::model::ScreenModel;
use super::text::{fit, put, put_right, shorten, width};
use super::theme::StyleRole;
use crate::app::ConnectionStatus;
use crate::app::UserRole;
use crate::app::clock::{ClockReading, ClockState, clock_text, minutes};
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{self, capitalise};
use crate::moves;
use crate::time_control;

/// The columns of a name where there is room, and where there is none.
const NAME_COLUMNS: [usize; 2] = [48, 4];

pub fn draw(frame: &mut Frame, model: &ScreenModel, followed: &DisplayedMatch, area: Rect) {
    let theme = model.theme;
    let view = &followed.view;
    let control = time_control::after("  ", view.time);
    let title = format!("{}  {}", view.game.info().title, followed.code);
    let agreed = match view.learning {
        true => "  for learning: both may ask `hint` and `why`",
        false => "",
    };
    let title = [
        theme.span(title, StyleRole::Strong),
        theme.span(control, StyleRole::Faint),
        theme.span(agreed, StyleRole::Warning),
    ];
    let title = Line::from_iter(title);
    let room = usize::from(area.width).saturating_sub(title.width());
    put(frame, area, 0, title);
    let watching = match followed.spectators() {
        0 => String::new(),
        spectators => format!("  {spectators} watching"),
    };
    let watching = theme.line(watching, StyleRole::Faint);
    if watching.width() <= room {
        put_right(frame, area, 0, watching);
    }

    let line = match model.app.connection {
        Some(ConnectionStatus::Down) => theme.line("  reconnecting …", StyleRole::Warning),
        _ => Line::default(),
    };
    let (text, look) = match model.app.analysis() {
        Some(analysis) => {
            let [asked, ..] = analysis.head();
            (asked, StyleRole::Strong)
        }
        None => state(model, followed).0,
    };
    // A sentence about the whole match may take the row of the players, whom the bar names, too.
    let is_long = model.app.analysis().is_some() && width(&text) > area.width.into();
    let from = if is_long { 1 } else { 2 };
    if !is_long {
        let room = usize::from(area.width).saturating_sub(line.width());
        put(frame, area, 1, players(model, followed, room));
        put_right(frame, area, 1, line);
    }
    let rows = fit(&text, theme.style(look), (area.width, 3 - from));
    for (row, line) in (from..).zip(rows) {
        put(frame, area, row, line);
    }
}

/// Draws both players. In a short row, names are shortened and clocks are not.
fn players(model: &ScreenModel, followed: &DisplayedMatch, columns: usize) -> Line<'static> {
    let first = match followed.view.first.by() {
        FirstMover::Agreed(seat) => seat,
        FirstMover::ChosenBy(_) => Seat::Creator,
    };
    let against = model.theme.span("  against  ", StyleRole::Faint);
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
    let theme = model.theme;
    let presence = match followed.is_connected(seat) {
        Some(true) => theme.span("● ", StyleRole::Good),
        Some(false) => theme.span("○ ", StyleRole::Faint),
        None => Span::raw("  "),
    };
    if followed.view.players.get(seat).is_none() {
        return vec![theme.span("no opponent yet", StyleRole::Faint)];
    }
    let name = shorten(&text::name_of(&followed.view, seat), name_columns);
    let mark = match followed.turn() == Some(seat) {
        true => Modifier::UNDERLINED,
        false => Modifier::empty(),
    };
    let style = theme.style(StyleRole::Player(seat)).add_modifier(mark);
    let name = Span::styled(name, style);
    let you = match followed.seat == Some(seat) {
        true => " (you)",
        false => "",
    };
    let mut player = vec![presence, name, theme.span(you, StyleRole::Faint)];
    player.extend(clock(model, followed, seat));
    player
}

/// Returns the clock of a seat. Words repeat what its colour says.
fn clock(model: &ScreenModel, followed: &DisplayedMatch, seat: Seat) -> Option<Span<'static>> {
    let reading = ClockReading::of(followed, seat, model.app.server_now(model.now))?;
    let left = clock_text(reading.left_ms);
    let (text, look) = match reading {
        reading if reading.is_low() => (format!("  {left}, hurry!"), StyleRole::Bad),
        ClockReading { state, .. } => match state {
            ClockState::Runs => (format!("  {left} running"), StyleRole::Good),
            ClockState::FirstMove => (format!("  {left} for the first move"), StyleRole::Plain),
            ClockState::Stands => (format!("  {left}"), StyleRole::Plain),
        },
    };
    Some(model.theme.span(text, look))
}

type StyledText = (String, StyleRole);

/// Returns the match's state in one line, and the commands that are possible while no move is.
pub fn state(model: &ScreenModel, followed: &DisplayedMatch) -> (StyledText, Option<StyledText>) {
    if model.moves_back > 0 {
        return (looking_back(model, followed), None);
    }
    let now = model.app.server_now(model.now);
    let left = |until: Timestamp| {
        let left = now.map(|now| minutes(until.0.saturating_sub(now.0)));
        left.map_or_else(String::new, |left| format!(", {left} left"))
    };
    let named = |seat| text::name_of(&followed.view, seat);
    let verdict = || text::verdict(followed).unwrap_or_default();
    match &followed.view.phase {
        PhaseView::Open => {
            let command = text::join_command(followed.code, model.app.server_for_friends());
            let line = match followed.seat {
                Some(Seat::Creator) => (format!("A friend joins with: {command}"), StyleRole::Open),
                _ => (
                    "Waiting for an opponent to join.".to_owned(),
                    StyleRole::Plain,
                ),
            };
            let hint = "The player who joins sees this start and chooses who moves first.";
            let is_chosen = followed.view.first == FirstMove::JoinerChooses;
            (line, is_chosen.then(|| (hint.to_owned(), StyleRole::Plain)))
        }
        PhaseView::Choosing { chooser, until } if followed.seat == Some(*chooser) => {
            let line = match model.app.role {
                UserRole::Player(Some(_)) => "The solver chooses for you …".to_owned(),
                _ => {
                    let left = left(*until);
                    format!("Move first or second? `first` (F2) or `second` (F3){left}.")
                }
            };
            let hint = format!(
                "This is the start. `first` makes the first move, `second` leaves it to {}; \
                 without a choice in time you move second.",
                named(chooser.other())
            );
            ((line, StyleRole::Good), Some((hint, StyleRole::Open)))
        }
        PhaseView::Choosing { chooser, until } => {
            let name = named(*chooser);
            let line = format!("{name} chooses who moves first{}.", left(*until));
            let hint = format!("This is the start. {name} chooses who moves first.");
            ((line, StyleRole::Plain), Some((hint, StyleRole::Plain)))
        }
        PhaseView::Playing { takeback, .. } => (play_line(model, followed, *takeback), None),
        PhaseView::Over { winner, .. } => {
            let look = match followed.seat {
                Some(seat) if seat == *winner => StyleRole::Good,
                Some(_) => StyleRole::Bad,
                None => StyleRole::Strong,
            };
            ((verdict(), look), Some(way_on(followed)))
        }
        PhaseView::Closed { .. } => ((verdict(), StyleRole::Bad), Some(way_on(followed))),
    }
}

/// Returns after how many moves the shown position was reached, while looking back.
fn looking_back(model: &ScreenModel, followed: &DisplayedMatch) -> StyledText {
    let plies = followed.view.plies;
    let back = u64::try_from(model.moves_back).unwrap_or(plies);
    let (shown, all) = (plies.saturating_sub(back), text::count_of(plies, "move"));
    let text = format!("After {shown} of {all}: PgUp PgDn walk through them, Esc returns.");
    (text, StyleRole::Warning)
}

fn way_on(followed: &DisplayedMatch) -> StyledText {
    let rematch = match (&followed.view.phase, followed.seat) {
        (
            PhaseView::Over {
                rematch: Some(RematchView::Agreed { next }),
                ..
            },
            _,
        ) => format!("`rematch` goes to the rematch, {}; ", next.code),
        (PhaseView::Over { .. }, Some(_)) => {
            "`rematch` offers a rematch with sides swapped; ".to_owned()
        }
        _ => String::new(),
    };
    (format!("{rematch}`quit` leaves."), StyleRole::Faint)
}

/// Returns the line of a match in play: whose move it is, a takeback offer, an absence.
fn play_line(model: &ScreenModel, followed: &DisplayedMatch, takeback: Option<Seat>) -> StyledText {
    let (mut text, mut look) = turn(model, followed);
    if let Some(by) = takeback {
        let turn = match followed.is_our_turn() {
            true => "Your move.".to_owned(),
            false => text,
        };
        let name = text::name_of(&followed.view, by);
        let asked = match followed.seat {
            Some(seat) if seat == by => "You asked for a takeback.".to_owned(),
            Some(_) => {
                look = StyleRole::Warning;
                format!("{name} asks for a takeback: `yes` (F2) or `no` (F3)?")
            }
            None => format!("{name} asks for a takeback."),
        };
        text = format!("{turn} {asked}");
    }
    if let Some((seat, absence)) = absence_text(followed, model.app.server_now(model.now)) {
        let name = capitalise(&text::who(followed, seat));
        text = match followed.turn() == Some(seat) && takeback.is_none() {
            true => format!("{name} to move, {absence}"),
            false => format!("{text} {name} has been {absence}"),
        };
    }
    (text, look)
}

fn turn(model: &ScreenModel, followed: &DisplayedMatch) -> StyledText {
    match (model.app.in_flight(), followed.turn()) {
        (Some(moved), _) => {
            let state = match model.app.connection {
                Some(ConnectionStatus::Up) => "on its way",
                _ => "not played yet",
            };
            (format!("{} is {state} …", moved.text), StyleRole::Warning)
        }
        (None, Some(turn)) if !followed.is_our_turn() => {
            let name = text::who(followed, turn);
            (format!("{} to move.", capitalise(&name)), StyleRole::Plain)
        }
        _ if matches!(model.app.role, UserRole::Player(Some(_))) => {
            ("The solver plays for you …".to_owned(), StyleRole::Good)
        }
        _ => {
            let last = followed.view.last.as_ref();
            let answered = last.filter(|last| followed.seat == Some(last.seat.other()));
            let text = match answered {
                Some(last) => {
                    let name = capitalise(&text::name_of(&followed.view, last.seat));
                    let did = moves::describe_done(&last.text, followed.position_before(1));
                    format!("Your move. {name} {did} ({}).", last.text)
                }
                None => "Your move.".to_owned(),
            };
            (text, StyleRole::Good)
        }
    }
}

/// Returns the absent player's seat, the length of the absence, and the time until the match may be claimed.
fn absence_text(followed: &DisplayedMatch, now: Option<Timestamp>) -> Option<(Seat, String)> {
    let (away, now) = (followed.away()?, now?);
    let gone = now.0.saturating_sub(away.since.0);
    let gone_for = format!("away for {}", minutes(gone));
    let text = match (followed.seat, followed.view.grace_ms.checked_sub(gone)) {
        (None, _) => format!("{gone_for}."),
        (Some(_), Some(left)) if left > 0 => {
            format!("{gone_for}, `claim` possible in {}.", minutes(left))
        }
        (Some(_), _) => format!("{gone_for}: `claim` {}.", followed.claim_effect()),
    };
    Some((away.seat, text))
}
