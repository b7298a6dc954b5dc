//! A match as plain lines, or as the protocol's own messages: for pipes, logs, screen readers
//! and programs.
//!
//! Each event is a line, written at once. Standard input is read a line at a time; a line that
//! answers something, as a move does, is held until that is asked, so that a script's lines meet
//! the positions it wrote them for.

use std::io::{self, BufRead, Read, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use fibfob_client::ClientEvent;
use tokio::sync::mpsc;

use crate::app::text::{OutputKind, OutputLine};
use crate::app::typed_command::COMMANDS;
use crate::app::{AppState, UserRole};
use crate::exit::Exit;
use crate::run::{DisplayEffect, DriverEvent, RunSetup, sleep_until};
use crate::signal::interrupted;

/// The longest line that is read; a longer one is read in pieces, none of which is a move.
const LINE_BYTES_MAX: u64 = 8 * 1024;

/// How long we wait for answers after the match has ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// Plays or watches to the end.
///
/// # Errors
/// When standard output accepts no more; a closed pipe too.
pub async fn run(plan: RunSetup, json: bool) -> io::Result<Exit> {
    let reads = plan.role == UserRole::Player(None);
    let (mut app, mut driver, enter) = plan.begin(Duration::ZERO);
    let mut out = Out { json };
    // The thread is started when the first line is wanted: another one may need the input.
    let mut lines: Option<mpsc::Receiver<String>> = None;
    let mut input = Input::Open;
    let mut interrupted = pin!(interrupted());
    let mut ended: Option<Instant> = None;
    let effects = app.start(enter);
    let mut shown = driver.perform(&mut app, effects);
    let exit = 'run: loop {
        for shown in shown.drain(..) {
            match shown {
                DisplayEffect::Print(line) => out.say(&line)?,
                DisplayEffect::Help => out.help()?,
                DisplayEffect::Stop(exit) | DisplayEffect::Settled(exit) => break 'run exit,
            }
        }
        let accepts = reads && app.accepts_lines();
        if accepts && lines.is_none() {
            lines = Some(stdin_lines());
        }
        match input {
            Input::Held(line) if app.accepts(&line) => {
                input = Input::Open;
                let effects = app.on_input(&line);
                shown = driver.perform(&mut app, effects);
                continue;
            }
            Input::Ended if reads && app.waits_for_user() => {
                let text = "you are to move or to choose, and standard input has ended";
                out.say(&OutputLine::new(OutputKind::Trouble, text))?;
                break Exit::No;
            }
            other => input = other,
        }
        if ended.is_none() && app.is_over() {
            ended = Some(Instant::now() + FAREWELL);
        }
        let effects = tokio::select! {
            felt = driver.next_event() => match felt {
                DriverEvent::Solved(version, thought) => app.on_solver_result(version, thought),
                DriverEvent::Client(None) => break Exit::No,
                DriverEvent::Client(Some(ClientEvent::Raw(text))) => {
                    out.raw(&text)?;
                    Vec::new()
                }
                DriverEvent::Client(Some(event)) => app.on_event(event),
            },
            line = next_line(&mut lines), if accepts && input == Input::Open => {
                input = line.map_or(Input::Ended, Input::Held);
                Vec::new()
            }
            () = sleep_until(app.next_notice_at()) => app.notices_due(Instant::now()),
            () = sleep_until(ended) => break app.exit(),
            () = &mut interrupted => break Exit::Interrupted,
        };
        shown = driver.perform(&mut app, effects);
    };
    farewell(&app, &mut out)?;
    driver.close().await;
    Ok(exit)
}

/// What standard input has for us.
#[derive(Debug, PartialEq, Eq)]
enum Input {
    /// Perhaps another line.
    Open,
    /// This line, for when what it answers is asked.
    Held(String),
    /// Nothing more.
    Ended,
}

/// Says how to come back to a match that goes on.
fn farewell(app: &AppState, out: &mut Out) -> io::Result<()> {
    if let Some(moved) = app.in_flight() {
        let text = format!("`{}` may or may not have been played", moved.text);
        out.say(&OutputLine::new(OutputKind::Trouble, text))?;
    }
    match app.resume_command() {
        Some(line) => out.say(&OutputLine::new(
            OutputKind::Note,
            format!("your seat is kept; come back with: {line}"),
        )),
        None => Ok(()),
    }
}

async fn next_line(lines: &mut Option<mpsc::Receiver<String>>) -> Option<String> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

/// The lines of standard input, read by a thread of their own: no other way to read it can be
/// given up at the end of the run.
fn stdin_lines() -> mpsc::Receiver<String> {
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
            if !line.is_empty() && sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Where lines go: the match to standard output, what is wrong to standard error; beside JSON,
/// all that is meant for people to standard error.
struct Out {
    json: bool,
}

impl Out {
    fn raw(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        // One message is one line, whatever white space the server likes.
        if text.contains(['\n', '\r']) {
            writeln!(out, "{}", text.replace(['\n', '\r'], " "))?;
        } else {
            writeln!(out, "{text}")?;
        }
        out.flush()
    }

    fn say(&mut self, line: &OutputLine) -> io::Result<()> {
        match line.tone {
            OutputKind::Visible
            | OutputKind::Event
            | OutputKind::Chat
            | OutputKind::Note
            | OutputKind::Prompt
            | OutputKind::Result
                if !self.json =>
            {
                let mut out = io::stdout().lock();
                writeln!(out, "{}", line.text)?;
                out.flush()
            }
            _ => {
                // Nobody reads what is wrong; the match goes on.
                let _ = writeln!(io::stderr().lock(), "{}", line.text);
                Ok(())
            }
        }
    }

    fn help(&mut self) -> io::Result<()> {
        for (command, what) in COMMANDS {
            self.say(&OutputLine::new(
                OutputKind::Note,
                format!("{command}: {what}"),
            ))?;
        }
        Ok(())
    }
}
