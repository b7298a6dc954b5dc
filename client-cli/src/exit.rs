//! How a run of the program ends, as the shell sees it.

use std::process::ExitCode;

/// What the process tells its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; for a match: it has ended, whoever won.
    Done,
    /// The answer is no, or there was an error in the input or the match.
    No,
    /// The command line was wrong. Most of these clap tells by itself.
    Usage,
    /// Ctrl-C, as shells write it: 128 + SIGINT.
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
