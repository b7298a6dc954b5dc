//! The state of the screen and its changes. Pure: it returns the effects to be carried out.

use std::cell::Cell;
use std::time::Instant;

use fibfob_games::{GameId, Position, Square};
use fibfob_theory::Exit;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::editor::LineEditor;
use super::log::MessageLog;
use super::picture::{Picture, ship_in};
use super::stack;
use super::theme::Theme;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{OutputKind, OutputLine};
use crate::app::typed_command::{Completion, complete_line};
use crate::app::{AppState, DisplayEffect, Effect, text};
use crate::typed_move;

/// The rows by which PgUp and PgDn go back and forth in the help, and with Ctrl in the messages.
const PAGE_ROWS: usize = 5;

#[derive(Debug)]
pub struct ScreenModel {
    pub app: AppState,
    pub now: Instant,
    pub editor: LineEditor,
    /// The newest message that the rest of the screen does not show.
    pub message: Option<OutputLine>,
    pub log: MessageLog,
    /// The first row that is shown of a picture with more rows than there is room for.
    pub picture_from: Cell<usize>,
    /// The number of newest moves that the picture does not show, while the user looks back.
    pub moves_back: usize,
    /// The square that the arrow keys have chosen for the ship.
    pub chosen: Option<Square>,
    /// The first row of the help that is shown; none while it is closed.
    pub help: Option<usize>,
    /// True if the help came unasked. Then a key closes it, and also does what it always does.
    pub help_came: bool,
    /// The lines that the window shows in place of the help.
    pub sheet: Vec<String>,
    /// The last row from which the help can be shown, as it was last drawn.
    pub help_last: Cell<usize>,
    pub theme: Theme,
}

impl ScreenModel {
    pub fn new(app: AppState, theme: Theme, now: Instant) -> Self {
        Self {
            app,
            now,
            editor: LineEditor::default(),
            message: None,
            log: MessageLog::default(),
            picture_from: Cell::new(0),
            moves_back: 0,
            chosen: None,
            help: None,
            help_came: false,
            sheet: Vec::new(),
            help_last: Cell::new(0),
            theme,
        }
    }

    pub fn update(&mut self, typed: Event) -> Vec<Effect> {
        match typed {
            Event::Key(key) => return self.key(key),
            Event::Paste(text) => self.editor.insert(&text),
            // After any other event the screen is drawn again.
            _ => {}
        }
        Vec::new()
    }

    pub fn title(&self) -> String {
        let Some(followed) = self.app.followed() else {
            let analysis = self.app.analysis().map(|analysis| {
                let [title, ..] = analysis.head();
                format!("{title} · Fib Fob")
            });
            return analysis.unwrap_or_else(|| "Fib Fob".to_owned());
        };
        let awaited = self.app.wants_move() || self.app.question().is_some();
        let state = match text::verdict(followed) {
            Some(_) => "over · ",
            None if awaited => "● your move · ",
            None => "",
        };
        let title = followed.view.game.info().title;
        format!("{state}{title} {} · Fib Fob", followed.code)
    }

    /// Applies the driver's output; returns the exit code if the run ends.
    pub fn apply(&mut self, shown: Vec<DisplayEffect>) -> Option<Exit> {
        let mut end = None;
        for shown in shown {
            match shown {
                DisplayEffect::Print(line) => self.show(line),
                DisplayEffect::Help => self.open_help(false, Vec::new()),
                DisplayEffect::Rules => self.open_help(true, Vec::new()),
                DisplayEffect::Sheet(lines) => self.open_help(true, lines),
                // The driver of the screen rings; the final position stays until the user leaves.
                DisplayEffect::Call | DisplayEffect::Suspend | DisplayEffect::Settled(_) => {}
                DisplayEffect::Stop(exit) => end = end.or(Some(exit)),
            }
        }
        end
    }

    /// The lines that stay on the terminal after the screen is closed.
    pub fn closing_lines(&self) -> Vec<String> {
        let verdict = self.app.followed().and_then(|followed| {
            let verdict = text::verdict(followed)?;
            Some(format!("match {}: {verdict}", followed.code))
        });
        let problem = self.message.as_ref().filter(|line| {
            // In a match, a refusal was about a line that is of no interest any more.
            let is_refusal = line.tone == OutputKind::Refusal && self.app.followed().is_none();
            verdict.is_none() && (is_refusal || line.tone == OutputKind::Problem)
        });
        let problem = problem.map(|line| line.text.clone());
        let farewell = self.app.farewell().into_iter().map(|line| line.text);
        problem.into_iter().chain(verdict).chain(farewell).collect()
    }

