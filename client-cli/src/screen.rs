//! A match on a full screen.
//!
//! [`model`] holds the state of the screen and its changes, [`view`] draws it as a function of the
//! model. This file runs both on a terminal.

mod bars;
mod editor;
mod header;
mod help;
mod layout;
mod model;
mod scene;
mod stack;
mod text;
mod theme;
mod view;

use std::io::{self, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use tokio::sync::mpsc;

use crate::exit::Exit;
use crate::run::{DriverEvent, RunSetup, sleep_until};
use crate::signal::interrupted;
use model::{ScreenEvent, ScreenModel};
use theme::Theme;

/// The number of terminal events that may be queued.
const KEYS: usize = 64;

/// The pause of the solver before a move, so that the user can follow.
const PAUSE: Duration = Duration::from_millis(700);

/// Plays or watches until the user leaves.
///
/// # Errors
/// The terminal cannot be drawn on.
pub async fn run(setup: RunSetup) -> io::Result<Exit> {
    let (app, mut driver, enter) = setup.start(PAUSE);
    let mut model = ScreenModel::new(app, Theme::of_environment(), Instant::now());
    let mut screen = TerminalGuard::open()?;
    let mut keys = keys();
    let mut interrupted = pin!(interrupted());
    let mut effects = model.app.start(enter);
    let exit = loop {
        let shown = driver.perform(&mut model.app, effects);
        if let Some(exit) = model.apply(shown) {
            break exit;
        }
        model.now = Instant::now();
        let redraws_at = model.app.redraws_at(model.now);
        screen.0.draw(|frame| view::draw(frame, &model))?;
        effects = tokio::select! {
            event = driver.next_event() => match event {
                DriverEvent::Client(Some(event)) => model.update(ScreenEvent::Client(event)),
                DriverEvent::Solved(version, result) => {
                    model.update(ScreenEvent::Solved(version, result))
                },
                DriverEvent::Client(None) => break Exit::No,
            },
            Some(event) = keys.recv() => match event {
                Event::Key(key) => model.update(ScreenEvent::Key(key)),
                Event::Paste(text) => model.update(ScreenEvent::Paste(text)),
                // After any other event, such as a resize, the screen is drawn again.
                _ => Vec::new(),
            },
            // A running clock changes.
            () = sleep_until(redraws_at) => Vec::new(),
            () = &mut interrupted => break Exit::Interrupted,
        };
    };
    drop(screen);
    let mut out = io::stdout().lock();
    for line in model.closing_lines() {
        writeln!(out, "{line}")?;
    }
    drop(out);
    driver.close().await;
    Ok(exit)
}

/// The terminal in raw mode on its alternate screen. Dropping the guard restores it when the run
/// ends or fails; the hook that `try_init` sets restores it when the program panics.
struct TerminalGuard(DefaultTerminal);

impl TerminalGuard {
    fn open() -> io::Result<Self> {
        let screen = ratatui::try_init().map(Self)?;
        // Without it, a pasted line would be submitted before the user has seen it.
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // A terminal that cannot be written to needs no restoring.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        ratatui::restore();
    }
}

/// Starts a thread that reads the terminal's events; the end of the program does not wait for it.
fn keys() -> mpsc::Receiver<Event> {
    let (sender, keys) = mpsc::channel(KEYS);
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.blocking_send(event).is_err() {
                return;
            }
        }
    });
    keys
}
