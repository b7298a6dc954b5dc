//! The events of the terminal, read by a thread; the end of the program does not wait for it.
//!
//! When the terminal vanishes (its window is closed, the connection to it is lost), crossterm would
//! read nothing again and again. So the thread waits for input itself, and ends when there can be
//! none any more.

use std::time::Duration;

use ratatui::crossterm::event::{self, Event};
use tokio::sync::mpsc;

/// The number of terminal events that may be queued.
const KEYS_MAX: usize = 64;

/// Starts the thread. The channel is closed when the terminal has vanished.
pub fn read() -> mpsc::Receiver<Event> {
    let (sender, keys) = mpsc::channel(KEYS_MAX);
    std::thread::spawn(move || {
        while wait_for_input() {
            while let Some(event) = next_event() {
                if sender.blocking_send(event).is_err() {
                    return;
                }
            }
        }
    });
    keys
}

/// Waits until something can be read from the terminal; returns false if the terminal has vanished.
#[cfg(unix)]
fn wait_for_input() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let stdin = std::io::stdin();
    loop {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
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

/// Waits until there is an event.
#[cfg(not(unix))]
fn wait_for_input() -> bool {
    event::poll(Duration::MAX).is_ok()
}

/// The next event that is there already.
fn next_event() -> Option<Event> {
    match event::poll(Duration::ZERO) {
        Ok(true) => event::read().ok(),
        Ok(false) | Err(_) => None,
    }
}