    fn show(&mut self, line: OutputLine) {
        // What the user can do now is shown all the time.
        if line.tone != OutputKind::Prompt {
            self.log.push(line.clone());
        }
        if line.mover.is_some() {
            self.moves_back = 0;
        }
        match line.tone {
            // The rest of the screen shows these; an earlier refusal no longer matters.
            OutputKind::Visible => self.message = None,
            OutputKind::Prompt | OutputKind::Result => {}
            _ => self.message = Some(line),
        }
    }

    /// The commands that would only be refused in this match.
    pub fn useless_commands(&self) -> &'static [&'static str] {
        match self.app.never_gives_back() {
            true => &["takeback", "yes, no", "yes", "no", "claim"],
            false => &[],
        }
    }

    fn complete(&mut self) {
        let position = match self.app.analysis() {
            Some(analysis) => Some(analysis.line.current().clone()),
            None => self.asked_position(),
        };
        let moves = position
            .as_ref()
            .map(Position::legal_moves)
            .unwrap_or_default();
        let found = complete_line(self.editor.text(), &moves, self.useless_commands());
        // What is short for a move is completed to the whole of it.
        let found = found.or_else(|| {
            let line = typed_move::read(position.as_ref()?, self.editor.text(), &[]).ok()?;
            let choices = Vec::new();
            Some(Completion { line, choices })
        });
        let Some(Completion { line, choices }) = found else {
            return;
        };
        self.editor.replace(&line);
        if !choices.is_empty() {
            let choices = OutputLine::new(OutputKind::Note, choices.join("   "));
            self.log.push(choices.clone());
            self.message = Some(choices);
        }
    }

    fn open_help(&mut self, came: bool, sheet: Vec<String>) {
        (self.help, self.help_came, self.sheet) = (Some(0), came, sheet);
    }

    /// Handles a key while the help is shown; most of them close it.
    fn key_in_help(&mut self, key: KeyCode, from: usize) {
        let last = self.help_last.get();
        self.help = match key {
            KeyCode::Up => Some(from.saturating_sub(1)),
            KeyCode::Down => Some((from + 1).min(last)),
            KeyCode::PageUp => Some(from.saturating_sub(PAGE_ROWS)),
            KeyCode::PageDown => Some((from + PAGE_ROWS).min(last)),
            _ => None,
        };
    }

    /// Gives the first or the second answer to a pending question.
    fn answer(&mut self, which: usize) -> Vec<Effect> {
        let Some(asked) = self.app.question() else {
            return Vec::new();
        };
        self.message = None;
        self.app.on_input(asked.answers()[which])
    }

    fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        // Some terminals report the release of a key, too.
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if let Some(left) = self.left_by(key.code).filter(|_| control) {
            return vec![left.into()];
        }
        if let Some(from) = self.help {
            self.key_in_help(key.code, from);
            let closes = matches!(key.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Char(' '));
            if self.help.is_some() || closes || !self.help_came {
                return Vec::new();
            }
        }
        if self.editor.is_empty() && key.code == KeyCode::Char('?') {
            self.open_help(false, Vec::new());
            return Vec::new();
        }
        if let Some(walked) = self.walk_command(key) {
            return self.app.on_input(walked);
        }
        if let Some(steered) = self.steer(key) {
            self.choose(steered);
            return Vec::new();
        }
        self.chosen = None;
        let (scrolled, from) = (&mut self.log.scrolled, self.picture_from.get_mut());
        match key.code {
            KeyCode::Tab => self.complete(),
            KeyCode::Up if control => *from = from.saturating_sub(1),
            KeyCode::Down if control => *from = from.saturating_add(1),
            KeyCode::PageUp if control => *scrolled = scrolled.saturating_add(PAGE_ROWS),
            KeyCode::PageDown if control => *scrolled = scrolled.saturating_sub(PAGE_ROWS),
            KeyCode::PageUp => self.look_back(self.moves_back + 1),
            KeyCode::PageDown => self.look_back(self.moves_back.saturating_sub(1)),
            KeyCode::Esc if self.moves_back > 0 => self.look_back(0),
            KeyCode::F(number @ 2..=3) => return self.answer(usize::from(number - 2)),
            _ => {
                let line = self.editor.key(key);
                return line.map_or_else(Vec::new, |line| self.finish(&line));
            }
        }
        Vec::new()
    }

    /// Returns the way in which a key, with Ctrl, leaves the screen.
    fn left_by(&self, key: KeyCode) -> Option<DisplayEffect> {
        let exit = match key {
            KeyCode::Char('c') if !self.app.is_over() => Exit::Interrupted,
            KeyCode::Char('c') => self.app.exit(),
            KeyCode::Char('d') if self.editor.is_empty() => self.app.exit(),
            KeyCode::Char('z') => return Some(DisplayEffect::Suspend),
            _ => return None,
        };
        Some(DisplayEffect::Stop(exit))
    }

    /// Returns the command of an arrow key that walks through an analysis; none while the keys edit the line or
    /// steer the ship.
    fn walk_command(&self, key: KeyEvent) -> Option<&'static str> {
        let analysis = self.app.analysis().filter(|_| self.editor.is_empty())?;
        let steers = analysis.takes_moves();
        match key.code {
            KeyCode::PageUp => Some("back"),
            KeyCode::PageDown => Some("forward"),
            KeyCode::Left if !steers && key.modifiers.is_empty() => Some("back"),
            KeyCode::Right if !steers && key.modifiers.is_empty() => Some("forward"),
            _ => None,
        }
    }

    /// The game of what is analysed, or of the match.
    pub fn game(&self) -> Option<GameId> {
        match self.app.analysis() {
            Some(analysis) => Some(analysis.game()),
            None => Some(self.app.followed()?.view.game),
        }
    }

    /// The picture of what is analysed, or of the match.
    pub fn picture(&self) -> Picture {
        if let Some(analysis) = self.app.analysis() {
            let shape = |position: &Position| position.shape();
            return Picture {
                now: shape(analysis.position()),
                before: analysis.before().map(shape).unwrap_or_default(),
                start: shape(analysis.start()),
                unread: None,
            };
        }
        let Some(followed) = self.app.followed() else {
            return Picture::default();
        };
        let (position, before) = self.position(followed);
        let view = &followed.view;
        Picture::of(view.game, position, before, &view.start)
    }

    /// Returns the position to be shown, and the one before it, if known.
    pub fn position<'a>(&self, followed: &'a DisplayedMatch) -> (&'a str, Option<&'a str>) {
        let earlier = |moves| followed.position_before(moves);
        match earlier(self.moves_back) {
            Some(shown) => (shown, earlier(self.moves_back + 1)),
            None => (&followed.view.position, earlier(1)),
        }
    }

    /// Looks at the position before so many of the newest moves, if there were so many.
    fn look_back(&mut self, moves: usize) {
        let followed = self.app.followed();
        if followed.is_some_and(|followed| followed.position_before(moves).is_some()) {
            self.moves_back = moves;
        }
    }

    /// The position in which the user is to find a move.
    fn asked_position(&self) -> Option<Position> {
        match (self.app.analysis(), self.app.followed()) {
            (Some(analysis), _) => analysis
                .takes_moves()
                .then(|| analysis.line.current().clone()),
            (None, followed) => followed.filter(|_| self.app.wants_move())?.position(),
        }
    }

    /// Returns the square that an arrow key chooses for the ship; none while the keys edit the line.
    fn steer(&self, key: KeyEvent) -> Option<Square> {
        let is_free = self.moves_back == 0 && (self.editor.is_empty() || self.chosen.is_some());
        let ship = ship_in(&self.asked_position().filter(|_| is_free)?.shape())?;
        let with_shift = key.modifiers == KeyModifiers::SHIFT;
        let is_arrow = matches!(
            key.code,
            KeyCode::Left | KeyCode::Right | KeyCode::Up | KeyCode::Down
        ) && (with_shift || key.modifiers.is_empty());
        let from = self.chosen.unwrap_or(ship);
        let to = stack::steer(ship, from, key.code, with_shift).or(self.chosen);
        to.filter(|_| is_arrow)
    }

    /// Writes the flight to a square into the line; none to the ship's own.
    fn choose(&mut self, square: Square) {
        let ship = self
            .asked_position()
            .and_then(|position| ship_in(&position.shape()));
        self.chosen = Some(square).filter(|_| ship != Some(square));
        let line = self.chosen.map(|square| format!("ship {square}"));
        self.editor.replace(&line.unwrap_or_default());
    }

    /// Handles a whole line. The history keeps it, so that a refused one can be edited again.
    fn finish(&mut self, line: &str) -> Vec<Effect> {
        self.message = None;
        self.moves_back = 0;
        self.app.on_input(line)
    }
}
