//! What the screen knows, and how that changes. Pure: it returns what is to be done.

use std::collections::VecDeque;
use std::time::Instant;

use fibfob_protocol::Version;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::editor::LineEditor;
use super::theme::Theme;
use crate::exit::Exit;
use crate::run::Shown;
use crate::session::completion::completed;
use crate::session::words::{Line, Tone};
use crate::session::{Effect, Session, Thought, words};
use crate::wire::Report;

/// How much of the talk is remembered.
const TALK_KEPT: usize = 32;

/// All that is drawn.
#[derive(Debug)]
pub struct ScreenModel {
    /// The match and the line to the server.
    pub session: Session,
    /// When it is, for the clocks.
    pub now: Instant,
    /// What is being typed.
    pub editor: LineEditor,
    /// The newest thing said that the rest of the screen does not show.
    pub message: Option<Line>,
    /// What was said beside the match, oldest first.
    pub talk: VecDeque<String>,
    /// Whether the help is shown.
    pub help: bool,
    /// The colours.
    pub theme: Theme,
}

/// What happens to the screen.
#[derive(Debug)]
pub enum ScreenEvent {
    /// A key.
    Key(KeyEvent),
    /// A text from the clipboard.
    Paste(String),
    /// The line's keeper says something.
    Report(Report),
    /// The solver has found out what it was asked at this version.
    Thought(Version, Thought),
}

impl ScreenModel {
    /// A screen before anything has happened.
    pub fn new(session: Session, theme: Theme, now: Instant) -> Self {
        Self {
            session,
            now,
            editor: LineEditor::default(),
            message: None,
            talk: VecDeque::new(),
            help: false,
            theme,
        }
    }

    /// Takes what happens, and gives what is to be done.
    pub fn update(&mut self, input: ScreenEvent) -> Vec<Effect> {
        match input {
            ScreenEvent::Key(key) => self.key(key),
            ScreenEvent::Paste(text) => {
                self.editor.insert(&text);
                Vec::new()
            }
            ScreenEvent::Report(report) => self.session.reported(report),
            ScreenEvent::Thought(version, thought) => self.session.thought(version, thought),
        }
    }

    /// Shows what is to be shown; gives how the run ends, if it does.
    pub fn absorb(&mut self, shown: Vec<Shown>) -> Option<Exit> {
        let mut end = None;
        for shown in shown {
            match shown {
                Shown::Say(line) => self.say(line),
                Shown::Help => self.help = true,
                // The end of a match is looked at until the user leaves.
                Shown::Settled(_) => {}
                Shown::Stop(exit) => end = end.or(Some(exit)),
            }
        }
        end
    }

    /// What is left on the terminal after the screen has gone.
    pub fn last_words(&self) -> Vec<String> {
        let verdict = self.session.table().and_then(|table| {
            let verdict = words::verdict(table)?;
            Some(format!("match {}: {verdict}", table.code))
        });
        let problem = self
            .message
            .as_ref()
            .filter(|line| verdict.is_none() && matches!(line.tone, Tone::Refusal | Tone::Trouble));
        let comeback = self.session.comeback();
        let comeback = comeback.map(|line| format!("your seat is kept; come back with: {line}"));
        let problem = problem.map(|line| line.text.clone());
        problem.into_iter().chain(verdict).chain(comeback).collect()
    }

    fn say(&mut self, line: Line) {
        match line.tone {
            // The rest of the screen shows these. What was refused before is past.
            Tone::Visible => self.message = None,
            Tone::Prompt | Tone::Result => {}
            Tone::Chat => {
                if self.talk.len() == TALK_KEPT {
                    self.talk.pop_front();
                }
                self.talk.push_back(line.text.clone());
                self.message = Some(line);
            }
            Tone::Event | Tone::Note | Tone::Refusal | Tone::Trouble => self.message = Some(line),
        }
    }

    /// Goes on with the word that is begun.
    fn complete(&mut self) {
        if let Some(found) = completed(&self.editor.text()) {
            self.editor.replace(&found.line);
            let choices = found.choices.join("   ");
            let choices = (!choices.is_empty()).then(|| Line::new(Tone::Note, choices));
            self.message = choices.or(self.message.take());
        }
    }

    /// Gives the first or the second answer, if anything is asked.
    fn answer(&mut self, which: usize) -> Vec<Effect> {
        let asked = self.session.question();
        let answer = asked.and_then(|asked| asked.answers().get(which).copied());
        match answer {
            Some(answer) => {
                self.message = None;
                self.session.typed(answer)
            }
            None => Vec::new(),
        }
    }

    fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        // Some terminals tell when a key is let go, too.
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return vec![Effect::Stop(Exit::Interrupted)];
        }
        if control && key.code == KeyCode::Char('d') && self.editor.is_empty() {
            return vec![Effect::Stop(self.session.exit())];
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
                self.session.typed(&line)
            }
            None => Vec::new(),
        }
    }
}
