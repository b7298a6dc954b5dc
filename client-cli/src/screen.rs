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
use crate::run::{Felt, Plan, reached};
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
pub async fn run(plan: Plan) -> io::Result<Exit> {
    let (session, mut hands, enter) = plan.begin(PAUSE);
    let mut model = ScreenModel::new(session, Theme::of_environment(), Instant::now());
    let mut screen = TerminalGuard::open()?;
    let mut keys = keys();
    let mut interrupted = pin!(interrupted());
    let mut effects = model.session.begin(enter);
    let exit = loop {
        let shown = hands.carry_out(&mut model.session, effects);
        if let Some(exit) = model.apply(shown) {
            break exit;
        }
        model.now = Instant::now();
        let redraws_at = model.session.redraws_at(model.now);
        screen.0.draw(|frame| view::draw(frame, &model))?;
        effects = tokio::select! {
            felt = hands.feel() => match felt {
                Felt::Client(Some(event)) => model.update(ScreenEvent::Client(event)),
                Felt::Thought(version, thought) => model.update(ScreenEvent::Solved(version, thought)),
                Felt::Client(None) => break Exit::No,
            },
            Some(event) = keys.recv() => match event {
                Event::Key(key) => model.update(ScreenEvent::Key(key)),
                Event::Paste(text) => model.update(ScreenEvent::Paste(text)),
                // After any other event, such as a resize, the screen is drawn again.
                _ => Vec::new(),
            },
            // A running clock changes.
            () = reached(redraws_at) => Vec::new(),
            () = &mut interrupted => break Exit::Interrupted,
        };
    };
    drop(screen);
    let mut out = io::stdout().lock();
    for line in model.closing_lines() {
        writeln!(out, "{line}")?;
    }
    drop(out);
    hands.close().await;
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
