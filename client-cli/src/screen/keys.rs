//! The terminal's events, read by a thread. The program's end does not wait for it.
//!
//! When the terminal vanishes (its window is closed, its connection lost), crossterm would read nothing again
//! and again. So this thread waits for input itself, and ends when there can be none any more. If the
//! terminal vanishes just while crossterm reads the last input, this thread stays there; so another thread
//! waits for the terminal's end only.

use std::time::Duration;

use ratatui::crossterm::event::{self, Event};
use tokio::sync::{mpsc, oneshot};

/// The most terminal events that are handed over at once.
const KEYS_MAX: usize = 1024;

pub struct Keys {
    events: mpsc::Receiver<Vec<Event>>,
    gone: oneshot::Receiver<()>,
}

impl Keys {
    /// Returns the next events, as many as there are already; none once the terminal has vanished.
    pub async fn next(&mut self) -> Option<Vec<Event>> {
        tokio::select! {
            biased;
            events = self.events.recv() => events,
            _ = &mut self.gone => None,
        }
    }
}

pub fn read() -> Keys {
    let (ended, gone) = oneshot::channel();
    std::thread::spawn(move || {
        wait_for_end();
        // An error means that the program has ended.
        let _ = ended.send(());
    });
    let (sender, events) = mpsc::channel(1);
    std::thread::spawn(move || {
        while wait_for_input() {
            let mut is_deaf = true;
            loop {
                let batch: Vec<Event> = std::iter::from_fn(next_event).take(KEYS_MAX).collect();
                if batch.is_empty() {
                    break;
                }
                is_deaf = false;
                if sender.blocking_send(batch).is_err() {
                    return;
                }
            }
            if is_deaf && !sender.is_closed() {
                rouse();
            }
        }
    });
    Keys { events, gone }
}

/// Waits until something can be read from the terminal; returns false if the terminal has vanished.
#[cfg(unix)]
fn wait_for_input() -> bool {
    wait_for(rustix::event::PollFlags::IN)
}

/// Waits until the terminal has vanished.
#[cfg(unix)]
fn wait_for_end() {
    // The end is reported without being asked for.
    while wait_for(rustix::event::PollFlags::empty()) {}
}

/// Waits for these of the terminal's conditions; returns false if the terminal has vanished.
#[cfg(unix)]
fn wait_for(conditions: rustix::event::PollFlags) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let stdin = std::io::stdin();
    loop {
        let mut fds = [PollFd::new(&stdin, conditions)];
        match poll(&mut fds, None) {
            Ok(_) => {
                let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
                return !fds[0].revents().intersects(gone);
            }
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Makes crossterm read on. It is told once that there is input, and reads only the first kilobyte; setting
/// the terminal's modes to what they are tells it again.
#[cfg(unix)]
fn rouse() {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let stdin = std::io::stdin();
    // A terminal that has vanished is noticed by the next wait.
    if let Ok(modes) = tcgetattr(&stdin) {
        let _ = tcsetattr(&stdin, OptionalActions::Now, &modes);
    }
}

/// Nothing is to be done here: events are waited for as crossterm finds them.
#[cfg(not(unix))]
fn rouse() {}

#[cfg(not(unix))]
fn wait_for_input() -> bool {
    event::poll(Duration::MAX).is_ok()
}

/// Waits until the terminal has vanished, which is not reported here.
#[cfg(not(unix))]
fn wait_for_end() {
    loop {
        std::thread::park();
    }
}

/// The next event that is there already.
fn next_event() -> Option<Event> {
    match event::poll(Duration::ZERO) {
        Ok(true) => event::read().ok(),
        Ok(false) | Err(_) => None,
    }
}
