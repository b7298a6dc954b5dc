//! The progress of a run, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The line that shows progress.
const LINE: &str = "{percent:>3} %  {pos} of {len} {msg}  ({elapsed}, Ctrl-C ends)";

/// The line of a run's progress.
#[derive(Debug)]
pub struct LoadProgress {
    bar: ProgressBar,
}

impl Default for LoadProgress {
    fn default() -> Self {
        let style = ProgressStyle::with_template(LINE).expect("the template is well-formed");
        Self {
            bar: ProgressBar::new(0).with_style(style),
        }
    }
}

impl LoadProgress {
    /// Begins a part of this length.
    pub fn start(&self, length: u64, what: &'static str) {
        self.bar.reset();
        self.bar.set_length(length);
        self.bar.set_message(what);
    }

    /// Prints a line above the progress, also where that is not shown.
    pub fn announce(&self, text: &str) {
        if self.bar.is_hidden() {
            eprintln!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// Shows that so much is done.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
