//! The state of the screen and its changes. Pure: it returns the effects to be carried out.

use std::collections::VecDeque;
use std::time::Instant;

use fibfob_protocol::Version;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::editor::LineEditor;
use super::theme::Theme;
use crate::app::completion::completed;
use crate::app::text::{OutputKind, OutputLine};
use crate::app::{AppState, Effect, SolverResult, text};
use crate::exit::Exit;
use crate::run::DisplayEffect;
use fibfob_client::ClientEvent;

/// The number of chat lines that are kept.
const CHAT_LINES_KEPT: usize = 32;

/// The state of the screen.
#[derive(Debug)]
pub struct ScreenModel {
    /// The match and the connection to the server.
    pub app: AppState,
    /// The current time, for the clocks.
    pub now: Instant,
    /// The input line.
    pub editor: LineEditor,
    /// The newest message that the rest of the screen does not show.
    pub message: Option<OutputLine>,
    /// The chat, oldest first.
    pub chat: VecDeque<String>,
    /// True while the help is shown.
    pub help: bool,
    /// The colours.
    pub theme: Theme,
}

/// An event that changes the screen.
#[derive(Debug)]
pub enum ScreenEvent {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted.
    Paste(String),
    /// The connection reports something.
    Client(ClientEvent),
    /// The solver has answered a query about this version.
    Solved(Version, SolverResult),
}

impl ScreenModel {
    /// The screen before the first event.
    pub fn new(app: AppState, theme: Theme, now: Instant) -> Self {
        Self {
            app,
            now,
            editor: LineEditor::default(),
            message: None,
            chat: VecDeque::new(),
            help: false,
            theme,
        }
    }

    /// Handles an event; returns the effects to be carried out.
    pub fn update(&mut self, input: ScreenEvent) -> Vec<Effect> {
        match input {
            ScreenEvent::Key(key) => self.key(key),
            ScreenEvent::Paste(text) => {
                self.editor.insert(&text);
                Vec::new()
            }
            ScreenEvent::Client(event) => self.app.on_event(event),
            ScreenEvent::Solved(version, result) => self.app.on_solver_result(version, result),
        }
    }

    /// Applies the driver's output; returns the exit code if the run ends.
    pub fn apply(&mut self, shown: Vec<DisplayEffect>) -> Option<Exit> {
        let mut end = None;
        for shown in shown {
            match shown {
                DisplayEffect::Print(line) => self.show(line),
                DisplayEffect::Help => self.help = true,
                // The final position stays on the screen until the user leaves.
                DisplayEffect::Settled(_) => {}
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
            verdict.is_none() && matches!(line.tone, OutputKind::Refusal | OutputKind::Problem)
        });
        let comeback = self.app.resume_command();
        let comeback = comeback.map(|line| format!("your seat is kept; come back with: {line}"));
        let problem = problem.map(|line| line.text.clone());
        problem.into_iter().chain(verdict).chain(comeback).collect()
    }

    fn show(&mut self, line: OutputLine) {
        match line.tone {
            // The rest of the screen shows these; an earlier refusal no longer matters.
            OutputKind::Visible => self.message = None,
            OutputKind::Prompt | OutputKind::Result => {}
            OutputKind::Chat => {
                if self.chat.len() == CHAT_LINES_KEPT {
                    self.chat.pop_front();
                }
                self.chat.push_back(line.text.clone());
                self.message = Some(line);
            }
            OutputKind::Event | OutputKind::Note | OutputKind::Refusal | OutputKind::Problem => {
                self.message = Some(line)
            }
        }
    }

    /// Completes the word before the cursor.
    fn complete(&mut self) {
        if let Some(found) = completed(self.editor.text()) {
            self.editor.replace(&found.line);
            let choices = found.choices.join("   ");
            let choices = (!choices.is_empty()).then(|| OutputLine::new(OutputKind::Note, choices));
            self.message = choices.or(self.message.take());
        }
    }

    /// Gives the first or the second answer to a pending question.
    fn answer(&mut self, which: usize) -> Vec<Effect> {
        let asked = self.app.question();
        let answer = asked.and_then(|asked| asked.answers().get(which).copied());
        match answer {
            Some(answer) => {
                self.message = None;
                self.app.on_input(answer)
            }
            None => Vec::new(),
        }
    }

    fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        // Some terminals report the release of a key, too.
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return vec![Effect::Stop(Exit::Interrupted)];
        }
        if control && key.code == KeyCode::Char('d') && self.editor.is_empty() {
            return vec![Effect::Stop(self.app.exit())];
        }
        if self.help {
            self.help = false;
            return Vec::new();
        }
        if self.editor.is_empty() && key.code == KeyCode::Char('?') {
            self.help = true;
            return Vec::new();
        }
        match key.code {
            KeyCode::Tab => {
                self.complete();
                return Vec::new();
            }
            KeyCode::F(number @ 2..=3) => return self.answer(usize::from(number - 2)),
            _ => {}
        }
        match self.editor.key(key) {
            Some(line) => {
                self.message = None;
                self.app.on_input(&line)
            }
            None => Vec::new(),
        }
    }
}
