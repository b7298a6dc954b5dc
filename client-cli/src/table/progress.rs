//! Progress and Ctrl-C during the computation of a long table.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::signal::interrupted;

/// The time a computation may take before its progress is shown.
const QUIET: Duration = Duration::from_millis(400);

/// The line that shows progress.
const LINE: &str = "{percent:>3} %  {pos} of {len}  (Ctrl-C shows what is there)";

/// The exit code after a second Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The progress of a computation that the first Ctrl-C stops cleanly; the second one ends the
/// program.
pub struct TableProgress {
    stop: Arc<AtomicBool>,
    start: Instant,
    /// Shown on standard error if that is a terminal.
    bar: ProgressBar,
}

impl TableProgress {
    /// Starts to listen for Ctrl-C.
    pub fn start(positions: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let requested = Arc::clone(&stop);
        // The thread ends with the program. Where no thread or no signal is to be had, Ctrl-C ends
        // the program as always.
        let _ = thread::Builder::new().spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            else {
                return;
            };
            loop {
                runtime.block_on(interrupted());
                if requested.swap(true, Ordering::Relaxed) {
                    process::exit(INTERRUPTED);
                }
            }
        });
        let style = ProgressStyle::with_template(LINE).expect("the template is well-formed");
        Self {
            stop,
            start: Instant::now(),
            bar: ProgressBar::new(positions).with_style(style),
        }
    }

    /// Shows the progress; returns false once the computation is to stop.
    pub fn advance(&mut self, done: u64) -> bool {
        if self.start.elapsed() > QUIET {
            self.bar.set_position(done);
        }
        !self.stop.load(Ordering::Relaxed)
    }

    /// Clears the line; returns true if Ctrl-C stopped the computation. From now on Ctrl-C ends
    /// the program.
    pub fn finish(self) -> bool {
        self.bar.finish_and_clear();
        self.stop.swap(true, Ordering::Relaxed)
    }
}
