//! Progress and Ctrl-C during the computation of a long table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The time a computation may take before its progress is shown.
const QUIET: Duration = Duration::from_millis(400);

/// The line that shows progress.
const LINE: &str = "{percent:>3} %  {pos} of {len}  (Ctrl-C shows what is there)";

/// The progress of a computation that a flag stops.
pub struct TableProgress {
    stop: Arc<AtomicBool>,
    start: Instant,
    /// Shown on standard error if that is a terminal.
    bar: ProgressBar,
}

impl TableProgress {
    /// Starts to measure.
    pub fn new(positions: u64, stop: Arc<AtomicBool>) -> Self {
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
