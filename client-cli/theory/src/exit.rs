//! The program's exit codes.

use std::process::ExitCode;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success; for a match: it has ended, won by either player.
    Done,
    /// The answer is no, or there was an error in the input or the match.
    No,
    /// The command line is wrong. Most of these errors are reported by clap.
    Usage,
    /// Interrupted by a signal: 128 + SIGINT, as in shells.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Interrupted => 130,
        })
    }
}
