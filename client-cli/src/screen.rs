//! A match on a full screen.
//!
//! [`model`] is what the screen knows and how that changes, [`view`] draws it: a function of
//! the model alone. This file lends them a terminal.

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

/// Keys that may wait to be taken.
const KEYS: usize = 64;

/// How long the solver waits before a move, so that a person can follow.
const PAUSE: Duration = Duration::from_millis(700);

/// Plays or watches until the user leaves.
///
/// # Errors
/// When the terminal cannot be drawn on.
pub async fn run(plan: Plan) -> io::Result<Exit> {
    let (session, mut hands, enter) = plan.begin(PAUSE);
    let mut model = ScreenModel::new(session, Theme::of_environment(), Instant::now());
    let mut screen = TerminalGuard::open()?;
    let mut keys = keys();
    let mut interrupted = pin!(interrupted());
    let mut effects = model.session.begin(enter);
    let exit = loop {
        let shown = hands.carry_out(&mut model.session, effects);
        if let Some(exit) = model.absorb(shown) {
            break exit;
        }
        model.now = Instant::now();
        let redraws_at = model.session.redraws_at(model.now);
        screen.0.draw(|frame| view::draw(frame, &model))?;
        effects = tokio::select! {
            felt = hands.feel() => match felt {
                Felt::Report(Some(report)) => model.update(ScreenEvent::Report(report)),
                Felt::Thought(version, thought) => model.update(ScreenEvent::Thought(version, thought)),
                Felt::Report(None) => break Exit::No,
            },
            Some(event) = keys.recv() => match event {
                Event::Key(key) => model.update(ScreenEvent::Key(key)),
                Event::Paste(text) => model.update(ScreenEvent::Paste(text)),
                // Whatever else happens to a terminal, it is drawn anew.
                _ => Vec::new(),
            },
            // Clocks run.
            () = reached(redraws_at) => Vec::new(),
            () = &mut interrupted => break Exit::Interrupted,
        };
    };
    drop(screen);
    let mut out = io::stdout().lock();
    for line in model.last_words() {
        writeln!(out, "{line}")?;
    }
    drop(out);
    hands.close().await;
    Ok(exit)
}

/// The terminal while it is ours. It is given back in every case: here when the run ends or
/// fails, and by the hook that opening it sets when the program panics.
struct TerminalGuard(DefaultTerminal);

impl TerminalGuard {
    fn open() -> io::Result<Self> {
        let screen = ratatui::try_init().map(Self)?;
        // Else a pasted line would be played before it can be looked at.
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // A terminal that takes nothing any more needs nothing either.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        ratatui::restore();
    }
}

/// The keyboard, read by a thread that nobody has to wait for.
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
