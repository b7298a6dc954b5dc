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

use crate::exit::Exit;
use crate::run::{Felt, Plan, Shown, reached};
use crate::session::typed::COMMANDS;
use crate::session::words::{Line, Tone};
use crate::session::{Role, Session};
use crate::signal::interrupted;

/// The longest line that is read; a longer one is read in pieces, none of which is a move.
const LINE_BYTES_MAX: u64 = 8 * 1024;

/// How long we wait for answers after the match has ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// Plays or watches to the end.
///
/// # Errors
/// When standard output takes no more; a closed pipe too.
pub async fn run(plan: Plan, json: bool) -> io::Result<Exit> {
    let reads = plan.role == Role::Player(None);
    let (mut session, mut hands, enter) = plan.begin(Duration::ZERO);
    let mut out = Out { json };
    // The thread is started when the first line is wanted: another one may need the input.
    let mut lines: Option<mpsc::Receiver<String>> = None;
    let mut input = Input::Open;
    let mut interrupted = pin!(interrupted());
    let mut ended: Option<Instant> = None;
    let effects = session.begin(enter);
    let mut shown = hands.carry_out(&mut session, effects);
    let exit = 'run: loop {
        for shown in shown.drain(..) {
            match shown {
                Shown::Say(line) => out.say(&line)?,
                Shown::Help => out.help()?,
                Shown::Stop(exit) | Shown::Settled(exit) => break 'run exit,
            }
        }
        let takes = reads && session.takes_lines();
        if takes && lines.is_none() {
            lines = Some(stdin_lines());
        }
        match input {
            Input::Held(line) if session.takes(&line) => {
                input = Input::Open;
                let effects = session.typed(&line);
                shown = hands.carry_out(&mut session, effects);
                continue;
            }
            Input::Ended if reads && session.waits_for_user() => {
                let text = "you are to move or to choose, and standard input has ended";
                out.say(&Line::new(Tone::Trouble, text))?;
                break Exit::No;
            }
            other => input = other,
        }
        if ended.is_none() && session.is_over() {
            ended = Some(Instant::now() + FAREWELL);
        }
        let effects = tokio::select! {
            felt = hands.feel() => match felt {
                Felt::Thought(version, thought) => session.thought(version, thought),
                Felt::Client(None) => break Exit::No,
                Felt::Client(Some(ClientEvent::Raw(text))) => {
                    out.raw(&text)?;
                    Vec::new()
                }
                Felt::Client(Some(event)) => session.on_event(event),
            },
            line = next_line(&mut lines), if takes && input == Input::Open => {
                input = line.map_or(Input::Ended, Input::Held);
                Vec::new()
            }
            () = reached(session.wakes_at()) => session.woken(Instant::now()),
            () = reached(ended) => break session.exit(),
            () = &mut interrupted => break Exit::Interrupted,
        };
        shown = hands.carry_out(&mut session, effects);
    };
    farewell(&session, &mut out)?;
    hands.close().await;
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
fn farewell(session: &Session, out: &mut Out) -> io::Result<()> {
    if let Some(moved) = session.in_flight() {
        let text = format!("`{}` may or may not have been played", moved.text);
        out.say(&Line::new(Tone::Trouble, text))?;
    }
    match session.comeback() {
        Some(line) => out.say(&Line::new(
            Tone::Note,
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

    fn say(&mut self, line: &Line) -> io::Result<()> {
        match line.tone {
            Tone::Visible | Tone::Event | Tone::Chat | Tone::Note | Tone::Prompt | Tone::Result
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
            self.say(&Line::new(Tone::Note, format!("{command}: {what}")))?;
        }
        Ok(())
    }
}
