//! The program's exit codes.

use std::process::ExitCode;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success; for a match: it has ended, won by either player.
    Done = 0,
    /// The answer is no, or there was an error in the input or the match.
    No = 1,
    /// The command line is wrong. Most of these errors are reported by clap.
    Usage = 2,
    /// Interrupted by a signal: 128 + SIGINT, as in shells.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
