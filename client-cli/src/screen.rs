//! A match on a full screen.
//!
//! [`model`] holds the state of the screen and its changes, [`view`] draws it as a function of the
//! model. This file runs both on a terminal.

mod analysis_panel;
mod editor;
mod header;
mod help;
mod keys;
mod layout;
mod log;
mod model;
mod picture;
mod stack;
pub mod text;
mod theme;
mod view;

use std::io::{self, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use fibfob_theory::{Exit, Failure, complain};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::SetTitle;

use crate::app::{DisplayEffect, Effect};
use crate::local_time::sleep_until;
use crate::run::{Driver, RunSetup};
use crate::signal::{self, wait_for_interrupt};
use keys::Keys;
use model::ScreenModel;
use theme::Theme;

/// The pause of the solver before a move, so that the user can follow.
const PAUSE: Duration = Duration::from_millis(700);

pub async fn run(setup: RunSetup) -> Result<Exit, Failure> {
    // Before anything else reads from the terminal.
    let theme = Theme::of_terminal(setup.theme.as_deref());
    let rings = setup.rings;
    let (mut app, mut driver, effects) = setup.start(PAUSE)?;
    app.is_by_hand = true;
    let mut model = ScreenModel::new(app, theme, Instant::now());
    let mut screen = TerminalGuard::open(rings)?;
    let mut keys = keys::read();
    let played = play(&mut model, &mut driver, &mut screen, &mut keys, effects);
    let exit = match played.await {
        Ok(exit) => exit,
        Err(error) => return Ok(screen.end_without_terminal(driver, &error).await),
    };
    // The keys are let go first: after the screen, nobody may set the terminal's modes.
    drop(keys);
    drop(screen);
    for line in model.closing_lines() {
        // A terminal that has vanished shows nothing.
        let _ = writeln!(io::stdout(), "{line}");
    }
    driver.close().await;
    Ok(exit)
}

/// Draws what has changed and waits for the next event, until the run ends. An error if the terminal has vanished.
async fn play(
    model: &mut ScreenModel,
    driver: &mut Driver,
    screen: &mut TerminalGuard,
    keys: &mut Keys,
    mut effects: Vec<Effect>,
) -> io::Result<Exit> {
    let mut resized = signal::resizes();
    let mut interrupted = pin!(wait_for_interrupt());
    let mut typed = Vec::new().into_iter();
    loop {
        let shown = driver.perform(&mut model.app, effects).await;
        if shown.contains(&DisplayEffect::Call) {
            screen.ring();
        }
        if shown.contains(&DisplayEffect::Suspend) {
            screen.suspend()?;
        }
        if let Some(exit) = model.apply(shown) {
            return Ok(exit);
        }
        // Keys that have come together are drawn together: a picture for each would hold up those after it.
        if let Some(event) = typed.next() {
            effects = model.update(event);
            continue;
        }
        model.now = Instant::now();
        let redraws_at = model.app.redraws_at(model.now);
        screen.show(model)?;
        effects = tokio::select! {
            event = driver.next_event() => match driver.react(&mut model.app, event) {
                Some(effects) => effects,
                None => return Ok(Exit::No),
            },
            events = keys.next() => match events {
                Some(events) => {
                    typed = events.into_iter();
                    Vec::new()
                }
                // The terminal has vanished, and nobody sees or types anything.
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            },
            () = resized.next() => Vec::new(),
            // A running clock changes.
            () = sleep_until(redraws_at) => Vec::new(),
            () = sleep_until(model.app.next_notice_at()) => model.app.notices_due(Instant::now()),
            () = &mut interrupted => return Ok(Exit::Interrupted),
        };
    }
}

/// The terminal in raw mode on its alternate screen. Dropping the guard restores it when the run
/// ends or fails; the hook that `try_init` sets restores it when the program panics.
struct TerminalGuard {
    terminal: DefaultTerminal,
    title: String,
    rings: bool,
}

/// Saves and restores the title of the window, in terminals that can.
const SAVE_TITLE: &str = "\x1b[22;2t";
const RESTORE_TITLE: &str = "\x1b[23;2t";

const BELL: &str = "\x07";

impl TerminalGuard {
    fn open(rings: bool) -> io::Result<Self> {
        let screen = Self {
            terminal: ratatui::try_init()?,
            title: String::new(),
            rings,
        };
        // Without it, a pasted line would be submitted before the user has seen it.
        execute!(io::stdout(), EnableBracketedPaste, Print(SAVE_TITLE))?;
        Ok(screen)
    }

    fn show(&mut self, model: &ScreenModel) -> io::Result<()> {
        let title = model.title();
        if self.title != title {
            execute!(io::stdout(), SetTitle(&title))?;
            self.title = title;
        }
        self.terminal.draw(|frame| view::draw(frame, model))?;
        Ok(())
    }

    /// Gives the terminal back to the shell, and takes it again when the shell wakes the program.
    fn suspend(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Print(RESTORE_TITLE), DisableBracketedPaste)?;
        ratatui::try_restore()?;
        signal::stop_here();
        self.terminal = ratatui::try_init()?;
        self.title.clear();
        execute!(io::stdout(), EnableBracketedPaste, Print(SAVE_TITLE))
    }

    /// Ends a run whose terminal can no longer be drawn on.
    async fn end_without_terminal(self, driver: Driver, error: &io::Error) -> Exit {
        // Nothing is left to restore, and an attempt would end in a panic.
        std::mem::forget(self);
        driver.close().await;
        // Somebody may still read the errors.
        complain(&format_args!("fibfob: the terminal has vanished ({error})"));
        Exit::Interrupted
    }

    fn ring(&self) {
        if self.rings {
            // A terminal without a bell is drawn on all the same.
            let _ = execute!(io::stdout(), Print(BELL));
        }
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // A terminal that cannot be written to needs no restoring.
        let _ = execute!(io::stdout(), Print(RESTORE_TITLE), DisableBracketedPaste);
        let _ = ratatui::try_restore();
    }
}
