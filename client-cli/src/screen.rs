//! A match on a full screen.
//!
//! [`model`] holds the state of the screen and its changes, [`view`] draws it as a function of the
//! model. This file runs both on a terminal.

mod editor;
mod header;
mod help;
mod keys;
mod layout;
mod log;
mod model;
mod picture;
mod square;
mod stack;
mod text;
mod theme;
mod view;

use std::io::{self, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::SetTitle;

use crate::exit::Exit;
use crate::run::{DisplayEffect, DriverEvent, RunSetup, sleep_until};
use crate::signal::{self, interrupted};
use model::{ScreenEvent, ScreenModel};
use theme::Theme;

/// The pause of the solver before a move, so that the user can follow.
const PAUSE: Duration = Duration::from_millis(700);

/// Plays or watches until the user leaves.
///
/// # Errors
/// The terminal cannot be drawn on.
pub async fn run(setup: RunSetup) -> io::Result<Exit> {
    // Before anything else reads from the terminal.
    let theme = Theme::of_terminal(None);
    let (app, mut driver, enter) = setup.start(PAUSE);
    let mut model = ScreenModel::new(app, theme, Instant::now());
    let rings = true;
    let mut screen = TerminalGuard::open()?;
    let mut keys = keys::read();
    let mut resized = signal::resizes();
    let mut interrupted = pin!(interrupted());
    let mut effects = model.app.start(enter);
    let exit = loop {
        let shown = driver.perform(&mut model.app, effects);
        if rings
            && shown
                .iter()
                .any(|shown| matches!(shown, DisplayEffect::Call(_)))
        {
            screen.ring()?;
        }
        if let Some(exit) = model.apply(shown) {
            break exit;
        }
        model.now = Instant::now();
        let redraws_at = model.app.redraws_at(model.now);
        screen.set_title(model.title())?;
        screen.terminal.draw(|frame| view::draw(frame, &model))?;
        effects = tokio::select! {
            event = driver.next_event() => match event {
                DriverEvent::Client(Some(event)) => model.update(ScreenEvent::Client(event)),
                DriverEvent::Solved(version, result) => {
                    model.update(ScreenEvent::Solved(version, result))
                },
                DriverEvent::Client(None) => break Exit::No,
            },
            event = keys.recv() => match event {
                Some(Event::Key(key)) => model.update(ScreenEvent::Key(key)),
                Some(Event::Paste(text)) => model.update(ScreenEvent::Paste(text)),
                // After any other event the screen is drawn again.
                Some(_) => Vec::new(),
                // The terminal has vanished, and nobody sees or types anything.
                None => break Exit::Interrupted,
            },
            () = resized.next() => Vec::new(),
            // A running clock changes.
            () = sleep_until(redraws_at) => Vec::new(),
            () = sleep_until(model.app.next_notice_at()) => model.app.notices_due(Instant::now()),
            () = &mut interrupted => break Exit::Interrupted,
        };
    };
    drop(screen);
    let mut out = io::stdout().lock();
    for line in model.closing_lines() {
        // A terminal that has vanished shows nothing.
        let _ = writeln!(out, "{line}");
    }
    drop(out);
    driver.close().await;
    Ok(exit)
}

/// The terminal in raw mode on its alternate screen. Dropping the guard restores it when the run
/// ends or fails; the hook that `try_init` sets restores it when the program panics.
struct TerminalGuard {
    terminal: DefaultTerminal,
    title: String,
}

/// Saves and restores the title of the window, in terminals that can.
const SAVE_TITLE: &str = "\x1b[22;2t";
const RESTORE_TITLE: &str = "\x1b[23;2t";

/// Rings the terminal's bell.
const BELL: &str = "\x07";

impl TerminalGuard {
    fn open() -> io::Result<Self> {
        let terminal = ratatui::try_init()?;
        let title = String::new();
        let screen = Self { terminal, title };
        // Without it, a pasted line would be submitted before the user has seen it.
        execute!(io::stdout(), EnableBracketedPaste, Print(SAVE_TITLE))?;
        Ok(screen)
    }

    fn set_title(&mut self, title: String) -> io::Result<()> {
        if self.title != title {
            execute!(io::stdout(), SetTitle(&title))?;
            self.title = title;
        }
        Ok(())
    }

    fn ring(&self) -> io::Result<()> {
        execute!(io::stdout(), Print(BELL))
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // A terminal that cannot be written to needs no restoring.
        let _ = execute!(io::stdout(), Print(RESTORE_TITLE), DisableBracketedPaste);
        ratatui::restore();
    }
}
