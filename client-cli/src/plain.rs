//! A match as plain lines, or as the protocol's own messages: for pipes, logs, screen readers and programs.
//!
//! Each event is a line, written at once. Standard input is read line by line. In a pipe, a line that is an answer,
//! such as a move, waits for its turn or question, so that a script's lines meet the positions they were written for.

use std::io::{self, BufRead, IsTerminal, Read};
use std::pin::pin;
use std::time::{Duration, Instant};

use fibfob_theory::{Exit, Failure, complain, in_window, print, sheet};
use tokio::sync::mpsc;

use crate::app::text::{OutputKind, OutputLine};
use crate::app::typed_command::COMMANDS;
use crate::app::{AppState, DisplayEffect, UserRole};
use crate::json_lines::{OwnLine, print_event};
use crate::local_time::sleep_until;
use crate::run::{DriverEvent, RunSetup};
use crate::signal::wait_for_interrupt;

/// The longest line that is read, in bytes. A longer one is read in pieces, and no piece is a move.
const LINE_BYTES_MAX: u64 = 8 * 1024;

/// The time to wait for outstanding answers after the match has ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// Plays or watches to the end; an error if standard output cannot be written to, for example because its
/// pipe is closed.
pub async fn run(setup: RunSetup) -> Result<Exit, Failure> {
    let is_read = io::stdin().is_terminal() && io::stdout().is_terminal();
    let stays = is_read && !setup.common.json;
    let reads = setup.role == UserRole::Player(None) || stays;
    let json = setup.common.json;
    let rings = setup.rings && !json && io::stdout().is_terminal();
    let out = PlainOutput { json, rings, stays };
    let (mut app, mut driver, mut effects) = setup.start(Duration::ZERO)?;
    app.is_by_hand = stays;
    let mut lines = None;
    // A line waits for its turn or question.
    let mut held: Option<String> = None;
    let mut has_ended = false;
    let mut is_typed = false;
    let mut interrupted = pin!(wait_for_interrupt());
    let mut ended: Option<Instant> = None;
    let exit = loop {
        let shown = driver.perform(&mut app, effects).await;
        if let Some(exit) = out.show(&app, shown, std::mem::take(&mut is_typed))? {
            break exit;
        }
        // A person hears at once why a line is too early; a script's line waits.
        let accepts = reads && (stays || app.accepts_lines());
        if let Some(line) = held.take_if(|line| stays || app.accepts(line)) {
            effects = app.on_input(&line);
            is_typed = true;
            continue;
        }
        if has_ended && let Some(exit) = out.end(&app, reads)? {
            break exit;
        }
        // An analysis that begins after the end, or a rematch, goes on.
        let is_ending = app.is_over() && !out.stays_with(&app);
        ended = is_ending.then(|| ended.unwrap_or_else(|| Instant::now() + FAREWELL));
        effects = tokio::select! {
            event = driver.next_event() => {
                out.event(&event, driver.is_here())?;
                match driver.react(&mut app, event) {
                    Some(effects) => effects,
                    None => break Exit::No,
                }
            }
            line = next_line(&mut lines), if accepts && held.is_none() && !has_ended => {
                has_ended = line.is_none();
                held = line;
                Vec::new()
            }
            () = sleep_until(app.next_notice_at()) => app.notices_due(Instant::now()),
            () = sleep_until(ended) => break app.exit(),
            () = &mut interrupted => break Exit::Interrupted,
        };
    };
    for line in app.farewell() {
        out.say(&line)?;
    }
    driver.close().await;
    Ok(exit)
}

/// Returns the next line of standard input. The reading thread starts when the first line is needed; until
/// then others may read the input.
async fn next_line(lines: &mut Option<mpsc::Receiver<String>>) -> Option<String> {
    lines.get_or_insert_with(stdin_lines).recv().await
}

