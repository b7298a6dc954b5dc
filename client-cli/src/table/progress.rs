//! While a long table is computed: how far it is, and Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::signal::interrupted;

/// A table that takes no longer is not worth a word.
const QUIET: Duration = Duration::from_millis(400);

/// How often the line is written anew.
const PACE: Duration = Duration::from_millis(100);

/// What the shell is told after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// A run that Ctrl-C stops once, cleanly; the second ends the program.
pub struct TableProgress {
    stop: Arc<AtomicBool>,
    wanted: u64,
    begun: Instant,
    told: Option<Instant>,
    /// Whether standard error is a terminal.
    visible: bool,
}

impl TableProgress {
    /// Begins to listen for Ctrl-C.
    pub fn begin(wanted: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&stop);
        // Ends with the program. Where no thread or no signal can be had, Ctrl-C ends it as always.
        let _ = thread::Builder::new().spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            else {
                return;
            };
            loop {
                runtime.block_on(interrupted());
                if heard.swap(true, Ordering::Relaxed) {
                    process::exit(INTERRUPTED);
                }
            }
        });
        Self {
            stop,
            wanted,
            begun: Instant::now(),
            told: None,
            visible: io::stderr().is_terminal(),
        }
    }

    /// Tells how far it is, at times; whether to go on.
    pub fn go_on(&mut self, done: u64) -> bool {
        if self.visible {
            let now = Instant::now();
            let due = match self.told {
                None => now - self.begun > QUIET,
                Some(told) => now - told > PACE,
            };
            if due {
                self.told = Some(now);
                let share = done * 100 / self.wanted.max(1);
                let _ = write!(
                    io::stderr().lock(),
                    "\r{share:>3} %  {done} of {}  (Ctrl-C shows what is there)",
                    self.wanted
                );
            }
        }
        !self.stop.load(Ordering::Relaxed)
    }

    /// Ends the run; whether it was stopped. From now on Ctrl-C ends the program.
    pub fn end(self) -> bool {
        if self.told.is_some() {
            // Clears the line.
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        self.stop.swap(true, Ordering::Relaxed)
    }
}