/// The lines of standard input, read by a thread, because no other way of reading can be abandoned at the end
/// of the run.
pub fn stdin_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut bytes = Vec::new();
            let read = input
                .by_ref()
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut bytes);
            if !matches!(read, Ok(length) if length > 0) {
                return;
            }
            let line = String::from_utf8_lossy(&bytes).trim().to_owned();
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The destinations of lines. The match goes to standard output, problems go to standard error. With JSON,
/// text for people goes to standard error, and objects to standard output.
struct PlainOutput {
    json: bool,
    /// True if a terminal's bell may be rung.
    rings: bool,
    /// True if somebody reads and types, who may analyse a match after its end.
    stays: bool,
}

impl PlainOutput {
    /// Returns true if a match's end does not end the run.
    fn stays_with(&self, app: &AppState) -> bool {
        self.stays && app.is_analysing() || app.comes_back_to_analysis()
    }

    /// Returns the exit of a run that waits for a line after the last one.
    fn end(&self, app: &AppState, reads: bool) -> io::Result<Option<Exit>> {
        if app.is_analysing() {
            return Ok(Some(app.exit()));
        }
        if !(reads && app.waits_for_user()) {
            return Ok(None);
        }
        let text = "you are to move or to choose, and standard input has ended";
        self.line(app, &OutputLine::new(OutputKind::Problem, text), true)?;
        Ok(Some(Exit::No))
    }

    /// Writes the line of an event, which is for programs.
    fn event(&self, event: &DriverEvent, is_here: bool) -> io::Result<()> {
        match event {
            DriverEvent::Client(Some(event)) if self.json => print_event(event, is_here),
            DriverEvent::Moved(Some(message)) if self.json => OwnLine::Problem { message }.print(),
            _ => Ok(()),
        }
    }

    /// Writes a line. Programs get it too if no event tells them: what was wrong in their input, and what is expected.
    fn line(&self, app: &AppState, line: &OutputLine, is_typed: bool) -> io::Result<()> {
        let (message, followed) = (&line.text, app.followed());
        let phase = followed.map(|followed| &followed.view.phase);
        let own = match line.tone {
            OutputKind::Refusal if is_typed => Some(OwnLine::Misread { message }),
            OutputKind::Problem if is_typed => Some(OwnLine::Problem { message }),
            OutputKind::Prompt => Some(OwnLine::Prompt { message }),
            OutputKind::Result => Some(OwnLine::Result { message, phase }),
            _ => None,
        };
        if let (true, Some(own)) = (self.json, own) {
            own.print()?;
        }
        self.say(line)
    }

    /// Shows the effects of a typed line or an event. Returns the exit if one of them ends the run.
    fn show(
        &self,
        app: &AppState,
        shown: Vec<DisplayEffect>,
        is_typed: bool,
    ) -> io::Result<Option<Exit>> {
        let game = app.followed().map(|followed| followed.view.game);
        for shown in shown {
            match shown {
                DisplayEffect::Print(line) => self.line(app, &line, is_typed)?,
                DisplayEffect::Call if self.rings => print("\x07")?,
                DisplayEffect::Help => {
                    self.notes(game.map(sheet).unwrap_or_default())?;
                    let commands = COMMANDS.map(|(command, what)| format!("{command}: {what}"));
                    self.notes(commands)?;
                }
                // A pipe was made by somebody who knows the rules.
                DisplayEffect::Rules if io::stdout().is_terminal() => {
                    self.notes(game.map(sheet).unwrap_or_default())?;
                }
                DisplayEffect::Call | DisplayEffect::Suspend | DisplayEffect::Rules => {}
                DisplayEffect::Sheet(lines) => self.notes(lines)?,
                DisplayEffect::Settled(_) if self.stays_with(app) => {}
                DisplayEffect::Stop(exit) | DisplayEffect::Settled(exit) => return Ok(Some(exit)),
            }
        }
        Ok(None)
    }

    fn say(&self, line: &OutputLine) -> io::Result<()> {
        match line.tone {
            OutputKind::Refusal | OutputKind::Problem => complain(&line.text),
            _ if self.json => complain(&line.text),
            _ => print(&in_window(&format!("{}\n", line.text)))?,
        }
        Ok(())
    }

    fn notes(&self, texts: impl IntoIterator<Item = String>) -> io::Result<()> {
        for text in texts {
            self.say(&OutputLine::new(OutputKind::Note, text))?;
        }
        Ok(())
    }
}
